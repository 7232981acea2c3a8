"""Plays one match on a server with models behind an endpoint: `python -m parlour_env.episode --game fish`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.request
from typing import Any

from parlour_env import ParlourAction, ParlourEnv


def asked(endpoint: str, model: str, messages: list[dict[str, str]], max_tokens: int) -> ParlourAction:
    """Ask a model once."""
    body = {"model": model, "messages": messages, "max_tokens": max_tokens}
    key = os.environ.get("OPENAI_API_KEY", "none")
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{endpoint}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=600) as answer:
        found: dict[str, Any] = json.loads(answer.read())
    choice, usage = found["choices"][0], found.get("usage") or {}
    return ParlourAction(
        text=choice["message"]["content"] or "",
        tokens_in=usage.get("prompt_tokens"),
        tokens_out=usage.get("completion_tokens"),
        finish=choice.get("finish_reason") or "stop",
    )


def main() -> int:
    """Play, and print a line per seat; exit code 1 if the match says nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default="http://127.0.0.1:8000", help="Address of the server.")
    parser.add_argument("--endpoint", default="http://127.0.0.1:18431/v1", help="Address of the models.")
    parser.add_argument("--game", default="diplomacy", help="diplomacy or fish.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of the match.")
    parser.add_argument("--model", default="fake", help="Model of every seat.")
    parser.add_argument("--seat", action="append", default=[], metavar="SEAT=MODEL", help="Another model for a seat.")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=JSON", help="A setting of reset.")
    chosen = parser.parse_args()
    models = dict(one.split("=", 1) for one in chosen.seat)
    settings = {name: json.loads(value) for name, value in (one.split("=", 1) for one in chosen.set)}
    with ParlourEnv(base_url=chosen.server).sync() as env:
        result = env.reset(seed=chosen.seed, game=chosen.game, **settings)
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
