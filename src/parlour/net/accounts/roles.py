"""What an account is on the whole server. What it is in one match, sessions say."""

from __future__ import annotations

from enum import StrEnum


class AccountRole(StrEnum):
    """The administrator may do everything everywhere; everybody else what they are in a match."""

    PLAYER = ""
    ADMIN = "admin"
