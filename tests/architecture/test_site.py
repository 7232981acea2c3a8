"""The documentation builds as a site without a broken link, and asks no other server for anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_site_builds_and_is_whole(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": ""}
    done = subprocess.run(build, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<(script|img|iframe)[^>]*\ssrc=[\"']?(https?:)?//", text), page
        assert not re.search(
            r"<link[^>]*rel=[\"']?(stylesheet|preconnect|preload)[^>]*href=[\"']?(https?:)?//", text
        ), page
    commands = (tmp_path / "reference" / "cli.html").read_text(encoding="utf-8")
    names = (tmp_path / "reference" / "python.html").read_text(encoding="utf-8")
    assert "parlour press ledger" in commands
    assert "read_record" in names
