"""The command by which the user calls this program, for lines that suggest the next command."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program() -> str:
    """Return the command that starts this program: its name, or the script's path if it is not on PATH."""
    script = Path(sys.argv[0])
    if script.name != "parlour" or shutil.which("parlour"):
        return "parlour"
    return os.path.relpath(script)
