"""The judgement of a phase: deeds beside promises, findings, excuses, stabs."""
