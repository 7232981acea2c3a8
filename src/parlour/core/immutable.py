"""A base class for objects that players receive: attributes cannot be changed after construction."""

from __future__ import annotations


class Immutable:
    """An object whose attributes cannot be changed. Its constructor puts fields into __dict__.

    A cached_property still works, because it stores its value there too. This prevents mistakes, not deliberate changes
    through __dict__.
    """

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed, so {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed, so {name!r} cannot be deleted")
