"""Models for tests: scripts that answer prompts without a network, and an endpoint that misbehaves in twelve ways."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from parlour.agents.llm.endpoint import ModelQuestion, ModelReply

Script = Callable[[str, str], str]
"""Takes the system text and the last message; gives what the model writes."""


class Model:
    """A model that answers by a script; counts its tokens as a provider does."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[ModelQuestion] = []

    def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
        self.asked.append(question)
        text = self.script(question.messages[0][1], question.messages[-1][1])
        tokens = sum(len(part) for _, part in question.messages) // 4
        return ModelReply(text, "stop", tokens, len(text) // 4, 0, True, seconds=0.25)


def legal_orders(prompt: str) -> list[list[str]]:
    """The orders that a prompt lists, for each unit or build in a list of its own, in the order of the prompt."""
    part = prompt.partition("# Legal orders, by unit\n")[2].partition("\n\n")[0]
    found: list[list[str]] = []
    for line in part.splitlines():
        if line.startswith("("):
            continue  # it says that there are more
        unit, _, rest = line.partition(": ")
        orders = []
        for group in rest.split("; "):
            verb, *places = group.split(" ")
            if verb in ("S", "C"):
                other, ends = " ".join(places[:2]).rstrip(":"), places[2:]
                orders += [f"{unit} {verb} {other}" + ("" if end == "H" else f" - {_place(end)}") for end in ends]
            elif verb in ("-", "R"):
                orders += [f"{unit} {verb} {_place(place)}" for place in places]
            else:
                orders.append(f"{unit} {verb}")
        found.append(orders if rest else [line])
    return found


def _place(text: str) -> str:
    return text.replace("_", " ")


def answer(**fields: Any) -> str:
    return "Let me think. {not this} " + json.dumps(fields)


def plain_player(system: str, prompt: str) -> str:
    """Plays Diplomacy: proposes peace to all, agrees to all, and gives each unit an order by its place in the list."""
    if "It is talk" in prompt:
        waiting = [int(n) for n in re.findall(r"n=(\d+) of \w+ waits for your answer", prompt)]
        say = []
        if "It is talk 1 of" in prompt:
            me, others = _powers(system)
            say = [{"to": [name], "press": f"PRP ( PCE ( {me} {word} ) )"} for word, name in others]
        return answer(answer=[{"n": n, "yes": True} for n in waiting], say=say, done=not say)
    if "You may build" in prompt or "You must disband" in prompt:
        count = int(re.findall(r"(?:build|disband) (\d+)", prompt)[-1])
        choices = {one[0].split()[1]: one[0] for one in legal_orders(prompt) if one != ["WAIVE"]}
        orders = list(choices.values())[:count]
        return answer(orders=orders + ["WAIVE"] * (count - len(orders)), note="winter")
    orders = [one[(3 * number + 1) % len(one)] for number, one in enumerate(legal_orders(prompt))]
    return answer(orders=orders, note="as planned")


def _powers(system: str) -> tuple[str, list[tuple[str, str]]]:
    me = re.findall(r"Units: \( (\w+) AMY", system)[0]
    pairs = re.findall(r"Powers: ([^.]*)\.", system)[0].split(", ")
    others = [(pair.split()[0], pair.split()[1]) for pair in pairs]
    return me, [pair for pair in others if pair[0] != me]


def plain_angler(system: str, prompt: str) -> str:
    """Plays Fish: the last legal action."""
    legal = prompt.partition("Legal: ")[2].partition("\n")[0].split(" ")
    return answer(action=json.loads(legal[-1] or "null"))


FAULTS = (
    "429",
    "500",
    "hang",
    "cut",
    "empty",
    "prose",
    "two objects",
    "wrong type",
    "schema ignored",
    "reasoning only",
    "no usage",
    "bad UTF-8",
)
"""Ways in which endpoints misbehave."""


class FakeEndpoint:
    """An endpoint of the chat protocol on a port of this machine. It answers by a script, or with a fault."""

    def __init__(self, script: Script, fault: str = "") -> None:
        self.script, self.fault = script, fault
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.bodies.append(body)
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                outer.answer(self, body)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> FakeEndpoint:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, to: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        fault = self.fault
        if fault in ("429", "500"):
            self._refuse(to, int(fault))
            return
        text = self.script(body["messages"][0]["content"], body["messages"][-1]["content"])
        text = {
            "empty": "",
            "reasoning only": "",
            "prose": "I would move to the west, for there are more fish. { That is all.",
            "two objects": '{"action": "first I thought so", "orders": "no"} but then: ' + text,
            "wrong type": json.dumps({"action": {"go": "west"}, "orders": "A PAR - BUR"}),
            "schema ignored": json.dumps({"move": "west"}),
        }.get(fault, text)
        to.send_response(200)
        to.send_header("content-type", "text/event-stream")
        to.end_headers()
        half = len(text) // 2
        for part in (text[:half], text[half:]):
            self._piece(to, {"choices": [{"delta": {"content": part}}]}, broken=fault == "bad UTF-8")
            if fault == "hang":
                self.released.wait(20)
                return
            if fault == "cut":
                return
        if fault == "reasoning only":
            self._piece(to, {"choices": [{"delta": {"reasoning_content": '{"action": [0, 0]}'}}]})
        self._piece(to, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
        if fault != "no usage":
            usage = {
                "prompt_tokens": 1000,
                "completion_tokens": 50,
                "completion_tokens_details": {"reasoning_tokens": 10},
            }
            self._piece(to, {"choices": [], "usage": usage})
        to.wfile.write(b"data: [DONE]\n\n")

    @staticmethod
    def _refuse(to: BaseHTTPRequestHandler, status: int) -> None:
        # Providers quote what they were sent.
        said = json.dumps({"error": {"message": f"not now, {to.headers.get('authorization')}"}}).encode()
        to.send_response(status)
        to.send_header("content-length", str(len(said)))
        to.send_header("retry-after", "0")
        to.end_headers()
        to.wfile.write(said)

    @staticmethod
    def _piece(to: BaseHTTPRequestHandler, value: dict[str, Any], *, broken: bool = False) -> None:
        payload = json.dumps(value).encode()
        if broken:
            payload = payload.replace(b'"content": "', b'"content": "\xff\xfe', 1)
        to.wfile.write(b"data: " + payload + b"\n\n")
        to.wfile.flush()
