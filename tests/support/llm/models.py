"""Models for tests: scripts that answer prompts without a network, and an endpoint that misbehaves in twelve ways."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from parlour.agents.llm.endpoint import ModelQuestion, ModelReply
from parlour.testing import endpoint
from parlour.testing.model_scripts import Messages
from parlour.testing.model_scripts import legal_orders as legal_orders

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


class FakeEndpoint(endpoint.FakeEndpoint):
    """The endpoint that ships, which keeps what it was asked and has one of our faults each time."""

    def __init__(self, script: Script, fault: str = "") -> None:
        shipped = {fault: 1} if fault in ("hang", "cut", "no usage") else {}
        super().__init__(lambda messages: self._worded(script(messages[0][1], messages[-1][1])), faults=shipped)
        self.fault = fault
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    def answer(self, to: endpoint.ChatRequest, body: Any) -> None:
        to.protocol_version = "HTTP/1.0"  # so that no client keeps a connection beyond its test
        self.bodies.append(body)
        self.headers.append({name.lower(): value for name, value in to.headers.items()})
        if self.fault == "newer" and "max_tokens" in body:
            to.refuse(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        elif self.fault == "400":
            to.refuse(400, "The model `m` does not exist.")
        elif self.fault in ("429", "500"):
            to.refuse(
                int(self.fault), f"not now, {to.headers.get('authorization')}"
            )  # providers quote what they were sent
        elif self.fault == "reasoning only":
            thought = {"choices": [{"delta": {"reasoning_content": '{"action": [0, 0]}'}}]}
            end = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": self.usage((), "")}
            to.events([json.dumps(event).encode() for event in (thought, end)])
        elif self.fault == "bad UTF-8":
            to.events([b'{"choices": [{"delta": {"content": "\xff\xfe"}}]}'])
        else:
            super().answer(to, body)

    def usage(self, messages: Messages, text: str) -> dict[str, Any]:
        details = {"reasoning_tokens": 10}
        return {"prompt_tokens": 1000, "completion_tokens": 50, "completion_tokens_details": details}

    def _worded(self, text: str) -> str:
        return {
            "empty": "",
            "prose": "I would move to the west, for there are more fish. { That is all.",
            "two objects": '{"action": "first I thought so", "orders": "no"} but then: ' + text,
            "wrong type": json.dumps({"action": {"go": "west"}, "orders": "A PAR - BUR"}),
            "schema ignored": json.dumps({"move": "west"}),
        }.get(self.fault, text)
