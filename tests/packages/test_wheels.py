"""The packages for verifiers' hub build as wheels that hold their module and name what they need."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from support.harness.frameworks import framework, ran

PACKAGES = Path(__file__).parents[2] / "packages"


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
@pytest.mark.parametrize("name", ["parlour-diplomacy", "parlour-fish"])
def test_a_wheel_holds_its_module(name: str, tmp_path: Path) -> None:
    pip = ("python", "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-deps")
    ran(framework("verifiers"), *pip, "--wheel-dir", str(tmp_path), str(PACKAGES / name), cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
        told = archive.read(next(one for one in inside if one.endswith("/METADATA"))).decode()
    assert f"{name.replace('-', '_')}/__init__.py" in inside
    assert "Requires-Dist: verifiers<0.5,>=0.3.1" in told
    assert "Requires-Dist: parlour" in told
