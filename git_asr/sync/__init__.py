"""The whole flow: commits and checkpoint stores in, companion ref out. ``flow.py`` is the page to read first."""
