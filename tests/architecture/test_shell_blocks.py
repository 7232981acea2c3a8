"""Every shell block of the documentation runs as it stands, in a folder and a network of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support import TESTS
from support.docs.shell_blocks import ALONE, DOCS, Prepared, blocks, run

RECORD = "parlour play diplomacy peace stabber --press --years 1 --quiet --record match.jsonl"
TWICE = "mkdir matches\ncp match.jsonl matches/1.jsonl\ncp match.jsonl matches/2.jsonl"
TRAJECTORY = (
    "from parlour import deepmind as d; "
    "d.save_trajectory(d.run_game(d.State(), [d.RandomPolicy(1)], [0] * 7, max_length=10), '.')"
)
ANSWERED = """answered() {
  "$@" > endpoint.log 2>&1 & await_url
  curl -sf -o answer.json "$(grep -o 'http://[^ ]*' endpoint.log)/models"
  kill $! && wait
}
await_url() { until grep -q http:// endpoint.log; do sleep 0.05; done; }"""
SIGNED_IN = (
    "field() { python3 -c \"import json, sys; print(json.load(sys.stdin)['$1'])\"; }\n"
    'token() { curl -sf $URL/tokens --json "{\\"name\\": \\"admin\\", \\"password\\": \\"$1\\"}" | field token; }'
)
HOLD_BOTS = "for name in {}; do python examples/daide_holdbot.py 127.0.0.1 {} $name & done; wait"
BUT_FRANCE = "{AUS,ENG,GER,ITA,RUS,TUR}:bot@evening"
PAGES = {
    "how-to/choose-a-format.md": Prepared(),
    "how-to/compare-two-models.md": Prepared(),
    "how-to/connect-daide-bots.md": Prepared(
        cheaper={
            "--password secret": '--password "$PARLOUR_ADMIN_PASSWORD" --server ws://127.0.0.1:8080',
            "--daide-port 16713\n": "--daide-port 16713 --daide-years 1\n",
            "broker@evening": "broker@morning",
            "--seat ITALY=daide": "--seat ITALY=daide --last-year 1901",
            "--last-year 1905": "--last-year 1901",
        },
        others={
            "python examples/daide_dumbbot.py": HOLD_BOTS.format(BUT_FRANCE, 16713),
            "parlour join daide://127.0.0.1:16713 --agent search": HOLD_BOTS.format("bot{1..6}", 16713),
            "parlour join daide://127.0.0.1:16713 --agent broker": HOLD_BOTS.format(
                "{AUS,ENG,FRA,GER,ITA,RUS}:bot@morning", 16713
            ),
            "parlour play diplomacy dumbbot --daide": HOLD_BOTS.format("bot{1..2}", 16713),
            "parlour play diplomacy --daide": HOLD_BOTS.format("bot{1..7}", 16714),
        },
    ),
    "how-to/connect-diplomacy-clients.md": Prepared(
        before=f"""{RECORD}
head -30 match.jsonl > cut.jsonl
parlour records export cut.jsonl --format diplomacy -o games
cp games/* saved.json""",
        cheaper={"--rule POWER_CHOICE": "--rule POWER_CHOICE --last-year 1901"},
        others={
            "parlour join": "for name in AUSTRIA ENGLAND GERMANY ITALY RUSSIA TURKEY; do parlour join "
            "ws://127.0.0.1:8432 --match friday --power $name --agent hold --name $name & done; wait"
        },
    ),
    "how-to/install.md": Prepared(
        left_out={
            "pip install": "needs the clone; test_packaging.py builds and installs it",
            'eval "$(_PARLOUR_COMPLETE=zsh': "needs zsh; test_docs.py asks for its completions",
            "_PARLOUR_COMPLETE=fish": "needs fish; test_docs.py asks for its completions",
        },
    ),
    "how-to/make-a-map.md": Prepared(
        before=f"""parlour map convert crowded -o crowded.map
cp {TESTS}/fuzz/foreign_maps/isles.xml variants.xml
cp variants.xml isles_adjacency.xml""",
        cheaper={"Fleet Rome": "Two Isles"},
    ),
    "how-to/measure-deception.md": Prepared(cheaper={"--last-year 1904": "--last-year 1901"}),
    "how-to/play-in-a-browser.md": Prepared(before=RECORD),
    "how-to/run-a-server.md": Prepared(
        before=SIGNED_IN,
        cheaper={
            "ONCE": "only-for-tests",
            "Bearer TOKEN": 'Bearer $(token "$PARLOUR_ADMIN_PASSWORD")',
        },
        left_out={
            "parlour serve --store postgresql": "needs a database; tests/net/test_standby.py has one",
            "curl -sf -X POST -H": "needs a match that ended the server; tests/net/test_crash_guard.py has one",
        },
    ),
    "how-to/run-a-tournament.md": Prepared(),
    "how-to/train-and-evaluate-models.md": Prepared(
        before=ANSWERED, cheaper={"python -m parlour.testing.endpoint": "answered python -m parlour.testing.endpoint"}
    ),
    "how-to/train-a-network.md": Prepared(
        before=f"{RECORD}\n{TWICE}",
        cheaper={
            "DIR": "matches",
            "--steps 1000": "--steps 2 --size tiny --batch-size 4 --held-out 0.5",
            "--rounds 2": "--rounds 1 --matches 7 --steps 2 --candidates 2 --compare 1 --last-year 1901",
            "--matches 56": "--matches 7 --last-year 1901",
            "--steps 200 --candidates 24": "--steps 2 --candidates 2",
            "--compare 40 --output-dir runs/second": "--compare 1 --output-dir runs/third",
            "train small": "train small --games 2 --budget 100 --last-year 1901 --steps 2",
            "--params sl_params.npz": "--params runs/first/network.safetensors",
            "--steps 100 --learning-rate": "--steps 2 --batch-size 4 --held-out 0.5 --learning-rate",
        },
        left_out={"parlour deepmind download": "needs the network"},
    ),
    "how-to/write-a-press-bot.md": Prepared(cheaper={"--last-year 1905": "--last-year 1901"}),
    "reference/agents.md": Prepared(),
    "reference/daide.md": Prepared(
        cheaper={"--daide-level 30": "--daide-level 30 --daide-years 1"},
        others={"parlour join": HOLD_BOTS.format(BUT_FRANCE, 16713)},
    ),
    "reference/deepmind.md": Prepared(
        before=f"""{RECORD}
{TWICE}
parlour train imitation --matches matches --steps 2 --size tiny --batch-size 4 --held-out 0.5 --output-dir runs
parlour deepmind convert runs/network.safetensors sl_params.npz
python -c "{TRAJECTORY}\"""",
        left_out={"parlour deepmind download": "needs the network"},
    ),
    "reference/diplomacy.md": Prepared(
        before="""echo '{"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}' > position.json
cp position.json positions.jsonl"""
    ),
    "reference/fish-protocols.md": Prepared(),
    "reference/http-api.md": Prepared(before="parlour serve"),
    "reference/language-models.md": Prepared(
        before="python -m parlour.testing.endpoint --port 18431 &",
        cheaper={
            "llm:qwen3@localhost:11434/v1": "llm:qwen3@127.0.0.1:18431/v1",
            "llm:gpt-5@api.openai.com/v1": "llm:gpt-5@127.0.0.1:18431/v1",
        },
    ),
    "reference/press.md": Prepared(before=RECORD),
    "reference/program-protocol.md": Prepared(before="parlour new program any_program.py"),
    "reference/records.md": Prepared(
        before=f"""{RECORD}
mkdir matches
cp match.jsonl matches
parlour tournament fish random greedy --rows 3 --cols 3 --blocks 1""",
        cheaper={"--format diplomacy": "--format jsonl"},
    ),
    "reference/stores.md": Prepared(before="parlour serve\nstop_server"),
    "reference/tournaments.md": Prepared(
        before="""parlour new bot mine.py --game fish
parlour new program other.py --game fish
timeout -s KILL 2 parlour tournament fish random greedy --rows 3 --cols 3 --blocks 3000 && exit 1""",
    ),
    "tutorial/train-an-agent.md": Prepared(),
}
QUICK = {
    "how-to/install.md",
    "how-to/run-a-server.md",
    "how-to/run-a-tournament.md",
    "reference/agents.md",
    "reference/daide.md",
    "reference/diplomacy.md",
    "reference/http-api.md",
    "reference/program-protocol.md",
    "reference/stores.md",
    "tutorial/train-an-agent.md",
}
"""Pages of a few seconds; the others are long."""
ELSEWHERE = {
    "how-to/operate-a-server.md": "needs a container engine; test_deployment.py checks what can be checked without",
    "how-to/use-gymnasium.md": "an environment of its own: make harnesses",
    "how-to/use-inspect.md": "an environment of its own: make harnesses",
    "how-to/use-openenv.md": "an environment of its own: make harnesses",
    "how-to/use-textarena.md": "an environment of its own: make harnesses",
    "how-to/use-verifiers.md": "an environment of its own: make harnesses",
    "tutorial/diplomacy-bot.md": "test_docs.py runs it, and compares what is printed",
    "tutorial/first-bot.md": "test_docs.py runs it, and compares what is printed",
}
"""Pages whose blocks another test runs, or that cannot run, each with the reason."""


def has_namespaces() -> bool:
    """Return True if a process here may have a network and processes of its own."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*ALONE, "true"], check=False).returncode == 0


@pytest.mark.timeout(1200)  # the slowest pages play whole tournaments
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in PAGES]
)
def test_a_reader_can_type_the_shell_blocks_of_the_page(name: str, tmp_path: Path) -> None:
    if not has_namespaces():
        pytest.skip("needs unshare, and namespaces for networks and processes")
    printed = " ".join(run(DOCS / name, PAGES[name], tmp_path).split())
    shown = re.findall(r"^```text\n(.*?)^```", (DOCS / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert not [block for block in shown if " ".join(block.split()) not in printed], printed


def test_every_page_with_shell_blocks_is_run_by_a_test() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if blocks(path)}
    assert pages == PAGES.keys() | ELSEWHERE.keys()
