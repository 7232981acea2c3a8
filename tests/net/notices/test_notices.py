"""Notices: whoever asked is told once that a match waits, and nobody else; servers that hang stop nothing."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from parlour.core.game import Seat
from parlour.core.intents import Act, SetWait
from parlour.core.terms import Clock, PressTerms, Terms, Vacancy
from parlour.errors import Denied, Unreachable
from parlour.net.hall import Hall
from parlour.net.notices.mail import Mailer, MailServer, checked_address
from parlour.net.notices.notifier import Notifier
from parlour.net.notices.outside import Outside, is_public
from parlour.net.notices.push import Pusher, PushKey
from parlour.net.notices.wishes import MOST_BROWSERS
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from parlour.store import Account, AccountChange, open_store
from support.hall.people import session_of
from support.waiting import inside

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
URL = "https://play.example.org"


class Requests:
    """A push service on this machine: keeps what it is sent, and answers as it is told."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.status = 201
        self.came = asyncio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(f"HTTP/1.1 {self.status} There\r\n\r\n".encode())
        writer.close()
        self.came.set()


class Mails:
    """An SMTP server on this machine."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.came = asyncio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[MailServer]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            yield MailServer("127.0.0.1", port, "parlour@example.org", security="none")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 here\r\n")
        while line := await reader.readline():
            if line.upper().startswith(b"DATA"):
                writer.write(b"354 go on\r\n")
                self.texts.append((await reader.readuntil(b"\r\n.\r\n")).decode().replace("=\r\n", ""))
            writer.write(b"221 bye\r\n" if line.upper().startswith(b"QUIT") else b"250 good\r\n")
            if line.upper().startswith(b"QUIT"):
                break
        writer.close()
        self.came.set()


@asynccontextmanager
async def hall_in(folder: Path) -> AsyncIterator[Hall]:
    with open_store(str(folder / "parlour.db")) as store:
        hall = Hall(store)
        await hall.start()
        yield hall
        await hall.close()


async def match_of(hall: Hall, account: str) -> str:
    terms = Terms(HOSTED, Clock(per_turn=86_400.0), PressTerms(), vacancy=Vacancy.DEFAULT)
    agents = {Seat(power): "hold" for power in POWERS if power != "FRANCE"}
    setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms, title="Friday", agents=agents)
    match = await session_of(hall, account).open(setup)
    await session_of(hall, account).join(match, Seat("FRANCE"))
    return match


def run(work: Callable[[], object]) -> None:
    asyncio.run(asyncio.wait_for(work(), 60))  # type: ignore[arg-type]


@inside(run)
async def test_a_browser_is_woken_by_a_signed_message_without_a_word(*, tmp_path: Path) -> None:
    service = Requests()
    async with hall_in(tmp_path) as hall, service.open() as address:
        notifier = Notifier(hall, outside=Outside(local=True), contact="mailto:op@example.org", grace=0.0)
        await notifier.start()
        await notifier.book.add_browser("ann", f"{address}/push/1?x=2")
        await match_of(hall, "ann")
        await service.came.wait()
        (head,) = service.heads
        assert head.startswith("POST /push/1?x=2 HTTP/1.1\r\n")
        assert "Content-Length: 0" in head
        assert "Friday" not in head
        token, key = re.findall(r"vapid t=([\w.-]+), k=([\w-]+)", head)[0]
        claims = check_token(token, key)
        assert claims["aud"] == address
        assert claims["sub"] == "mailto:op@example.org"
        assert notifier.pusher is not None
        assert notifier.pusher.public_key == key
        notifier.close()


def check_token(token: str, key: str) -> dict[str, object]:
    """Return the claims of a token; InvalidSignature unless the key signed it."""
    raw = [base64.urlsafe_b64decode(part + "==") for part in (*token.split("."), key)]
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw[3])
    r, s = int.from_bytes(raw[2][:32]), int.from_bytes(raw[2][32:])
    signed = token.rpartition(".")[0].encode()
    public.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
    found: dict[str, object] = json.loads(raw[1])
    return found


def test_a_changed_token_is_not_signed() -> None:
    key = PushKey(PushKey.make())
    token = key.token("https://push.example.org", "", 1e9)
    head, claims, signature = token.split(".")
    with pytest.raises(InvalidSignature):
        check_token(f"{head}.{claims[:-4]}AAAA.{signature}", key.public)


@inside(run)
async def test_a_subscription_that_is_gone_is_forgotten_and_whoever_has_acted_is_not_told(*, tmp_path: Path) -> None:
    service = Requests()
    service.status = 410
    async with hall_in(tmp_path) as hall, service.open() as address:
        notifier = Notifier(hall, outside=Outside(local=True), grace=0.0)
        await notifier.start()
        await notifier.book.add_browser("ann", f"{address}/gone")
        match = await match_of(hall, "ann")
        await service.came.wait()
        async with asyncio.timeout(30):
            while (await notifier.book.of("ann")).browsers:  # noqa: ASYNC110  # nobody says that it is forgotten
                await asyncio.sleep(0)
        await notifier.book.add_browser("ann", f"{address}/again")
        hosted = await hall.wake(match)
        turn = hosted.match.turn
        await session_of(hall, "ann").submit(match, Act(Seat("FRANCE"), []), SetWait(Seat("FRANCE"), False))
        assert await notifier._still("ann", match, turn) is None
        notifier.close()


@inside(run)
async def test_an_account_that_is_locked_is_told_nothing(*, tmp_path: Path) -> None:
    service = Requests()
    async with hall_in(tmp_path) as hall, service.open() as address:
        notifier = Notifier(hall, outside=Outside(local=True), grace=3600.0)
        await notifier.start()
        await hall.store.keep(Account("ann", ""))
        await notifier.book.add_browser("ann", f"{address}/push")
        noted = {await match_of(hall, "ann"): 1}
        for locked in (True, False):
            await hall.store.keep(AccountChange("ann", locked=locked))
            await notifier._tell("ann", noted)
            assert len(service.heads) == (not locked)
        notifier.close()


@inside(run)
async def test_mail_goes_to_who_confirmed_the_address_and_ends_by_its_link(*, tmp_path: Path) -> None:
    mails = Mails()
    async with hall_in(tmp_path) as hall, mails.open() as server:
        notifier = Notifier(hall, url=URL, mailer=Mailer(server), grace=0.0)
        await notifier.start()
        await notifier.ask_mail("ann", "ann@example.org", "127.0.0.1")
        (asked,) = mails.texts
        assert "To: ann@example.org" in asked
        token = re.findall(r"token=3D([\w-]+)|token=([\w-]+)", asked)[0]
        assert not await notifier.book.confirm_mail("ann", "guessed", hall.now())
        assert not await notifier.book.confirm_mail("ben", "".join(token), hall.now())
        assert await notifier.book.confirm_mail("ann", "".join(token), hall.now())
        mails.came.clear()
        match = await match_of(hall, "ann")
        await mails.came.wait()
        told = mails.texts[-1]
        assert "Subject: Your turn: Friday" in told
        assert re.search(r"Friday\r\nYou play France, until \w+ \d+ \w+ 20\d\d, \d\d:\d\d UTC\.", told)
        assert f"{URL}/match/{match}" in told
        assert "List-Unsubscribe: <" in told
        proof = notifier.book.stop_proof("ann", "ann@example.org")
        assert await notifier.book.is_stop_proof("ann", proof)
        assert not await notifier.book.is_stop_proof("ann", proof[:-1] + "x")
        await notifier.book.forget_mail("ann")
        assert (await notifier.book.of("ann")).mail == ""
        await Mailer(server).send("ann@example.org", "Your turn: one\u2028two\nBcc: eve@example.org", "text")
        assert "Subject: Your turn: one two Bcc: eve@example.org" in mails.texts[-1], "titles of old stores"
        notifier.close()


@inside(run)
async def test_nobody_is_mailed_often_whatever_somebody_else_asks_for(*, tmp_path: Path) -> None:
    mails = Mails()
    async with hall_in(tmp_path) as hall, mails.open() as server:
        notifier = Notifier(hall, url=URL, mailer=Mailer(server))
        await notifier.start()
        for number in range(2):
            await notifier.ask_mail(f"bad{number}", "victim@example.org", f"10.0.0.{number}")
        with pytest.raises(Denied, match="too many mails"):
            await notifier.ask_mail("bad3", "Victim@example.org", "10.0.0.3")
        assert len(mails.texts) == 2
        notifier.close()


@pytest.mark.parametrize(
    "address", ["", "ann", "ann@here", "a@b.org, c@d.org", "a@b.org\nBcc: c@d.org", "<a@b.org>", f"{'a' * 300}@b.org"]
)
def test_what_is_no_address_gets_no_mail(address: str) -> None:
    with pytest.raises(Denied):
        checked_address(address)


@inside(run)
async def test_servers_that_hang_are_given_up() -> None:
    writers: list[asyncio.StreamWriter] = []

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await reader.read()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    mailer = Mailer(MailServer("127.0.0.1", port, "p@example.org", security="none"), timeout=0.05)
    pusher = Pusher(PushKey(PushKey.make()), Outside(local=True, timeout=0.05))
    with pytest.raises(Unreachable):
        await mailer.send("ann@example.org", "subject", "text")
    with pytest.raises(Unreachable):
        await pusher.wake(f"http://127.0.0.1:{port}/", 0.0)
    server.close()
    for writer in writers:  # a thread may still hold the other end when the loop closes
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize(
    "url",
    [
        "http://push.example.org/1", "https://127.0.0.1/", "https://[::1]/", "https://localhost/", "https://2130706433/",
        "https://push.example.org:8080/", "https://user@push.example.org/", "ftp://push.example.org/", "https://",
        "https://push.example.org/\r\nX: y", f"https://push.example.org/{'x' * 600}", "https://push.example.org:99999/",
        "https://[", "https://[::1", "https://[x]/",
    ],
)  # fmt: skip
def test_endpoints_that_could_lead_inside_are_refused(url: str) -> None:
    with pytest.raises(Denied):
        Outside().check(url)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True), ("2606:2800:220:1::1", True), ("127.0.0.1", False), ("10.1.2.3", False),
        ("169.254.169.254", False), ("::1", False), ("::ffff:10.0.0.1", False), ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False), ("fe80::1%eth0", False), ("224.0.0.1", False), ("0.0.0.0", False),
        ("100.64.0.1", False),
    ],
)  # fmt: skip
def test_only_public_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


@inside(run)
async def test_a_name_that_leads_inside_is_not_called(*, monkeypatch: pytest.MonkeyPatch) -> None:
    async def inside(*asked: object, **named: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", ("93.184.216.34", 443)), (2, 1, 6, "", ("10.0.0.7", 443))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", inside, raising=False)
    with pytest.raises(Unreachable, match="no public address"):
        await Outside().post("https://push.example.org/", {})


@inside(run)
async def test_an_account_has_few_browsers(*, tmp_path: Path) -> None:
    async with hall_in(tmp_path) as hall:
        notifier = Notifier(hall)
        for number in range(MOST_BROWSERS + 3):
            await notifier.book.add_browser("ann", f"https://push.example.org/{number}")
        found = (await notifier.book.of("ann")).browsers
        assert len(found) == MOST_BROWSERS
        assert found[-1].endswith(f"/{MOST_BROWSERS + 2}")
        notifier.close()
