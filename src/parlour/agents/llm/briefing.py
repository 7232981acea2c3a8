"""The prompt of a match of Diplomacy, part by part, each with a cap: in 1920 as long as in 1905."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from parlour.agents.listing import orders_by_unit, unit_line
from parlour.agents.llm.naming import NameBook
from parlour.agents.llm.prompts import template
from parlour.core import events as ev
from parlour.core.game import Plain, Seat
from parlour.core.terms import FREE_TEXT
from parlour.core.text import printable
from parlour.games.diplomacy.maps.map import Builds, Ground, Map
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import Variation
from parlour.press.agreements.proposals import Proposal, ProposalState
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language.tokens import Lexicon
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger

CAP = 24_000
"""Maximum characters of a whole prompt."""
NOTES, LEDGER, LAST_TURN, LEGAL, TALK = 1600, 2000, 1200, 1500, 3000
"""Maximum characters of each part: enough for a power with six units."""
LEFT_OUT = "(More supports and convoys are legal than there is room for here.)"
MESSAGE = 500
"""Maximum characters of a message by another player."""
PACTS = 240
"""Maximum characters of the pacts with one partner."""


def rules_text(position: Position, seat: Seat, spelling: NameBook, *, talks: bool, level: int) -> str:
    """Return the constant part of a match's prompts: rules, map, language."""
    told = (position.board, position.last_year, seat)
    if not spelling.hidden:
        return _plain_rules(*told, level if talks else None)
    language = spelling.press(_language(position.board, seat, level, same=True)) if talks else ""
    return spelling.orders(_rules(*told, names=False)) + language


@lru_cache(maxsize=128)
def _plain_rules(board: Map, last_year: int | None, seat: Seat, level: int | None) -> str:
    """Return the rules in the map's own names, cached for all matches with the same rules."""
    return _rules(board, last_year, seat, names=True) + (
        "" if level is None else _language(board, seat, level, same=False)
    )


def _rules(board: Map, last_year: int | None, seat: Seat, *, names: bool) -> str:
    return template("diplomacy").substitute(
        power=seat,
        victory=board.victory,
        centres=sum(province.centre for province in board.provinces),
        limit=f"The game ends after {last_year}." if last_year else "",
        sites=_SITES[board.build_mode],
        special="".join(f" {sentence}" for sentence in _special_rules(board)),
        map=map_text(board, names=names),
    )


_SITES = {
    Builds.HOME: "its free home centres",
    Builds.HOMES: "the free centres it owns that are somebody's home",
    Builds.ANYWHERE: "any free centre it owns",
    Builds.ROOTED: "any free centre it owns, as long as it owns one of its home centres,",
}


def _special_rules(board: Map) -> Iterator[str]:
    """Yield a sentence for each rule that differs from the standard map."""
    if board.unplayed:
        idle = ", ".join(power.name for power in board.powers if not power.played)
        yield f"Nobody plays {idle}: units of such a power hold, and are removed if they are dislodged."
    if any(province.port for province in board.provinces):
        yield "In provinces marked as ports fleets convoy as at sea."
    if Variation.FOG in board.variations:
        yield (
            "Fog covers the board: you see your own units and centres, the provinces next to them, and the results of "
            "your own orders, and nothing else."
        )


def _language(board: Map, seat: Seat, level: int, *, same: bool) -> str:
    """Return the description of the press language; `same` means that places are spelt as in orders."""
    lexicon = Lexicon.of(board)
    me = lexicon.seats[seat]
    others = [word for word in lexicon.powers if word != me]
    homes = [board.provinces[home] for home in board.powers[board.power_spellings[seat]].homes]
    coasts = [province for province in board.provinces if province.kind is Ground.COAST and not province.coasts]
    ports = [province for province in homes if province in coasts] or coasts
    spelt = ", ".join(f"{tag} is {word}" for tag, word in lexicon.elsewhere.items())
    return template("press").substitute(
        me=me,
        other=others[0],
        third=others[-1],
        place=(homes or board.provinces)[0].daide,
        port=(ports or board.provinces)[0].daide,
        powers=", ".join(f"{word} {name}" for name, word in lexicon.seats.items()),
        elsewhere=f" In press {spelt}." if spelt and not same else "",
        free=' Free text is allowed, too: {"to": ["POWER"], "text": "..."}.' if level >= FREE_TEXT else "",
    )


