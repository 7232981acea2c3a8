"""The rules of a match by subject: the ruling on each intent, beside the changes that its event makes.

A new rule is an intent in core/intents.py, an event in core/events.py, and here the ruling (rules_on), the fold (folds)
and, for the audit of records, the intents that may have led to the event (led_to_by).
"""

from parlour.referee.rules import budgets, endings, pauses, penalties, press, seals, seating, turns

__all__ = ["budgets", "endings", "pauses", "penalties", "press", "seals", "seating", "turns"]
