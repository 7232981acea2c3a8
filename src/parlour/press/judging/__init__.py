"""The judgement of a phase: executed orders beside promises, findings, excuses, stabs."""
