"""``python -m git_asr``: the same as ``git asr``."""

import sys

from git_asr.cli.main import main

sys.exit(main())
