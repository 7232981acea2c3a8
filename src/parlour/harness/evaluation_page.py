"""The first page of an evaluation: models, games, differences, and links into its folder."""

from __future__ import annotations

from parlour.core.markup import document, joined, tag
from parlour.harness.evaluation import HEADINGS, Evaluation

_STYLE = """
:root { color-scheme: light dark }
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; font: 15px/1.45 system-ui, sans-serif }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
pre { overflow-x: auto; font: 13px/1.5 ui-monospace, monospace }
"""


def evaluation_page(found: Evaluation) -> str:
    """Return the page as self-contained HTML."""
    title = f"{' and '.join(found.models)}, compared"
    parts = [tag("h1", title), *(tag("p", tag("code", agent)) for agent in found.request.models)]
    for result in found.games:
        page = tag("a", "all figures, seats and replays", href=f"{result.game}.html")
        parts += [tag("h2", result.game.capitalize()), tag("pre", "\n".join(result.lines(found.models)))]
        parts.append(tag("p", page, f"; records in records/{result.game}"))
    scores = "Scores are means over seats; ± is 95 %. The same seed gives the same deals to every model."
    parts += [tag("p", f"{HEADINGS.capitalize()}."), tag("p", scores)]
    return document(title, _STYLE, joined(parts))
