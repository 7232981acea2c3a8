"""Reads the text that names an agent: its name and options, as in `search:budget=200` or `lookahead3`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType, NoneType
from typing import Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from parlour.core.game import Position
from parlour.core.player import Player
from parlour.core.text import hint
from parlour.errors import ConfigError

SEPARATOR, PAIRS, IS = ":", ",", "="
LONGEST = 40
"""Maximum number of characters of a number."""
SWITCH = {"1": True, "on": True, "true": True, "yes": True, "0": False, "off": False, "false": False, "no": False}


class NoOptions(msgspec.Struct, frozen=True):
    """The options of an agent that has none."""


OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Recipe(Generic[OptionsT]):
    """A recipe to make an agent from options and a seed.

    The options are a frozen Struct; each field is an int, float, bool, str or Literal with a default, and its Meta says
    the bounds and, in its description, what the value means. A number right after the name sets the field `number`,
    times `unit`; a first value without a name, such as a path, sets the field `bare`. If `read` is set, it turns
    the whole text after the name into options.
    """

    make: Callable[[OptionsT, int], Player]
    options: type[OptionsT]
    number: str = ""
    unit: int = 1
    bare: str = ""
    read: Callable[[str], OptionsT] | None = None
    refuses: Callable[[Position], str] | None = None
    """Returns the reason why the agent cannot play from a position, or an empty text; None if it plays any match."""


def split_spec(text: str) -> tuple[str, str]:
    """Return the name and the options in the text that names an agent."""
    name, _, options = text.partition(SEPARATOR)
    return name, options


def read_options(recipe: Recipe[OptionsT], name: str, number: str, text: str) -> OptionsT:
    """Return the options in a text such as `budget=200,seconds=1`; raise ConfigError with the allowed ones for any
    other.
    """
    given: dict[str, object] = {}
    if number:
        given[recipe.number] = _read_number(recipe, _kinds(recipe.options), name, number)
    first, _, rest = text.partition(PAIRS)
    if recipe.bare and first and IS not in first:
        text = f"{recipe.bare}{IS}{first}{PAIRS}{rest}"
    pairs = (pair.partition(IS) for pair in filter(None, text.split(PAIRS)))
    return read_pairs(recipe.options, name, ((field.strip(), value.strip()) for field, _, value in pairs), given)


def read_pairs(
    options: type[OptionsT],
    name: str,
    pairs: Iterable[tuple[str, str]],
    given: Mapping[str, object] = MappingProxyType({}),
) -> OptionsT:
    """Return the options of an agent from names and values; raise ConfigError with the allowed ones for any other."""
    allowed, found = _kinds(options), dict(given)
    for field, value in pairs:
        if field not in allowed:
            expected = f"expected {', '.join(allowed)}" if allowed else "it takes none"
            near = hint(field, allowed)
            raise ConfigError(f"agent: {name} has no option {field!r:.40}, {expected}{near}", field="agent")
        if field in found:
            raise ConfigError(f"agent: {name} was given {field} twice", field="agent")
        found[field] = read = allowed[field].read(value)
        if read is None:
            expected = allowed[field].expected()
            raise ConfigError(f"agent: {name}:{field}: expected {expected}, got {value!r:.40}", field="agent")
    return options(**found)


@lru_cache(maxsize=64)
def _kinds(options: type[msgspec.Struct]) -> Mapping[str, _Kind]:
    """Return the kinds of values that options take; read from their types once."""
    return {field: _Kind(hint) for field, hint in get_type_hints(options, include_extras=True).items()}


def _read_number(recipe: Recipe[OptionsT], allowed: Mapping[str, _Kind], name: str, number: str) -> object:
    """Return the value of a number that follows the name."""
    if not recipe.number:
        raise ConfigError(f"agent: {name!r} takes no number", field="agent")
    kind = allowed[recipe.number]
    value = kind.read(number, recipe.unit)
    if value is None:
        unit = f", in units of {recipe.unit}" if recipe.unit > 1 else ""
        raise ConfigError(f"agent: {name} takes a number{kind.bounds(recipe.unit)}{kind.meaning}{unit}", field="agent")
    return value


def described(options: type[msgspec.Struct]) -> dict[str, str]:
    """Return for each option its allowed values and its meaning, in words."""
    hints = get_type_hints(options, include_extras=True)
    defaults = dict(zip(options.__struct_fields__, options.__struct_defaults__, strict=True))
    return {
        field: f"{kind.expected()}{'' if defaults[field] is None else f'; {_written(defaults[field])} if not said'}"
        for field, kind in ((field, _Kind(hint)) for field, hint in hints.items())
    }


def _written(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


class _Kind:
    """The values that an option takes, from the type of its field."""

    def __init__(self, hint: object) -> None:
        notes = [note for note in get_args(hint) if isinstance(note, msgspec.Meta)]
        self._meta = notes[0] if notes else msgspec.Meta()
        bare = get_args(hint)[0] if notes else hint
        if get_origin(bare) is not Literal and (members := [m for m in get_args(bare) if m is not NoneType]):
            bare = members[0]
        self._words = get_args(bare) if get_origin(bare) is Literal else ()
        self._type = str if self._words else bare

    @property
    def meaning(self) -> str:
        """The meaning of the value, in parentheses."""
        return f" ({self._meta.description})" if self._meta.description else ""

    def expected(self) -> str:
        """Return the allowed values, in words."""
        if self._words:
            return f"{' or '.join(map(str, self._words))}{self.meaning}"
        if self._type is bool:
            return f"on or off{self.meaning}"
        if self._type is str:
            return f"a text{self.meaning}"
        return f"{'a whole number' if self._type is int else 'a number'}{self.bounds()}{self.meaning}"

    def bounds(self, unit: int = 1) -> str:
        """Return the bounds of a number, in units."""
        low, above, high = (
            None if bound is None else bound if unit == 1 else int(bound) // unit
            for bound in (self._meta.ge, self._meta.gt, self._meta.le)
        )
        if low is not None:
            return f" from {low}" if high is None else f" from {low} to {high}"
        first = "" if above is None else f" above {above}"
        return first if high is None else f"{first} up to {high}"

    def read(self, text: str, unit: int = 1) -> int | float | bool | str | None:
        """Return the value of a text, times a unit if it is a number; None if the option does not allow it."""
        if self._words:
            return text if text in self._words else None
        if self._type is str:
            return text or None
        if self._type is bool:
            return SWITCH.get(text.lower())
        try:
            value = (int(text) if self._type is int else float(text)) * unit if len(text) <= LONGEST else None
        except ValueError:
            return None
        return value if value is not None and self._is_within(value) else None

    def _is_within(self, value: float) -> bool:
        low, above, high = self._meta.ge, self._meta.gt, self._meta.le
        return (low is None or value >= low) and (above is None or value > above) and (high is None or value <= high)
