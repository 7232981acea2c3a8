"""Role of an account on the whole server. Sessions decide its role in a match."""

from __future__ import annotations

from enum import StrEnum


class AccountRole(StrEnum):
    """The administrator may do everything everywhere; everybody else what they are in a match."""

    PLAYER = ""
    ADMIN = "admin"
