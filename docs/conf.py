"""The documentation site: Sphinx reads the Markdown pages, README, the docstrings and the help of the command line.

`make docs` builds it. Nothing in the site comes from another server, and its search works offline.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import click
from docutils import nodes
from docutils.parsers.rst import Directive

from parlour import __version__
from parlour.cli import parlour

ROOT = Path(__file__).parents[1]
project = "Parlour"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
root_doc = "index"
html_theme = "furo"
html_title = "Parlour"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
autodoc_type_aliases = {name: name for name in ("Action", "Event", "Happened", "Intent", "Plain")}
default_role = "code"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "separated"
autodoc_member_order = "groupwise"
python_maximum_signature_line_length = 90
suppress_warnings = ["misc.highlighting_failure", "ref.python"]
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


class Commands(Directive):
    """Lists every verb of the command line with its help."""

    def run(self) -> list[nodes.Node]:
        """Return a section per verb."""
        return [self._section(name, command) for name, command in _every(parlour, "parlour")]

    def _section(self, name: str, command: click.Command) -> nodes.section:
        context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100)
        section = nodes.section(ids=[nodes.make_id(name)], names=[nodes.fully_normalize_name(name)])
        section += nodes.title("", "", nodes.literal("", name))
        section += nodes.literal_block(command.get_help(context), command.get_help(context), language="text")
        return section


def _every(command: click.Command, name: str) -> list[tuple[str, click.Command]]:
    """Return a command and all commands below it, each with its full name."""
    found = [(name, command)]
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for verb in command.list_commands(context):
            if (inner := command.get_command(context, verb)) is not None:
                found += _every(inner, f"{name} {verb}")
    return found


def _named(_app: object, page: str, source: list[str]) -> None:
    """Replace links to files outside the documentation, which a site does not hold, by their names."""
    here = posixpath.dirname(page)

    def within(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", here, link[2]))
        if target.startswith("docs/"):
            return link[0]
        return f"`{target}`" if link[1] == target else f"{link[1]} (`{target}`)"

    source[0] = _LINK.sub(within, source[0])


def setup(app: Any) -> dict[str, bool]:
    """Register the directive and the filter."""
    app.add_directive("parlour-commands", Commands)
    app.connect("source-read", _named)
    return {"parallel_read_safe": True}
