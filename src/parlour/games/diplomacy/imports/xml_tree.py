"""Reads untrusted XML into a small tree: no entities, no external files, bounded in depth and number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from parlour.errors import MapError

MAX_DEPTH = 16
MAX_NODES = 20_000


@dataclass
class XmlNode:
    """An element: its name, attributes, line and children."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[XmlNode] = field(default_factory=list)

    def every(self, name: str) -> Iterator[XmlNode]:
        """Return the children of that name."""
        return (child for child in self.children if child.name == name)

    def get(self, attribute: str, default: str = "") -> str:
        """Return an attribute without blanks around it."""
        return self.attributes.get(attribute, default).strip()


class TreeReader:
    """A reader of one document; it raises MapError with the line and the reason."""

    def __init__(self, text: str, path: str) -> None:
        self._text, self._path = text, path
        self._root = XmlNode("", {}, 0)
        self._open = [self._root]
        self._count = 0

    def root(self) -> XmlNode:
        """Return the outermost element."""
        parser = self._parser = expat.ParserCreate()
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = lambda name: self._open.pop()
        parser.EntityDeclHandler = lambda *_: self._fail("entities are not read")
        parser.ExternalEntityRefHandler = lambda *_: self._fail("other files are not read")
        try:
            parser.Parse(self._text, True)
        except expat.ExpatError as error:
            raise MapError(f"not XML: {expat.ErrorString(error.code)}", path=self._path, line=error.lineno) from None
        return self._root.children[0]

    def _fail(self, reason: str) -> NoReturn:
        raise MapError(reason, path=self._path, line=self._parser.CurrentLineNumber)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_NODES:
            self._fail(f"more than {MAX_NODES} elements")
        if len(self._open) > MAX_DEPTH:
            self._fail(f"elements within more than {MAX_DEPTH} others")
        node = XmlNode(name, attributes, self._parser.CurrentLineNumber)
        self._open[-1].children.append(node)
        self._open.append(node)