@lru_cache(maxsize=64)
def map_text(board: Map, *, names: bool) -> str:
    """Return each province with its neighbours, for armies and for fleets."""
    lines = []
    for province in board.provinces:
        home = f"({board.powers[province.home].name})" if province.home is not None else ""
        name = f" {province.name}" if names else ""
        sea = " sea" if province.kind is Ground.SEA else " port" if province.port else ""
        line = f"{province.tag}{'*' if province.centre else ''}{home}{sea}{name}:"
        if army := [board.areas[to].tag for to in board.army[province.area]]:
            line += f" A {' '.join(army)}"
        for area in province.areas:
            if fleet := [board.areas[to].tag for to in board.fleet[area]]:
                line += f" F{'' if area == province.area else ' ' + board.areas[area].tag[3:]} {' '.join(fleet)}"
        lines.append(line)
    return "\n".join(lines)


def position_text(position: Position, seat: Seat) -> str:
    """Return the units, centres and dislodged units of each power."""
    lines = [f"{position.phase_name}. You are {seat}."]
    units, centers, retreats = position.units, position.centers, position.retreats
    for name, own in units.items():
        if own or centers[name] or retreats[name]:
            lines.append(
                f"{name}: {', '.join(own) or 'no units'}; {len(centers[name])} centres {' '.join(centers[name])}"
            )
        lines += [f"  {unit} is dislodged" for unit in retreats[name]]
    return "\n".join(lines)


def last_turn_text(happened: Mapping[str, Plain] | None) -> str:
    """Return the results of the last turn's orders, or only the failures if there is no room for all."""
    if not happened:
        return ""
    results: Mapping[str, Mapping[str, str]] = happened.get("results", {})
    all_of = [
        f"{name}: {', '.join(_result(order, word) for order, word in own.items())}" for name, own in results.items()
    ]
    disbanded: Mapping[str, Sequence[str]] = happened.get("disbanded", {})
    gone = [f"{name}: {', '.join(units)} disbanded" for name, units in disbanded.items()]
    text = "\n".join(all_of + gone)
    if len(text) > LAST_TURN:
        failed = {
            name: [_result(order, word) for order, word in own.items() if word != "succeeded"]
            for name, own in results.items()
        }
        text = "\n".join([*gone, *(f"{name}: {', '.join(own)}" for name, own in failed.items() if own)])
    return clipped(text, LAST_TURN)


def _result(order: str, word: str) -> str:
    return order if word == "succeeded" else f"{order} ({word})"


def legal_text(orders: Sequence[str]) -> str:
    """Return the legal orders by unit, with equal beginnings written once.

    If there is no room for all, the least important are left out. The order of importance is: hold and move, support
    of own units, convoy, support of others.
    """
    units, alone = orders_by_unit(orders)
    wanted = sorted(
        ((_rank(group, units), number, unit, group) for unit, own in units.items() for number, group in enumerate(own)),
        key=lambda one: one[:2],
    )
    kept: dict[str, set[str]] = {unit: set() for unit in units}
    room = LEGAL - len(LEFT_OUT) - 1 - sum(len(unit) + 2 for unit in units) - sum(len(one) + 1 for one in alone)
    whole = True
    for _, _, unit, group in wanted:
        cost = len(group) + 2 + sum(len(place) + 1 for place in units[unit][group])
        if cost > room:
            whole = False
            continue
        room -= cost
        kept[unit].add(group)
    lines = [
        unit_line(unit, {group: places for group, places in own.items() if group in kept[unit]})
        for unit, own in units.items()
    ]
    return clipped("\n".join([*lines, *alone, *(() if whole else (LEFT_OUT,))]), LEGAL)


def _rank(group: str, units: Mapping[str, object]) -> int:
    """Return the rank of a kind of order in the list."""
    verb, _, other = group.rstrip(":").partition(" ")
    if verb == "S":
        return 1 if other in units else 3
    return 2 if verb == "C" else 0


