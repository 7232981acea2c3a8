"""Rules under which one account may have several powers."""

from __future__ import annotations

SEVERAL = ["POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER"]
