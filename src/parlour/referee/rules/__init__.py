"""The rules of a match by subject: the ruling of each intent and the changes by its event, side by side.

A new matter is an intent in core/intents.py, an event in core/events.py, and here the ruling (rules_on), the fold
(folds) and, for those who check records, which intents may have led to the event (led_to_by).
"""

from parlour.referee.rules import budgets, endings, pauses, penalties, press, seals, seating, turns

__all__ = ["budgets", "endings", "pauses", "penalties", "press", "seals", "seating", "turns"]