def ledger_text(ledger: Ledger, me: str) -> str:
    """Return the kept and broken promises and the pacts in force of each partner, and the open proposals.

    If there is no room for all, the counts come first. Then come the newest proposals that wait for this power's
    answer, the newest pacts, and the other proposals.
    """
    partners = sorted(ledger.present - {me})
    facts = [_fact(ledger, power, me) for power in partners]
    pacts = [[write(pact.what) for pact in ledger.active() if {me, power} <= pact.parties] for power in partners]
    waiting = [
        (me in proposal.addressees and me not in proposal.replies, _waiting(proposal, me, ledger.lexicon))
        for proposal in ledger.open()
        if me in proposal.parties
    ]
    room = LEDGER - sum(len(line) + 1 for line in facts)
    kept = _fitting([line for asks, line in reversed(waiting) if asks], room * 3 // 5)
    room -= sum(len(line) + 1 for line in kept)
    share = min(PACTS, room // max(1, sum(map(bool, pacts))) - len(_IN_FORCE))
    for number, own in enumerate(pacts):
        if own and share >= _LEAST:
            said = _IN_FORCE + _listed(own, share)
            facts[number] += said
            room -= len(said)
    kept += _fitting([line for asks, line in reversed(waiting) if not asks], room)
    return "\n".join([*facts, *(line for _, line in waiting if line in kept)])


_IN_FORCE = "; in force: "
_LEAST = 40
"""Minimum number of characters for pacts; with less room none is listed."""


def _fact(ledger: Ledger, power: str, me: str) -> str:
    theirs, mine = _kept(ledger, power, me), _kept(ledger, me, power)
    seat = ledger.lexicon.seat_of[power]
    return f"{seat}: kept {theirs[0]}, broke {theirs[1]} promises to you; you kept {mine[0]}, broke {mine[1]}"


def _listed(items: Sequence[str], room: int) -> str:
    """Return the newest items that fit, newest last, and the number of others."""
    kept = _newest(reversed(items), room - len(" and 99 more")).splitlines()
    more = f" and {len(items) - len(kept)} more" if len(kept) < len(items) else ""
    return ", ".join(kept) + more


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    """Return the lines that fit, first lines first; a line that is too long is skipped."""
    kept = []
    for line in lines:
        if len(line) < room:
            room -= len(line) + 1
            kept.append(line)
    return kept


def _kept(ledger: Ledger, performer: str, towards: str) -> tuple[int, int]:
    found = [
        verdict.status
        for verdict in ledger.verdicts
        if verdict.performer == performer and towards in verdict.pact.parties
    ]
    return found.count(PromiseStatus.KEPT), found.count(PromiseStatus.BROKEN)


def _waiting(proposal: Proposal, me: str, lexicon: Lexicon) -> str:
    what = write(proposal.offer)
    if proposal.proposer == me:
        unanswered = ", ".join(
            lexicon.seat_of[power] for power in sorted(proposal.addressees - proposal.replies.keys())
        )
        return f"You proposed to {unanswered}, and wait: {what}"
    state = "waits for your answer" if me not in proposal.replies else "is answered by you"
    return f"Proposal n={proposal.number} of {lexicon.seat_of[proposal.proposer]} {state}: {what}"


def unanswered(ledger: Ledger, me: str) -> list[Proposal]:
    """Return the proposals that wait for this power's answer."""
    return [
        proposal
        for proposal in ledger.open()
        if me in proposal.addressees and me not in proposal.replies and proposal.state is ProposalState.OPEN
    ]


def messages_text(said: Sequence[ev.Said], seat: Seat, spelling: NameBook) -> str:
    """Return the last messages, newest last.

    Each text is quoted on one line, so that it cannot look like a part of the prompt.
    """

    def line(message: ev.Said) -> str:
        sender = "you" if message.seat == seat else message.seat
        to = ", ".join(["you" if one == seat else one for one in message.to])
        text = printable(message.text, MESSAGE)
        if spelling.hidden:
            sender, to, text = spelling.orders(sender), spelling.orders(to), spelling.press(text)
        return f"turn {message.turn}, {sender} to {to or 'all'}: {msgspec.json.encode(text).decode()}"

    return _newest(map(line, reversed(said)), TALK)


def notes_text(notes: Sequence[tuple[str, str]]) -> str:
    """Return the model's own notes, newest last."""
    return _newest((f"{phase}: {note}" for phase, note in reversed(notes)), NOTES)


def _newest(lines: Iterable[str], room: int) -> str:
    """Return the newest lines that fit, newest last; the input is newest first."""
    kept: list[str] = []
    for line in lines:
        if len(line) > room:
            break
        room -= len(line) + 1
        kept.append(line)
    return "\n".join(reversed(kept))


def sections(parts: Iterable[tuple[str, str]]) -> str:
    """Return the parts that are not empty, each under its heading; a part without a heading stands alone."""
    return "\n\n".join(f"# {heading}\n{text}" if heading else text for heading, text in parts if text)


def clipped(text: str, most: int) -> str:
    """Return the text cut to `most` characters, with a remark if a part is missing."""
    if len(text) <= most:
        return text
    kept = text[: most - 20]
    return (kept.rpartition("\n")[0] or kept) + "\n(there is more)"
