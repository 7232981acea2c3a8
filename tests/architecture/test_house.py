"""The house rules of the source tree: layers, first lines, sizes, words, and the list of public names."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import parlour

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "parlour"
MODULES = sorted(SOURCE.rglob("*.py"))
MAX_LINES = 500
MAX_FUNCTION = 85
BANNED = re.compile(r"(^|_)(manager|handler|helper|utils?|common|misc)(_|$)|^do_")
VAGUE = re.compile(r"(^|_)(data|info)(_|$)")
OTHERS = ("net/client/", "net/mila/")
"""Where names are those of the `diplomacy` package, whose users look for them."""
DICTATED = {"data_received", "get_extra_info"}
"""Names that asyncio gave."""


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_layers_import_only_from_below() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_line_one_of_each_module_says_what_it_is_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text))
    assert docstring, "no docstring"
    first = docstring.splitlines()[0]
    assert text.startswith('"""' + first)
    assert len(first) <= 120
    assert first.endswith((".", ":"))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MAX_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < MAX_FUNCTION, node.name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_names_say_what_things_are(path: Path) -> None:
    names = {path.stem}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name).lower())
    assert not [name for name in names if BANNED.search(name.strip("_"))]
    if not name_of(path).startswith(OTHERS):
        assert not [name for name in names - DICTATED if VAGUE.search(name.strip("_"))]


def _caught(tried: ast.Try) -> set[str]:
    """The last names of all that is caught beside one another."""
    kinds = [handler.type for handler in tried.handlers if handler.type is not None]
    names = [name for kind in kinds for name in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
    return {ast.unparse(name).split(".")[-1] for name in names}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_whoever_reads_json_of_others_expects_all_that_may_be_wrong_with_it(path: Path) -> None:
    """Text that is no UTF-8 and brackets without end raise something else than what is merely no JSON."""
    tries = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Try)]
    for caught in (_caught(node) for node in tries):
        if "DecodeError" in caught and "JSONDecodeError" not in caught:
            assert "RecursionError" in caught, "see core/decoding.py"
            assert caught & {"UnicodeDecodeError", "UnicodeError", "ValueError"}, "see core/decoding.py"


def test_the_public_face_is_what_we_promise() -> None:
    functions = ["make_player", "play", "read_record", "replay", "run"]
    assert sorted(parlour.__all__) == sorted(
        ["Match", "Player", "Seat", "Terms", "View", "__version__", "deepmind", "diplomacy", "fish", *functions]
    )
    for name in parlour.__all__:
        assert getattr(parlour, name) is not None
    assert dir(parlour) == sorted(parlour.__all__)


def test_the_games_have_short_names() -> None:
    code = "import parlour.diplomacy; from parlour.fish import start; print(parlour.diplomacy.start().phase, start())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("S1901M")


def test_importing_parlour_imports_no_heavy_library() -> None:
    code = "import sys, parlour; print([m for m in ('numpy', 'jax', 'ray', 'pettingzoo', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_the_same_everywhere() -> None:
    assert 'version = { attr = "parlour.__version__" }' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"## {parlour.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
