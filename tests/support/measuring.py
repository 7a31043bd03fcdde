"""What coverage is told in the processes that tests start, if anything: measured, a short command takes twice as long.

Measured are the first runs of each command with the same options (``run.run_cli``), and whatever a test starts that is
marked as ``measured``. Coverage's settings name a package, so that the report has what no test ran. A process that ends
looks for all such modules then, and writes their names down: twice the work of a short command. The processes of tests
are told of files instead, for the main process alone need name what did not run.
"""

from __future__ import annotations

import base64
import json
import os
from functools import cache
from pathlib import Path

MEASURED = "COVERAGE_PROCESS_CONFIG"
"""By this variable coverage begins in a process; base64 of JSON (``coverage.config.CoverageConfig.serialize``)."""
_PACKAGE = Path(__file__).parents[2] / "git_asr" / "*"


@cache
def settings_for_processes() -> dict[str, str]:
    """The variable with its value for what is measured, as it was when first asked; nothing where nothing is."""
    given = os.environ.get(MEASURED)
    if given is None:
        return {}
    settings = json.loads(base64.b64decode(given))
    settings |= {"source": None, "run_include": [str(_PACKAGE)]}
    return {MEASURED: base64.b64encode(json.dumps(settings).encode()).decode()}
