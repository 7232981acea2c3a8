"""A password hash that costs next to nothing."""

from __future__ import annotations

import argon2

QUICK = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
