"""Checks that docstrings of the public API are complete: `python tools/public_api.py [MODULE ...]`.

They describe the arguments and the result, and name each exception that the function itself raises.

A constructor's arguments may be described in the class. Constructors that a dataclass or a struct generates have the
descriptions of their fields.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "python.md"
"""The page that lists the public modules."""
GENERATED = ("__dataclass_fields__", "__struct_fields__", "_is_protocol")
"""Attributes of classes whose constructor is generated."""


def public_modules() -> list[str]:
    """Return the modules that the page on Python documents."""
    return re.findall(r"^\.\. automodule:: (\S+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def functions(module: str) -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Yield name, function and docstring of each public function, method and hand-written constructor."""
    found = importlib.import_module(module)
    for name in found.__all__:
        value = getattr(found, name)
        if inspect.isfunction(value):
            yield f"{module}.{name}", value, value.__doc__ or ""
        elif inspect.isclass(value) and value.__module__.split(".")[0] == module.split(".")[0]:
            for own, raw in vars(value).items():
                method = getattr(raw, "__func__", raw)
                if not inspect.isfunction(method) or (own.startswith("_") and own != "__init__"):
                    continue
                text = method.__doc__ or ""
                if own == "__init__":
                    if any(hasattr(value, mark) for mark in GENERATED):
                        continue
                    text += value.__doc__ or ""
                yield f"{module}.{name}.{own}", method, text


def undescribed(function: Callable[..., Any], text: str) -> list[str]:
    """Return the arguments that a docstring does not name."""
    arguments = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    return [name for name in arguments if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]


def hides_its_result(function: Callable[..., Any], text: str) -> bool:
    """Return True if a function returns something and its docstring does not say what."""
    returned = function.__annotations__.get("return")
    return returned not in (None, "None") and not re.search(r"\b(?:returns?|yields?)\b", text, re.IGNORECASE)


def unnamed_errors(function: Callable[..., Any], text: str) -> list[str]:
    """Return the exceptions that a function raises in its own body and that its docstring does not name."""
    body = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raised = {
        node.exc.func.id
        for node in ast.walk(body)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name)
    }
    return sorted(name for name in raised if name not in text)


def main() -> None:
    """Check the modules named, or all public ones."""
    found = set()
    for module in sys.argv[1:] or public_modules():
        for name, function, text in functions(module):
            if missing := undescribed(function, text):
                found.add(f"{name}: describe {', '.join(missing)}")
            elif not text.strip():
                found.add(f"{name}: has no docstring")
            elif hides_its_result(function, text):
                found.add(f"{name}: say what it returns")
            elif errors := unnamed_errors(function, text):
                found.add(f"{name}: name {', '.join(errors)}")
    print("\n".join(sorted(found)) or "public API: described")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
