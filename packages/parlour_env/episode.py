"""Plays one match on a server with models behind an endpoint: `python -m parlour_env.episode --game fish`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.request
from http.client import HTTPException
from typing import Any

from parlour_env import ParlourAction, ParlourEnv

MAX_BODY = 8 << 20
"""Maximum bytes of an answer."""


def asked(endpoint: str, model: str, messages: list[dict[str, str]], max_tokens: int) -> ParlourAction:
    """Call a model once; return a failed call as an action with a fault."""
    body = {"model": model, "messages": messages, "max_tokens": max_tokens}
    key = os.environ.get("OPENAI_API_KEY", "none")
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{endpoint}/chat/completions", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            found: dict[str, Any] = json.loads(answer.read(MAX_BODY))
        choice, usage = found["choices"][0], found.get("usage") or {}
        return ParlourAction(
            text=choice["message"]["content"] or "",
            tokens_in=usage.get("prompt_tokens"),
            tokens_out=usage.get("completion_tokens"),
            finish=choice.get("finish_reason") or "stop",
        )
    except (OSError, HTTPException) as error:
        return ParlourAction(text="", fault=str(error) or type(error).__name__)
    except (ValueError, LookupError, TypeError, AttributeError):
        return ParlourAction(text="", fault="the endpoint sent something else than a chat completion")


def main() -> int:
    """Play a match and print a line per seat; exit with 1 if the match has no result."""
    chosen = _options()
    try:
        return _play(chosen)
    except (OSError, RuntimeError) as error:  # no server, or one that refused a setting
        print(str(error).splitlines()[0] if str(error) else type(error).__name__, file=sys.stderr)
        return 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default="http://127.0.0.1:8000", help="Address of the server.")
    parser.add_argument("--endpoint", default="http://127.0.0.1:18431/v1", help="Address of the models.")
    parser.add_argument("--game", default="diplomacy", help="diplomacy or fish.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of the match.")
    parser.add_argument("--model", default="fake", help="Model of every seat.")
    parser.add_argument(
        "--seat", action="append", default=[], type=_pair, metavar="SEAT=MODEL", help="Another model for a seat."
    )
    parser.add_argument(
        "--set", action="append", default=[], type=_setting, metavar="NAME=JSON", help="A setting of reset."
    )
    return parser.parse_args()


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r:.60}")
    return name, value


def _setting(text: str) -> tuple[str, Any]:
    name, value = _pair(text)
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        expected = 'expected JSON, such as true, 3 or "text"'
        raise argparse.ArgumentTypeError(f"{name}: {expected}, got {value!r:.60}") from None


def _play(chosen: argparse.Namespace) -> int:
    models = dict(chosen.seat)
    with ParlourEnv(base_url=chosen.server).sync() as env:
        result = env.reset(**{"seed": chosen.seed, "game": chosen.game} | dict(chosen.set))
        steps = 0
        while not result.done:
            seen = result.observation
            model = models.get(seen.seat, chosen.model)
            result = env.step(asked(chosen.endpoint, model, seen.messages, seen.max_tokens))
            steps += 1
    last = result.observation
    print(f"{steps} steps, record {last.sha256}")
    print("seat      reward  legal   kept  broken   tokens")
    for seat, row in last.rows.items():
        figures = f"{row['reward']:6.3f}  {row['legality']:5.0%}  {row['kept']:5.0f}  {row['broken']:6.0f}"
        print(f"{seat:8} {figures}  {row['tokens']:7.0f}")
    if last.void:
        print(f"void: {last.void}", file=sys.stderr)
    return 1 if last.void else 0


if __name__ == "__main__":
    sys.exit(main())
