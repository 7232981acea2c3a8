"""Packs a match into one page: modules as one script, style sheet and data inline, with no other files."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from functools import cache
from pathlib import Path

import msgspec

from parlour.core.markup import Html, joined, tag
from parlour.web.stories import Story

STATIC = Path(__file__).with_name("static")

_IMPORT = re.compile(r'^import (?:(\w+)|\{([^}]*)\}) from "\./([\w.-]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) )", re.MULTILINE)
_LIST = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*//[^\n]*$|/\*\*(?:(?!\*/).)*\*/ ?", re.MULTILINE | re.DOTALL)
_DECLARED = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


def replay_page(story: Story) -> str:
    """Return the match as a single page that needs no server."""
    script = bundled("replay.js")
    style = (STATIC / "parlour.css").read_text(encoding="utf-8")
    packed = base64.b64encode(gzip.compress(msgspec.json.encode(story), 9, mtime=0)).decode()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = (
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{story.title or story.game} · Parlour"),
        tag("style", Html(style)),
    )
    body = (
        tag("div", id="page"),
        tag("div", "\n", packed, "\n", id="match", hidden=True),
        tag("script", Html(script), type="module"),
    )
    whole = (tag("head", joined(head, "\n")), tag("body", joined(body, "\n"), class_="page-match"))
    return f"<!doctype html>\n{tag('html', joined(whole), lang='en')}\n"


def module(name: str) -> str:
    """Return a module without its comments, which are a quarter of it; each line stays where it was."""
    source = (STATIC / name).read_text(encoding="utf-8")
    return _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), source)


def bundled(entry: str) -> str:
    """Return a module and all that it imports as one module, without indentation. No template literal spans lines."""
    parts = [_module(name, module(name), entry) for name in modules(entry)]
    script = re.sub(r"\n\s+", "\n", "\n".join(parts))
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


@cache
def modules(entry: str) -> tuple[str, ...]:
    """Return the names of a module and of all that it imports, each after those that it needs."""
    order: dict[str, None] = {}

    def visit(name: str) -> None:
        for found in _IMPORT.finditer(module(name)):
            if found[3] not in order:
                visit(found[3])
        order[name] = None

    visit(entry)
    return tuple(order)


def _module(name: str, source: str, entry: str) -> str:
    """Return a module as a block with its exports in an object; the entry stays at top level, where it may await."""
    body = _IMPORT.sub(lambda found: f"const {{{found[2]}}} = {_variable(found[3])};\n", source)
    if name == entry:
        return body
    exported = [*_DECLARED.findall(source)]
    for listed in _LIST.findall(source):
        exported += [word.strip() for word in listed.split(",") if word.strip()]
    body = _LIST.sub("", _EXPORT.sub("", body))
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _variable(name: str) -> str:
    return "$" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
