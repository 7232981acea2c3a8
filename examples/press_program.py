"""A program that negotiates, without Parlour: it offers peace to all, agrees to any peace, and stays where it is.

Run: parlour play diplomacy --press --agent "python3 examples/press_program.py" --agent peace
"""

import json
import sys
from typing import Any


def write(line: dict[str, Any]) -> None:
    """Write a line and flush it."""
    print(json.dumps(line), flush=True)


def main() -> None:
    """Read lines and write the answer to each."""
    write({"press": True})  # first of all: that it negotiates
    me = ""
    bots, friends, awaited = set[str](), set[str](), set[str]()
    action: dict[str, Any] | None = None
    for line in sys.stdin:
        ((kind, about),) = json.loads(line).items()
        if kind == "start":
            me = about["seat"]
            players = about.get("press", {}).get("players", {})  # there is no "press" in a match without it
            bots = {seat for seat, player_type in players.items() if player_type == "press_bot"} - {me}
        elif kind == "ask":
            action = {"turn": about["turn"], "action": []}  # units without an order hold
            if bots and about["stage"] == "orders":
                write({"ready": True})
                continue  # the action comes last, when the talk is over
        elif kind == "opened":
            awaited = bots - friends
            for seat in awaited:
                write({"say": {"to": [seat], "text": f"PRP (PCE ({me[:3]} {seat[:3]}))"}})
        elif kind == "heard":
            words = about["text"].replace("(", " ( ").split()
            if words[0] == "PRP":
                answer = "YES" if words[2:3] == ["PCE"] else "REJ"
                parties = {about["from"], *about["to"]} - {me}
                write({"say": {"to": sorted(parties), "text": f"{answer} ({about['text']})"}})
            elif words[0] in ("YES", "REJ", "HUH"):
                awaited -= {about["from"]}
                friends |= {about["from"]} if words[0] == "YES" else set()
        elif kind in ("closed", "refused"):
            awaited = set()
        if action and not awaited:
            write(action)
            action = None


if __name__ == "__main__":
    main()
