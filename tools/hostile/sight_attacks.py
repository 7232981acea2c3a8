"""Attacks on sight: demoted onlookers, unlisted and hidden matches, viewers that are none, old passwords."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any
from urllib.parse import quote

from house import House
from house_attacks import API, POWERS, intend, open_match
from table import Happened, attack
from wire import HOST, Account, Client, ask, new_account, signed_in

from parlour.games.diplomacy.maps.map import standard
from parlour.net.daide.tokens import codec, letters

SECRET = "A PAR - GAS"
TALKS = {"seats_to_start": 1, "wait_flags_up": True, "press": {"mode": "any time"}}


async def played_by(house: House, owner: Account, player: Account, **fields: Any) -> str:
    """Return a match in which the player has France."""
    match = str((await open_match(house, owner, terms=TALKS, **fields)).json["match"])
    seat = {"seat": "FRANCE", "password": fields.get("password", "")}
    taken = await ask(house.http, "POST", f"{API}/matches/{match}/seats", seat, token=player.token)
    assert taken.status < 300, taken.body
    return match


async def said(house: House, player: Account, match: str, to: list[str]) -> None:
    """Send the secret as press."""
    reply = await intend(house, player, match, intent="say", seat="FRANCE", text=SECRET, to=to)
    assert reply.status < 300, reply.body


@attack(9, "an omniscient at the diplomacy door who was demoted listens on")
async def demoted(house: House, seconds: float) -> Happened:
    owner, player = [await new_account(house.http) for _ in range(2)]
    name = f"seer {time.time_ns()}"
    client = await Client.connect(house.ports["mila"])
    await client.sign_in(name)
    match = await played_by(house, owner, player)
    role = f"{API}/matches/{match}/roles/{quote(name)}"
    await ask(house.http, "PUT", role, {"role": "omniscient"}, token=owner.token)
    joined = await client.ask("join_game", game_id=match)
    assert joined["name"] == "data_game", joined
    assert joined["data"]["role"] == "omniscient_type", "it never saw all"
    await ask(house.http, "PUT", role, {"role": ""}, token=owner.token)
    await said(house, player, match, ["ITALY"])
    await intend(house, player, match, intent="act", seat="FRANCE", action=[SECRET])
    about = {"game_id": match, "game_role": "omniscient_type", "phase": "S1901M"}
    answers = [
        await client.ask(what, **about, **more) for what, more in (("save_game", {}), ("synchronize", {"timestamp": 0}))
    ]
    await asyncio.sleep(1.0)
    await client.ask("get_playable_powers", game_id=match)
    await client.close()
    seen = SECRET in json.dumps([answers, [text.decode() for text in client.heard]])
    return Happened(f"the orders and the press were {'seen' if seen else 'not seen'}", succeeded=seen)


@attack(16, "a DAIDE client is seated in a match that is not listed")
async def unlisted_daide(house: House, seconds: float) -> Happened:
    owner = await new_account(house.http)
    match = (await open_match(house, owner, listed=False, title="a secret table")).json["match"]
    words, heard = codec(standard()), b""
    reader, writer = await asyncio.open_connection(HOST, house.ports["daide"])
    writer.write(b"\x00\x00\x00\x04\x00\x01\xda\x10")
    for tokens in (["NME", "(", *letters("bot"), ")", "(", *letters("1"), ")"], ["OBS"]):
        body = words.encode(tokens)
        writer.write(b"\x02\x00" + len(body).to_bytes(2, "big") + body)
    try:
        async with asyncio.timeout(2.0):
            while True:
                heard += await reader.read(1 << 16)
    except TimeoutError:
        pass
    view = (await ask(house.http, "GET", f"{API}/matches/{match}", token=owner.token)).json
    writer.close()
    assert len(heard) > 8, "nothing was answered, so nothing was tried"
    seated = [seat for seat, one in view["seats"].items() if one["present"]]
    return Happened(f"of the match that is not listed it got {seated or 'no seat'}", succeeded=bool(seated))


@attack(18, "looking at matches as one who has no seat: with a password, shown later, shown later and then disclosed")
async def no_seat(house: House, seconds: float) -> Happened:
    owner, player, leaks = await new_account(house.http), await new_account(house.http), []
    guarded = await played_by(house, owner, player, password="swordfish", guarded=True)
    late = await played_by(house, owner, player, delay=3600.0)
    for match in (guarded, late):
        await said(house, player, match, [])
    agents = {"agents": dict.fromkeys(POWERS, "random"), "config": {"last_year": 1901}, "delay": 3600.0}
    ended = (await open_match(house, owner, terms={"disclosed": True}, **agents)).json["match"]
    end = time.monotonic() + 20.0
    while (await ask(house.http, "GET", f"{API}/matches/{ended}?as=moderator", token=owner.token)).json[
        "status"
    ] != "over":
        assert time.monotonic() < end, "the match did not end, so there was nothing to see"
        await asyncio.sleep(0.5)
    for match in (guarded, late, ended):
        for part in ("", "/events", "/record", "/saved-game", "/phases"):
            for query in ("", "?as=,", "?as=%20", "?as=spectator"):
                body = (await ask(house.http, "GET", f"{API}/matches/{match}{part}{query}")).body
                if SECRET.encode() in body or b'"over"' in body or b'"turn ended"' in body:
                    leaks.append(f"{part or '/'}{query}")
    return Happened(f"seen by {sorted(set(leaks)) or 'nothing'}", succeeded=bool(leaks))


@attack(8, "signing in with the old password while it is being changed")
async def old_password(house: House, seconds: float) -> Happened:
    name = f"changed {time.time_ns()}"
    owner, tokens = await new_account(house.http, name), []

    async def sign_in() -> None:
        while True:
            try:
                tokens.append((await signed_in(house.http, name, "a good password")).token)
            except PermissionError:
                return

    thieves = [asyncio.ensure_future(sign_in()) for _ in range(6)]
    await asyncio.sleep(1.0)
    change = {"old": "a good password", "new": "a better password"}
    status = (await ask(house.http, "PUT", f"{API}/accounts/me/password", change, token=owner.token)).status
    assert status == 204, status
    async with asyncio.timeout(60.0):
        await asyncio.gather(*thieves)
    alive = [
        token for token in tokens if (await ask(house.http, "GET", f"{API}/accounts/me", token=token)).status == 200
    ]
    return Happened(f"{len(alive)} of {len(tokens)} tokens outlived the change", succeeded=bool(alive))
