"""The guide for a first visit: small puzzles on the map, whose solutions the adjudicator checks."""

from __future__ import annotations

from typing import Any

import msgspec

from parlour.core.declaration import fetch
from parlour.core.game import Plain
from parlour.errors import ConfigError
from parlour.games import declared
from parlour.web import sandbox


class LessonQuestion(msgspec.Struct, frozen=True):
    """A question of the guide's page."""

    lesson: int
    orders: list[str] = []
    judge: bool = False


def answer(question: LessonQuestion) -> dict[str, Any]:
    """Return a lesson as the page shows it, and the result of a solution if there is one."""
    lessons = fetch(declared(sandbox.GAME).lessons)
    if not 0 <= question.lesson < len(lessons):
        raise ConfigError(f"lesson: expected 0 to {len(lessons) - 1}", field="lesson")
    lesson = lessons[question.lesson]
    own: list[Plain] = [*question.orders]
    orders: dict[str, Plain] = {lesson.power: own}
    if question.judge:
        orders |= {power: [*theirs] for power, theirs in lesson.others.items()}
    found = sandbox.answer(sandbox.SandboxQuestion(position=lesson.position, orders=orders, judge=question.judge))
    found["choices"] = {lesson.power: found["choices"].get(lesson.power, [])}
    found |= {
        "power": lesson.power,
        "title": lesson.title,
        "words": lesson.words,
        "titles": [one.title for one in lessons],
    }
    if question.judge:
        solved = lesson.is_solved(found["after"])
        found |= {"solved": solved, "hint": "" if solved else lesson.hint}
    return found
