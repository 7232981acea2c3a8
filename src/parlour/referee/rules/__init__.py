"""The rules of a match by subject: the ruling on each intent, beside the changes that its event makes.

A new rule is an intent in core/intents.py, an event in core/events.py, and here the ruling (rules_on) and the fold
(folds). For the audit of records an event repeats the fields of its intent; where it cannot, led_to_by infers them.
"""

from parlour.referee.rules import budgets, endings, pauses, penalties, press, seals, seating, turns

__all__ = ["budgets", "endings", "pauses", "penalties", "press", "seals", "seating", "turns"]
