"""parlour eval: compares models or prompts against a panel, and leaves a page and a bundle of all that was played."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from parlour.cli.options.kinds import FOLDER, flag, option, real, whole
from parlour.cli.terminal.stopping import stoppable
from parlour.core.decoding import UNREADABLE
from parlour.errors import ConfigError

if TYPE_CHECKING:
    from parlour.harness.evaluation import Evaluation, EvaluationRequest, GameComparison
    from parlour.store import Store
    from parlour.tournament.plan import Plan
    from parlour.tournament.results_state import ResultsState

REQUEST = "request.json"


@click.command()
@click.argument("models", nargs=-1, metavar="MODEL...")
@option("--panel", "House agents to meet.  [default: each game's rival]", default="", metavar="AGENT,...")
@option("--games", "Games to play: both, or names separated by commas.", default="both")
@option(
    "--blocks",
    "Maximum number of blocks per game; in a block each model meets each agent on every seat.",
    whole(1, 100_000),
    2,
)
@option("--stop", 'Stop as soon as this is known: "a > b by 0.1".', default="", metavar="RULE")
@option("--usd", "Maximum cost of the whole evaluation, in US dollars.", real(0, 1e6, min_open=True))
@flag("--press", "Let players negotiate, in games with a press language.")
@option(
    "--set settings",
    "Set one field of a game's configuration; may be repeated.",
    multiple=True,
    metavar="GAME.FIELD=VALUE",
)
@option("--seed", "Seed of all random numbers.", whole(0, 2**62), 0)
@option("--jobs", "Number of matches played at once.", whole(1, 1024), 4)
@flag("--cassette", "Keep the answers, one cassette per model; then one match at a time.")
@option(
    "--cassette-mode",
    "With --cassette: ask and keep, only replay, or ask for what is missing.",
    ["record", "replay", "both"],
    "both",
)
@option("--output-dir", "Folder for pages, results, records and cassettes; the same one resumes.", FOLDER, Path("eval"))
@flag("--json as_json", "Print one JSON object.")
@flag("--quiet", "Show only the final result.")
def command(
    models: Sequence[str],
    output_dir: Path,
    jobs: int,
    as_json: bool,
    quiet: bool,
    settings: Sequence[str],
    panel: str,
    cassette: bool,
    cassette_mode: str,
    **wanted: Any,
) -> None:
    """Compare MODELs: each meets the same panel in the same deals, on every seat.

    \b
    parlour eval "llm:a@http://127.0.0.1:18431/v1" "llm:b@http://127.0.0.1:18431/v1" --games fish
    parlour eval "llm:gpt-5@api.openai.com/v1" "llm:gpt-5@api.openai.com/v1?legal=0" --usd 5
    parlour eval greedy random --games fish --blocks 20 --stop "greedy > random by 0.1"

    A model is llm:MODEL@URL with its options, or any agent; the same model with other options is another prompt. With
    two models the comparison stops as soon as it is known whether the first is better by 0.1. Ctrl-C at any time: the
    same command resumes. Exit code 1 if a match could not be played.
    """  # fmt: skip
    from parlour.harness.evaluation import Evaluation, EvaluationRequest, plans_of

    if not models:
        raise click.UsageError("Missing argument 'MODEL...'.")
    request = EvaluationRequest(
        name=output_dir.name or "eval",
        models=tuple(models),
        panel=tuple(filter(None, (name.strip() for name in panel.split(",")))),
        config=_read_settings(settings),
        cassette=str(output_dir / "cassettes") if cassette else "",
        tape=cassette_mode,
        **wanted,
    )
    plans = plans_of(request)
    _open_folder(output_dir, request)
    try:
        with stoppable():
            results = _evaluate(output_dir, request, plans, 1 if cassette else jobs, quiet=quiet or as_json)
    except KeyboardInterrupt:
        click.echo(f"stopped; the same command continues from {output_dir}", err=True)
        sys.exit(1)
    found = Evaluation(request, tuple(one.name for one in plans[0].contenders[: len(models)]), tuple(results))
    _write_bundle(output_dir, found)
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        click.echo(f"{found.text()}\n\npage: {output_dir / 'index.html'}\nbundle: {output_dir}.zip")
    sys.exit(1 if any(result.table.void for result in results) else 0)


def _read_settings(settings: Sequence[str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for setting in settings:
        place, equals, value = setting.partition("=")
        game, dot, field = place.partition(".")
        if not (equals and dot and game and field):
            expected = "expected GAME.FIELD=VALUE"
            raise click.BadParameter(f"{expected}, got {setting!r:.60}", param_hint="--set")
        number = value.lstrip("-")
        found.setdefault(game, {})[field] = int(value) if number.isdigit() and len(number) < 10 else value
    return found


def _open_folder(folder: Path, request: EvaluationRequest) -> None:
    """Create the folder, or check that it belongs to the same evaluation."""
    from parlour.harness.evaluation import EvaluationRequest

    path = folder / REQUEST
    folder.mkdir(parents=True, exist_ok=True)
    if request.cassette:
        Path(request.cassette).mkdir(exist_ok=True)
    if path.exists():
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=EvaluationRequest)
        except UNREADABLE:
            raise ConfigError(f"output-dir: {path} is not the request of an evaluation", field="output-dir") from None
        same = msgspec.structs.replace(kept, tape=request.tape, blocks=request.blocks, usd=request.usd)
        if same != request or kept.blocks > request.blocks:
            raise ConfigError(
                f"output-dir: {folder} holds another evaluation, expected an empty folder or the same command",
                field="output-dir",
            )
    path.write_bytes(msgspec.json.format(msgspec.json.encode(request)))


def _evaluate(
    folder: Path, request: EvaluationRequest, plans: Sequence[Plan], jobs: int, *, quiet: bool
) -> list[GameComparison]:
    from parlour.harness.evaluation import GameComparison, panel_of
    from parlour.store import open_store
    from parlour.tournament.reports.standings import standings

    results: list[GameComparison] = []
    left = request.usd
    with open_store(str(folder / "eval.db")) as store:
        for number, plan in enumerate(plans):
            share = None if left is None else left / (len(plans) - number)
            series, spent, capped = _play(store, plan, share, jobs, quiet=quiet)
            left = None if left is None else max(0.0, left - spent)
            table = standings(series)
            panel = tuple(panel_of(request, plan.game))
            problems = tuple(dict.fromkeys(played.void for played in series.results() if played.void))
            results.append(GameComparison(plan.game, panel, table, spent, capped, problems))
            _write_game(folder, series, table, store)
    return results


def _play(store: Store, plan: Plan, usd: float | None, jobs: int, *, quiet: bool) -> tuple[ResultsState, float, bool]:
    """Play one game as far as the blocks, the test and the cap allow; earlier matches count."""
    from parlour.cli.tournaments.running import begin, play
    from parlour.tournament.engines.local import LocalEngine
    from parlour.tournament.engines.spending import SpendingCap, dearest_calls
    from parlour.tournament.results_state import ResultsState
    from parlour.tournament.storage.tournament_store import read

    cap = SpendingCap(usd, calls=dearest_calls(plan))
    if store.head(plan.tournament) is None:
        series, results_store = begin(store, plan)
    else:
        store.claim(plan.tournament)
        old, results_store = read(store, plan.tournament)
        series = ResultsState(plan)  # this command may ask for more blocks than the last
        for played in old.played():
            series.add(played)
    whole = play(series, results_store, lambda: closing(LocalEngine(plan, jobs)), cap, quiet=quiet)
    return series, cap.spent_usd, not whole


def _write_game(folder: Path, series: ResultsState, table: Any, store: Store) -> None:
    """Write the page of a game, and the records of its matches."""
    from parlour.cli.display.page import write_page
    from parlour.referee.record import record_lines
    from parlour.store import read_events
    from parlour.tournament.engines.playing import match_id

    write_page(folder / f"{series.plan.game}.html", series, table, store)
    records = folder / "records" / series.plan.game
    records.mkdir(parents=True, exist_ok=True)
    for played in series.played():
        if events := read_events(store, match_id(series.plan, played.number)):
            (records / f"{played.number}.jsonl").write_bytes(b"".join(record_lines(events)))


def _write_bundle(folder: Path, found: Evaluation) -> None:
    """Write the first page and the results, and pack all of the folder but its store."""
    from parlour.harness.evaluation_page import evaluation_page

    (folder / "index.html").write_text(evaluation_page(found), encoding="utf-8")
    (folder / "result.json").write_bytes(msgspec.json.format(msgspec.json.encode(found)))
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        packed = Path(scratch, folder.name)
        shutil.copytree(folder, packed, ignore=shutil.ignore_patterns("eval.db*"))
        shutil.make_archive(str(folder), "zip", packed.parent, packed.name)
