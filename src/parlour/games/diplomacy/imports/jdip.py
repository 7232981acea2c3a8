"""Reads maps of jDip: a variants.xml, and the file of adjacencies that a variant names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from parlour.errors import MapError
from parlour.games.diplomacy.imports.draft import DraftPlace, DraftPower, MapDraft, map_name
from parlour.games.diplomacy.imports.xml_tree import TreeReader, XmlNode
from parlour.games.diplomacy.maps.calendar import FIRST_SEASONS
from parlour.games.diplomacy.maps.map import MAX_POWERS, MAX_PROVINCES, Builds, Ground

Include = Callable[[str], str]
_BUILDS = {
    "VALUE_BUILDS_HOME_ONLY": Builds.HOME,
    "VALUE_BUILDS_ANY_OWNED": Builds.ANYWHERE,
    "VALUE_BUILDS_ANY_IF_HOME_OWNED": Builds.ROOTED,
}
_SKIPPED_OPTIONS = frozenset({"OPTION_CONVOYED_MOVES"})
"""Options on how orders are written, which have no effect here."""
_DRAWS = ("YEARS_WITHOUT_SC_CAPTURE", "GAME_LENGTH")
"""Conditions for a draw, which are skipped: a match has a last year of its own."""
_SHORES = {"nc": "NC", "sc": "SC", "ec": "EC", "wc": "WC"}
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_REF = re.compile(r"([^/-]+)(?:[/-](nc|sc|ec|wc|mv|xc))?")
_TURN = re.compile(r"(Spring|Fall)[, ]+([0-9]{1,4})[, ]+(Movement|Adjustment|Retreat)", re.IGNORECASE)


class JdipReader:
    """A reader of one variant of a variants.xml."""

    def __init__(self, text: str, path: str, variant: str | None, include: Include, plain_ports: bool = False) -> None:
        self._text, self._path, self._variant = text, path, variant
        self._include, self._plain_ports = include, plain_ports
        self._at = path
        self._places: dict[str, DraftPlace] = {}
        """Places by each of their spellings, in lower case."""
        self._shut: set[str] = set()
        self._alone: set[str] = set()
        """Spellings of inland places that border on nothing but themselves, as Switzerland does in jDip."""
        self._powers: dict[str, DraftPower] = {}

    def draft(self) -> MapDraft:
        """Return the map that the files describe; raise MapError with the line and the reason."""
        node = self._chosen(TreeReader(self._text, self._path).root())
        name = node.get("name")
        draft = MapDraft(map_name(name), name[:80], self._path)
        self._limit(list(node.every("POWER")), MAX_POWERS, "powers")
        for option in node.every("RULEOPTIONS"):
            self._rules(draft, option)
        self._geography(draft, node)
        self._politics(draft, node)
        self._beginning(draft, node)
        return draft

    def _fail(self, reason: str, node: XmlNode) -> NoReturn:
        raise MapError(reason, path=self._at, line=node.line)

    def _limit(self, nodes: list[XmlNode], most: int, what: str) -> None:
        """Raise MapError for a map beyond a limit, before any name in it is read: large maps have long names."""
        if len(nodes) > most:
            self._fail(f"more than {most} {what}: the map has {len(nodes)}", nodes[most])

    def _chosen(self, root: XmlNode) -> XmlNode:
        if root.name != "VARIANTS":
            self._fail(f"expected a variants.xml of jDip, got <{root.name:.40}>", root)
        known = {node.get("name"): node for node in root.every("VARIANT")}
        names = ", ".join(known)
        if self._variant is not None:
            if self._variant not in known:
                self._fail(f"variant: expected one of {names:.300}, got {self._variant!r:.40}", root)
            return known[self._variant]
        usual = [node for node in known.values() if node.get("default") == "true"] or list(known.values())
        if len(usual) != 1:
            self._fail(f"variant: expected one of {names:.300}", root)
        return usual[0]

    def _rules(self, draft: MapDraft, options: XmlNode) -> None:
        for option in options.every("RULEOPTION"):
            name, value = option.get("name"), option.get("value")
            if name == "OPTION_BUILDS":
                if value not in _BUILDS:
                    self._fail(f"{name}: {value!r:.60} is not supported", option)
                draft.builds = _BUILDS[value]
            elif name == "OPTION_WINGS":
                if value != "VALUE_WINGS_DISABLED":
                    self._fail("OPTION_WINGS: wings are not supported", option)
            elif name in _SKIPPED_OPTIONS:
                draft.notes.append(f"line {option.line}: {name} is skipped")
            else:
                self._fail(f"RULEOPTION: {name!r:.60} is not supported", option)

    # Places

    def _geography(self, draft: MapDraft, node: XmlNode) -> None:
        uris = [(each.get("adjacencyURI"), each) for each in node.every("MAP")]
        if len(uris) != 1 or not _FILE.fullmatch(uris[0][0]):
            self._fail("adjacencyURI: expected the name of one file in the same folder", node)
        self._at = uris[0][0]
        root = TreeReader(self._include(self._at), self._at).root()
        nodes = list(root.every("PROVINCE"))
        passable = [node for node in nodes if node.get("isImpassable") != "true"]
        self._limit(passable, MAX_PROVINCES, "provinces")
        for province in nodes:
            self._place(draft, province)
        for province in nodes:
            self._borders(draft, province)
        self._at = self._path

    def _place(self, draft: MapDraft, node: XmlNode) -> None:
        tag, name = node.get("shortname").upper(), " ".join(node.get("fullname").split())
        if not re.fullmatch(r"[A-Z][A-Z0-9]{2}", tag):
            self._fail(f"{name:.40}: expected a tag of a letter and two letters or digits, got {tag!r:.20}", node)
        if node.get("isImpassable") == "true":
            self._shut.add(tag.lower())
            return
        if node.get("borders"):
            self._fail(f"{tag}: borders with conditions are not supported", node)
        port = node.get("isConvoyableCoast") == "true"
        if port and self._plain_ports:
            draft.notes.append(f"line {node.line}: the port {tag} is read as a coast")
        kinds = {each.get("type", "mv") for each in node.every("ADJACENCY")}
        spellings = [each.get("name").upper() for each in node.every("UNIQUENAME")]
        near = {word.upper() for each in node.every("ADJACENCY") for word in each.get("refs").split()}
        if kinds <= {"mv"} and near <= {tag, name.upper(), *spellings}:
            self._alone.update(word.lower() for word in (tag, name, *spellings))
            draft.notes.append(f"line {node.line}: {tag} borders on nothing, and is left out")
            return
        kind = Ground.LAND if kinds == {"mv"} else Ground.SEA if kinds == {"xc"} else Ground.COAST
        place = DraftPlace(tag, name, kind, node.line, [_SHORES[each] for each in _SHORES if each in kinds])
        place.port = port and not self._plain_ports and kind is Ground.COAST
        good = [each for each in dict.fromkeys(spellings) if re.fullmatch(r"[^#/()]{2,40}", each)]
        place.aliases = [each for each in good if each not in (tag, name.upper())]
        for word in (tag, name.upper(), *place.aliases):
            if (other := self._places.setdefault(word.lower(), place)) is not place:
                self._fail(f"{word} already means {other.name}", node)
        draft.places.append(place)

    def _borders(self, draft: MapDraft, node: XmlNode) -> None:
        tag = node.get("shortname").upper()
        if tag.lower() in self._shut | self._alone:
            return
        for adjacency in node.every("ADJACENCY"):
            kind = adjacency.get("type", "mv")
            if kind not in ("mv", "xc", *_SHORES):
                self._fail(f"{tag}: unknown type of adjacency {kind!r:.20}", adjacency)
            unit, here = (
                ("army", tag) if kind == "mv" else ("fleet", tag + (f"/{_SHORES[kind]}" if kind in _SHORES else ""))
            )
            ends = draft.borders[unit].setdefault(here, [])
            for word in adjacency.get("refs").split():
                there = self._area(word, adjacency)
                # In jDip an island is its own neighbour.
                if there is not None and there[:3] != tag:
                    end = there[:3] if unit == "army" else there
                    ends += [end] if end not in ends else []
            draft.lines[here] = adjacency.line

    def _area(self, word: str, node: XmlNode) -> str | None:
        """Return the area that a reference names; None if the place is impassable."""
        found = _REF.fullmatch(word.lower())
        if found is not None and found[1] in self._alone:
            self._fail(f"{word!r:.40} borders on nothing but itself", node)
        if found is None or (found[1] not in self._places and found[1] not in self._shut):
            self._fail(f"unknown province {word!r:.40}", node)
        if found[1] in self._shut:
            return None
        return self._places[found[1]].tag + (f"/{_SHORES[found[2]]}" if found[2] in _SHORES else "")

    def _tag(self, node: XmlNode) -> str:
        word = node.get("province").lower()
        if word not in self._places:
            self._fail(f"unknown province {word!r:.40}", node)
        return self._places[word].tag

    # Powers

    def _politics(self, draft: MapDraft, node: XmlNode) -> None:
        for each in node.every("POWER"):
            self._power(draft, each)
        draft.powers.sort(key=lambda power: power.name)
        for each in node.every("SUPPLYCENTER"):
            tag = self._tag(each)
            home, owner = self._named(each, "homepower"), self._named(each, "owner")
            if home is not None:
                home.homes.append(tag)
            if owner is not None:
                owner.owned.append(tag)
            if home is None and owner is None:
                draft.neutral.append(tag)
        for each in node.every("INITIALSTATE"):
            power, kind = self._named(each, "power"), each.get("unit").lower()
            if kind not in ("army", "fleet"):
                self._fail(f"unit: expected army or fleet, got {kind!r:.20}", each)
            if power is None:
                self._fail("power: expected the owner of the unit", each)
            shore = each.get("unitcoast").lower()
            area = self._tag(each) + (f"/{_SHORES[shore]}" if kind == "fleet" and shore in _SHORES else "")
            power.units.append((kind[0].upper(), area, each.line))

    def _power(self, draft: MapDraft, node: XmlNode) -> None:
        title = " ".join(node.get("name").split())
        name = re.sub(r"[^A-Z0-9]", "", title.upper())
        if not re.fullmatch(r"[A-Z][A-Z0-9]{1,19}", name):
            self._fail(f"POWER: expected a name of 2 to 20 letters and digits, got {title!r:.40}", node)
        power = DraftPower(name, title, node.line, played=node.get("active", "true") != "false")
        more = [node.get("adjective"), *node.get("altnames").split(",")]
        spellings = dict.fromkeys(" ".join(word.upper().split()) for word in more)
        power.aliases = [
            word for word in spellings if re.fullmatch(r"[^#/()]{2,40}", word) and word not in (name, title.upper())
        ]
        for word in (name, title.upper(), *power.aliases):
            self._powers[word.lower()] = power
        draft.powers.append(power)

    def _named(self, node: XmlNode, attribute: str) -> DraftPower | None:
        word = node.get(attribute, "none").lower()
        if word not in self._powers and word not in ("none", "any", ""):
            self._fail(f"{attribute}: unknown power {word!r:.40}", node)
        return self._powers.get(word)

    def _beginning(self, draft: MapDraft, node: XmlNode) -> None:
        for each in node.every("STARTINGTIME"):
            turn = each.get("turn")
            found = _TURN.fullmatch(turn)
            if found is None or found[3].lower() == "retreat":
                self._fail(f"STARTINGTIME: expected a turn like Spring, 1901, Movement, got {turn!r:.40}", each)
            draft.year = int(found[2])
            if draft.year < 1:
                self._fail("STARTINGTIME: expected a year from 1 on", each)
            adjusts = found[3].lower() == "adjustment"
            draft.season = FIRST_SEASONS["winter" if adjusts else found[1].lower()]
        for victory in node.every("VICTORYCONDITIONS"):
            for each in victory.every("WINNING_SUPPLY_CENTERS"):
                if not re.fullmatch(r"[0-9]{1,4}", each.get("value")):
                    self._fail("WINNING_SUPPLY_CENTERS: expected a number", each)
                draft.victory = int(each.get("value"))
            for name in _DRAWS:
                draft.notes += [f"line {each.line}: {name} is skipped" for each in victory.every(name)]
