"""The published code as a user has it: its Observation and Season, if it is importable.

That code compares observations by mapping over their class and tests a season by identity, so it must get its own
classes back. It is the namespace package `diplomacy` with a folder `environment`; the package of that name on package
indexes is another one, and hides it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from parlour.deepmind.observation import Observation
from parlour.errors import ConfigError

MODULE = "diplomacy.environment.observation_utils"

AsSeen = Callable[[Observation], Any]
"""A function that turns our observation into the one that callers receive."""


def as_published(wanted: bool | None) -> AsSeen | None:
    """Return a function that turns observations into the published classes; None for ours.

    With `wanted` None, the published classes are used if that code is importable. Raise ConfigError if it is wanted
    and is not importable.
    """
    module = None if wanted is False else sys.modules.get(MODULE) or _found()
    if module is None:
        if wanted:
            raise ConfigError(f"published: {MODULE} is not importable", field="published")
        return None
    observation, season = module.Observation, module.Season
    return lambda seen: observation(season(int(seen.season)), *seen[1:])


@cache
def _found() -> ModuleType | None:
    """Return the imported module, or None; another package of that name is not imported."""
    package, _, path = MODULE.partition(".")
    spec = importlib.util.find_spec(package)
    file = Path(*path.split(".")).with_suffix(".py")
    places = () if spec is None else spec.submodule_search_locations or ()
    return importlib.import_module(MODULE) if any((Path(place) / file).is_file() for place in places) else None
