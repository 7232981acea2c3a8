"""A ledger as one plain value, for programs: proposals, pacts, verdicts, stabs, contradictions, metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from parlour.core.events import Event, Joined
from parlour.core.game import Plain
from parlour.press.agreements.pacts import Pact, PactVerdict
from parlour.press.agreements.proposals import Proposal
from parlour.press.judging.findings import PromiseStatus
from parlour.press.judging.stabs import Stab
from parlour.press.language.english import phrase
from parlour.press.language.writer import write, write_order
from parlour.press.ledger import Ledger, ledger_of
from parlour.press.reports.metrics import Figures, Metrics, measure
from parlour.press.reports.verdict_text import sentence


def report(ledger: Ledger, metrics: Metrics, names: Mapping[str, str] = MappingProxyType({})) -> dict[str, Plain]:
    """Return the whole ledger, in DAIDE and English, with the names of the players."""
    return {
        "proposals": [_proposal(proposal) for proposal in ledger.proposals],
        "pacts": [_pact(pact, ledger) for pact in ledger.pacts.all],
        "verdicts": [
            {**_verdict(verdict, ledger), "player": players[verdict.performer] or None}
            for verdict, players in zip(ledger.verdicts, ledger.charged, strict=True)
        ],
        "stabs": [_stab(stab, ledger) for stab in ledger.stabs.all],
        "contradictions": [
            {"power": found.power, "turn": found.turn, "earlier": found.earlier.number, "later": found.later.number}
            for found in ledger.pacts.contradictions
        ],
        "metrics": {
            "players": [{"player": names.get(each.power), **_figures(each)} for each in metrics.players],
            "pairs": [_figures(pair) for pair in metrics.pairs if pair.proposed or pair.received or _due(pair)],
        },
    }


def pact_rows(events: Sequence[Event]) -> list[dict[str, Plain]]:
    """Return a row for each pact of a recorded match, with its numbers of kept, broken and void verdicts."""
    ledger = ledger_of(events)
    if not ledger.pacts.all:
        return []
    told = report(ledger, measure(ledger))
    rows = []
    for pact in told["pacts"]:
        verdicts = [verdict for verdict in told["verdicts"] if verdict["pact"] == pact["number"]]
        counts = {status: sum(verdict["status"] == status for verdict in verdicts) for status in PromiseStatus}
        broken_by = sorted({verdict["power"] for verdict in verdicts if verdict["status"] == PromiseStatus.BROKEN})
        rows.append(
            {
                "pact": pact["number"],
                **{name: pact[name] for name in ("phase", "parties", "text", "english", "state")},
                "kept": counts[PromiseStatus.KEPT],
                "broken": counts[PromiseStatus.BROKEN],
                "void": counts[PromiseStatus.VOID],
                "broken_by": broken_by,
            }
        )
    return rows


def players_of(events: Iterable[Event], ledger: Ledger) -> dict[str, str]:
    """Return the names of the players of each power, by the power's word; several if a seat changed hands."""
    found: dict[str, list[str]] = {}
    for event in events:
        if isinstance(event, Joined) and event.seat in ledger.lexicon.seats:
            names = found.setdefault(ledger.lexicon.seats[event.seat], [])
            if event.name not in names:
                names.append(event.name)
    return {power: ", ".join(names) for power, names in found.items()}


def phase_of(stab: Stab, ledger: Ledger) -> str:
    """Return the phase of the breach, for example F1902M."""
    return next(
        breach.phase
        for breach in ledger.broken()
        if (breach.pact, breach.performer, breach.turn) == (stab.pact, stab.by, stab.turn)
    )


def _proposal(proposal: Proposal) -> Plain:
    return {
        "number": proposal.number,
        "phase": proposal.phase,
        "from": proposal.proposer,
        "to": sorted(proposal.addressees),
        "text": write(proposal.offer),
        "state": proposal.state.value,
        "replies": {
            power: {"answer": answer.value, "seconds": at - proposal.at}
            for power, (answer, at) in sorted(proposal.replies.items())
        },
    }


def _pact(pact: Pact, ledger: Ledger) -> Plain:
    return {
        "number": pact.number,
        "proposal": pact.proposal.number,
        "phase": pact.proposal.phase,
        "parties": sorted(pact.parties),
        "text": write(pact.what),
        "english": phrase(pact.what, ledger.lexicon),
        "state": pact.state.value,
        "since": pact.since,
        "ended": pact.ended,
    }


def _verdict(verdict: PactVerdict, ledger: Ledger) -> Plain:
    return {
        "pact": verdict.pact.number,
        "phase": verdict.phase,
        "turn": verdict.turn,
        "power": verdict.performer,
        "status": verdict.status.value,
        "about": write(verdict.what),
        "order": None if verdict.order is None else write_order(verdict.order),
        "sentence": sentence(verdict, ledger.lexicon),
    }


def _stab(stab: Stab, ledger: Ledger) -> Plain:
    return {
        "phase": phase_of(stab, ledger),
        "by": stab.by,
        "victim": stab.victim,
        "turn": stab.turn,
        "pact": stab.pact.number,
        "centres": sorted(stab.centres),
        "dislodged": sorted(stab.dislodged),
    }


def _figures(figures: Figures) -> dict[str, Plain]:
    """Return the counts and rates of a power, or of one power towards another."""
    return {
        **msgspec.to_builtins(figures),
        "response_rate": figures.response_rate,
        "acceptance": figures.acceptance,
        "acceptance_got": figures.acceptance_got,
        "kept_rate": figures.promises.rate,
        "deception": figures.deception,
    }


def _due(figures: Figures) -> int:
    """Return the number of promises that were kept or broken."""
    return figures.promises.kept + figures.promises.broken
