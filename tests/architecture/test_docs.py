"""README and docs are true: Python examples run, commands exist, links lead somewhere, README stays short."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from parlour.cli import parlour
from parlour.games.diplomacy import position as diplomacy
from parlour.games.fish import position as fish
from support.docs.shell_blocks import saved

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MAX_README = 120
FIELDS = {"press.silent_stages", "press.silent_before"}
"""Fields of terms, which look like names of a layer."""
NOT_FOR_USERS = {"audit", "bench", "docs", "fuzz", "map", "mutants", "peers", "pictures", "test"} | {"client"}
"""Extras of those who work on the project, and one that brings nothing that is not there already."""


def page_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def commands() -> list[tuple[str, str]]:
    """Return each `parlour ...` line of a shell block, with its page."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            lines = [line.partition("#")[0].strip() for line in block.splitlines() if line.startswith("parlour ")]
            found += [(page_name(page), line) for line in lines]
    return found


def listings(page: Path) -> list[str]:
    """Return the Python blocks of a page that define classes; the dialogues may use them."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    files = saved(page).values()
    return [block for block in blocks if re.search(r"^class ", block, flags=re.MULTILINE) and block not in files]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_python_examples_give_what_they_show(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, object] = {"__name__": page.stem}
    for name, text in saved(page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name.removesuffix(".py"), raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    for listing in listings(page):
        exec(compile(listing, page_name(page), "exec"), names)
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8", globs=names)
    assert results.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def headings(page: Path) -> set[str]:
    """Return the anchors of a page: its headings in small letters, with dashes for blanks and without other signs."""
    lines = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL).splitlines()
    titles = [line.lstrip("# ").lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_to_headings_lead_somewhere(page: Path) -> None:
    for name, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        target = page.parent / name if name else page
        assert target.suffix != ".md" or anchor in headings(target), f"{name}#{anchor}"


def test_every_picture_is_shown_somewhere() -> None:
    shown = {name for page in PAGES for name in re.findall(r"pictures/([\w.-]+)\)", page.read_text(encoding="utf-8"))}
    assert shown == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}


def test_the_picture_of_a_turn_shows_the_events_and_who_sees_them_now() -> None:
    asked = "import sys; sys.path.insert(0, 'tools'); import pictures; sys.stdout.write(pictures._sequence())"
    drawn = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert drawn.stdout == (ROOT / "docs" / "pictures" / "turn-sequence.svg").read_text(encoding="utf-8")


def is_there(name: str) -> bool:
    """Return True if a dotted name of the package, like net.hall.Hall, exists."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        with contextlib.suppress(ModuleNotFoundError):
            found: Any = importlib.import_module(".".join(["parlour", *parts[:length]]))
            for part in parts[length:]:
                if not hasattr(found, part):
                    return part in getattr(found, "__annotations__", {})
                found = getattr(found, part)
            return True
    return False


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"], ids=page_name)
def test_what_pages_name_of_the_package_and_of_the_repository_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    layers = "|".join(path.name for path in (ROOT / "src" / "parlour").iterdir() if (path / "__init__.py").exists())
    names = set(re.findall(rf"`(?:parlour\.)?((?:{layers})(?:\.\w+)+)[`(]", text)) - FIELDS
    assert not [name for name in sorted(names) if not is_there(name)]
    files = set(re.findall(r"`((?:src|tests|bench|tools|examples|docs)/[\w/.-]+\.\w+)`", text))
    assert not [name for name in sorted(files) if not (ROOT / name).exists()]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_what_pages_read_of_a_position_is_there(page: Path) -> None:
    known = {name for kind in (diplomacy.Position, fish.Position) for name in (*dir(kind), *kind.__annotations__)}
    named = set(re.findall(r"\bposition\.([a-z]\w*)", page.read_text(encoding="utf-8"))) - {"py", "json"}
    assert not sorted(named - known)


@pytest.mark.parametrize(("page", "line"), commands())
def test_commands_have_the_verbs_and_options_they_are_shown_with(page: str, line: str) -> None:
    words = shlex.split(line)[1:]
    command: click.Command = parlour
    context = click.Context(command)
    while isinstance(command, click.Group):
        takes = {name: not getattr(option, "is_flag", False) for option in command.params for name in option.opts}
        while words and words[0] in takes:  # options of the group come before the command
            words = words[1 + takes[words[0]] :]
        if not words:
            return  # a group that does something by itself
        found = command.get_command(context, words[0])
        assert found is not None, f"{page}: {line}"
        command, words = found, words[1:]
    options = {name for parameter in command.params for name in parameter.opts} | {"--help"}
    assert not [word for word in words if word.startswith("--") and word.partition("=")[0] not in options]


def test_the_page_on_installing_lists_every_extra_that_a_user_may_want() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == set(extras) - NOT_FOR_USERS


def test_the_readme_is_short_and_shows_both_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") < MAX_README
    assert "make demo" in text
    assert "make test" in text


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial/first-bot.md", "docs/tutorial/diplomacy-bot.md"])
def test_a_newcomer_can_run_the_commands_of_the_page(name: str, tmp_path: Path) -> None:
    page = ROOT / name
    for file, text in ({"bot.py": listings(page)[0]} if name == "README.md" else saved(page)).items():
        (tmp_path / file).write_text(text, encoding="utf-8")

    def run(line: str) -> str:
        words = [sys.executable, "-m", "parlour", *shlex.split(line)[1:]]
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        return done.stdout

    if name == "README.md":
        run("parlour new program any_program.py")
    printed = {line: run(line) for page_name, line in commands() if page_name == name}
    shown = re.findall(r"```text\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    words = " ".join(" ".join(printed.values()).split())
    assert printed
    assert all(" ".join(block.split()) in words for block in shown), shown


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run_and_are_short(example: Path) -> None:
    # A whole bot of its own, without the package; a game in another framework, with the table of its seats.
    most = {"daide_dumbbot.py": 300, "openspiel_fish.py": 105}.get(example.name, 60)
    assert example.read_text(encoding="utf-8").count("\n") < most
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    if example.name == "learn_fish.py":
        before, after = (int(share) for share in re.findall(r"(\d+)%", done.stdout))
        assert after > before + 25, "the learner learns"


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "documents").glob("*.md")), ids=page_name)
def test_the_tests_that_pages_on_documents_name_exist(page: Path) -> None:
    named = set(re.findall(r"`(test_\w+)`", page.read_text(encoding="utf-8")))
    written = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert named
    assert not [name for name in sorted(named) if f"def {name}(" not in written]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_verbs(shell: str) -> None:
    variables = {"_PARLOUR_COMPLETE": f"{shell}_complete", "COMP_WORDS": "parlour tourn", "COMP_CWORD": "1"}
    if shell == "fish":
        variables["COMP_CWORD"] = "tourn"
    asked = subprocess.run(
        [sys.executable, "-c", "from parlour.cli import main; main()"],
        env=os.environ | variables, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "tournament" in asked.stdout
