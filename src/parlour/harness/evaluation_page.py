"""The first page of an evaluation: models, games, differences, and links into its folder."""

from __future__ import annotations

from html import escape

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
    parts = [f"<h1>{escape(title)}</h1>", *(f"<p><code>{escape(agent)}</code></p>" for agent in found.request.models)]
    for result in found.games:
        parts.append(f"<h2>{escape(result.game.capitalize())}</h2>")
        parts.append(f"<pre>{escape(chr(10).join(result.lines(found.models)))}</pre>")
        page = escape(f"{result.game}.html", quote=True)
        parts.append(f'<p><a href="{page}">all figures, seats and replays</a>; records in records/{result.game}</p>')
    parts.append(f"<p>{escape(HEADINGS.capitalize())}.</p>")
    parts.append("<p>Scores are means over seats; ± is 95 %. The same seed gives the same deals to every model.</p>")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{"".join(parts)}\n</body></html>\n'
