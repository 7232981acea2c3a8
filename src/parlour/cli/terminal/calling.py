"""How the user calls this program, for lines that say what to type next."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program() -> str:
    """How the user calls us: by name, or by the path of the script if that is on no path."""
    script = Path(sys.argv[0])
    if script.name != "parlour" or shutil.which("parlour"):
        return "parlour"
    return os.path.relpath(script)
