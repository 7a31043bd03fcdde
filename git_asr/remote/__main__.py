"""``python -m git_asr.remote``: the same as ``git-remote-asr``."""

import sys

from git_asr.remote.start import main

if __name__ == "__main__":
    sys.exit(main())
