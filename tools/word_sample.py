"""Draws a sample of the project's texts to be read without context: `python tools/word_sample.py SEED [COUNT]`.

Prints docstrings, half as many comments, all option texts, and sentences of the documentation, each with its place.
The reader marks texts that are not clear at first reading, and rewrites them and similar ones.
"""

from __future__ import annotations

import ast
import io
import random
import re
import sys
import tokenize
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click

from parlour.cli import parlour

ROOT = Path(__file__).parents[1]
DIRECTIVE = re.compile(r"#\s*(type:|noqa|pragma|cython|fmt:|distutils|!)")
"""Comments for tools, which are not for readers."""
PROSE = re.compile(r"(?<=[.!?])(?:\*\*)?\s+(?=[A-Z`*])")
"""The gap between two sentences."""
PARTS = re.compile(r"\n\s*\n|^\s*(?:[*-]|\d+\.)\s+", re.MULTILINE)
"""The gap between two paragraphs, or the mark of an item of a list."""


def docstrings(source: Path) -> Iterator[str]:
    """Yield the docstrings of a module, its classes and its functions, and texts below attributes."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        body = getattr(node, "body", None)
        for child in body if isinstance(body, list) else ():
            if (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
            ):
                yield f"{source.relative_to(ROOT)}:{child.lineno}: {' '.join(child.value.value.split())}"


def comments(source: Path) -> Iterator[str]:
    """Yield the comments of a module, without those that are for tools."""
    with tokenize.open(source) as file:
        lines = io.StringIO(file.read())
    for token in tokenize.generate_tokens(lines.readline):
        if token.type == tokenize.COMMENT and not DIRECTIVE.match(token.string):
            yield f"{source.relative_to(ROOT)}:{token.start[0]}: {token.string}"


def sentences(page: Path) -> Iterator[str]:
    """Yield the sentences of a page, without code, tables and headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for block in PARTS.split(text):
        if block.strip() and not re.match(r"\s*([#|<!:]|\.\. )", block):
            for sentence in PROSE.split(" ".join(block.split())):
                yield f"{page.relative_to(ROOT)}: {sentence}"


def option_texts(command: click.Command, path: str = "parlour") -> Iterator[str]:
    """Yield the help text of each option of a command and of the commands below it."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield f"{path} {'/'.join(parameter.opts)}: {parameter.help}"
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                if below is not None:
                    yield from option_texts(below, f"{path} {name}")


def main(seed: int, count: int) -> None:
    """Print the sample that belongs to a seed."""
    draw = random.Random(seed)
    modules = sorted((ROOT / "src").rglob("*.py"))
    pages = [
        ROOT / "README.md",
        *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "documents"),
    ]
    drawn = {
        "docstrings": (sorted(chain.from_iterable(map(docstrings, modules))), count),
        "comments": (sorted(chain.from_iterable(map(comments, modules))), count // 2),
        "option texts": (list(dict.fromkeys(option_texts(parlour))), None),
        "sentences of the documentation": (sorted(chain.from_iterable(map(sentences, pages))), count),
    }
    for title, (found, wanted) in drawn.items():
        print(f"== {title}")
        chosen = found if wanted is None else sorted(draw.sample(found, min(wanted, len(found))))
        print("\n".join(chosen))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 120)
