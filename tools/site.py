"""What the documentation site adds to the pages: README as its first one, and references made from the code.

MkDocs calls the functions whose names begin with on_ (see mkdocs.yml).
"""

from __future__ import annotations

import importlib
import inspect
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PUBLIC = (
    "parlour",
    "parlour.games.diplomacy",
    "parlour.games.fish",
    "parlour.deepmind",
    "parlour.envs",
    "parlour.testing",
)
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made from the code and from README."""
    made = {"index.md": _readme(), "reference/cli.md": _commands(), "reference/python.md": _names()}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Name files outside the documentation instead of linking to them: a site does not hold them."""
    here = posixpath.dirname(page.file.src_uri)

    def within(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", here, link[2]))
        return (
            link[0] if target.startswith("docs/") else f"{link[1]} (`{target}`)" if link[1] != target else f"`{target}`"
        )

    return _LINK.sub(within, markdown)


def _readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")


def _commands() -> str:
    from parlour.cli import parlour

    parts = ["# The command line", "", "What `--help` says, verb by verb.", ""]
    for name, command in _every(parlour, "parlour"):
        context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100)
        parts += [f"## `{name}`", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(parts)


def _every(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for verb in command.list_commands(context):
            found = command.get_command(context, verb)
            if found is not None:
                yield from _every(found, f"{name} {verb}")


def _names() -> str:
    parts = ["# From Python", "", "The public names, with what they say of themselves.", ""]
    for module in PUBLIC:
        found = importlib.import_module(module)
        parts += [f"## `{module}`", "", _plain(inspect.getdoc(found)), ""]
        for name in sorted(getattr(found, "__all__", ())):
            parts += _entry(name, getattr(found, name))
    return "\n".join(parts)


def _entry(name: str, value: Any) -> list[str]:
    if inspect.ismodule(value) or not (inspect.isclass(value) or callable(value)):
        return [f"### `{name}`", ""]
    try:
        signature = re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(value)))
    except (TypeError, ValueError):
        signature = "(...)"
    lines = [f"### `{name}`", "", "```python", f"{name}{signature}", "```", "", _plain(inspect.getdoc(value)), ""]
    if inspect.isclass(value):
        for method, function in vars(value).items():
            if method.startswith("_") or not (callable(function) or isinstance(function, property)):
                continue
            if (said := inspect.getdoc(getattr(value, method))) is not None:
                lines.append(f"- `{method}`: {_plain(said).splitlines()[0]}")
        lines.append("")
    return lines


def _plain(text: str | None) -> str:
    """A docstring as Markdown: its dialogues as code, angle brackets as text."""
    lines = (text or "").split("\n>>>", 1)
    said = lines[0].replace("<", "&lt;").replace("|", "\\|")
    return said if len(lines) == 1 else f"{said}\n```python\n>>>{lines[1]}\n```"
