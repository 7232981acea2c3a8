"""A base for objects that are given to strangers: once made they cannot be changed."""

from __future__ import annotations


class Immutable:
    """An object whose attributes cannot be changed. Its constructor puts fields into __dict__.

    Properties that are computed once still work, for they keep their answer there too. Nothing stops a program that
    goes behind the names; but nobody changes a match by mistake.
    """

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed, so {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed, so {name!r} cannot be deleted")
