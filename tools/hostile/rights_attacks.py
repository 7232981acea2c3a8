"""Attacks on rights and secrets: names that collide, seats of others, revoked tokens, lists that reveal secrets."""

from __future__ import annotations

import asyncio
import json
import time
from urllib.parse import quote

import websockets
from house import ADMIN, House
from house_attacks import API, POWERS, intend, open_match
from table import Happened, attack
from wire import HOST, Client, ask, new_account, signed_in

SECRET = "A PAR - GAS"


@attack(5, "an account with the name under which somebody sits joins at the diplomacy door")
async def colliding_name(house: House, seconds: float) -> Happened:
    victim, alias = await new_account(house.http), f"alias {time.time_ns()}"
    match = (await open_match(house, victim, terms={"seats_to_start": 1, "wait_flags_up": True})).json["match"]
    seat = {"seat": "FRANCE", "name": alias}
    await ask(house.http, "POST", f"{API}/matches/{match}/seats", seat, token=victim.token)
    await intend(house, victim, match, intent="act", seat="FRANCE", action=[SECRET, "F BRE - MAO"])
    seen = []
    for name in (alias, "dumbbot"):
        thief = await Client.connect(house.ports["mila"])
        entered = await thief.ask("sign_in", username=name, password="a good password")
        thief.token = str(entered.get("data", ""))
        answers = [await thief.ask("join_game", game_id=match, power_name=power) for power in ("FRANCE", None)]
        about = {"game_id": match, "game_role": "FRANCE", "phase": "S1901M"}
        answers.append(await thief.ask("synchronize", timestamp=0, **about))
        answers.append(await thief.ask("save_game", **about))
        seen.append(json.dumps([answers, [text.decode() for text in thief.heard]]))
        await thief.close()
    own = await ask(house.http, "GET", f"{API}/matches/{match}", token=victim.token)
    assert SECRET.encode() in own.body, "there was nothing to see"
    found = SECRET in "".join(seen)
    return Happened(f"the orders were {'seen' if found else 'not seen'}", succeeded=found)


@attack(6, "accounts with names that the server makes for itself")
async def server_names(house: House, seconds: float) -> Happened:
    taken = []
    for name in ("daide 1 FRANCE", " assistant 0", "house", "parlour", "admin ", "system"):
        reply = await ask(house.http, "POST", f"{API}/accounts", {"name": name, "password": "a good password"})
        if reply.status < 300:
            taken.append(name)
    reserved = [name for name in taken if not name.startswith("daide")]
    return Happened(f"could be had: {taken or 'none'}", succeeded=bool(reserved))


@attack(8, "a connection goes on after its account was locked")
async def locked_connection(house: House, seconds: float) -> Happened:
    name = f"locked {time.time_ns()}"
    account, admin = await new_account(house.http, name), await signed_in(house.http, "admin", ADMIN)
    match = (await open_match(house, account, terms={"seats_to_start": 1, "wait_flags_up": True})).json["match"]
    await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=account.token)
    client = await Client.connect(house.ports["mila"])
    await client.sign_in(name)
    cookie = {"Cookie": f"parlour={account.token}"}
    line = await websockets.connect(f"ws://{HOST}:{house.http}/match/{match}/line", additional_headers=cookie)
    await line.send("{}")
    await line.recv()
    path = f"{API}/accounts/{quote(name)}/lock"
    locked = (await ask(house.http, "PUT", path, {"locked": True}, token=admin.token)).status
    await asyncio.sleep(1.2)
    still = []
    try:
        async with asyncio.timeout(3.0):
            answer = await client.ask("get_playable_powers", game_id=match)
        still += [] if answer["name"] == "error" else ["diplomacy door"]
    except (websockets.ConnectionClosed, TimeoutError):
        pass
    try:
        async with asyncio.timeout(3.0):
            await line.send('{"id": 9, "intent": "act", "seat": "FRANCE", "action": ["A PAR H"]}')
            while '"ok":9' not in str(await line.recv()):
                pass
            still.append("page")
    except (websockets.ConnectionClosed, TimeoutError):
        pass
    if (await ask(house.http, "GET", f"{API}/accounts/me", token=account.token)).status == 200:
        still.append("API")
    return Happened(f"locked with {locked}; goes on: {still or 'nothing'}", succeeded=bool(still))


@attack(15, "an opponent takes the seat that another has left")
async def second_seat(house: House, seconds: float) -> Happened:
    owner, victim, rival = [await new_account(house.http) for _ in range(3)]
    match = (await open_match(house, owner, terms={"seats_to_start": 2, "wait_flags_up": True})).json["match"]
    for account, seat in ((victim, "FRANCE"), (rival, "ITALY")):
        await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": seat}, token=account.token)
    await intend(house, victim, match, intent="act", seat="FRANCE", action=[SECRET])
    await intend(house, victim, match, intent="leave", seat="FRANCE")
    reply = await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=rival.token)
    seen = await ask(house.http, "GET", f"{API}/matches/{match}", token=rival.token)
    read = SECRET.encode() in seen.body
    return Happened(f"the seat: {reply.status}; orders {'seen' if read else 'unseen'}", reply.status < 300 or read)


@attack(15, "a stranger takes a seat that was left, for its private press, notes and orders")
async def left_seat(house: House, seconds: float) -> Happened:
    owner, victim, friend, stranger = [await new_account(house.http) for _ in range(4)]
    terms = {"seats_to_start": 2, "wait_flags_up": True, "press": {"mode": "any time"}}
    match = (await open_match(house, owner, terms=terms)).json["match"]
    seats = f"{API}/matches/{match}/seats"
    for account, seat in ((victim, "FRANCE"), (friend, "ITALY")):
        await ask(house.http, "POST", seats, {"seat": seat}, token=account.token)
    for secret in (
        {"intent": "say", "text": SECRET, "to": ["ITALY"]},
        {"intent": "note", "text": SECRET},
        {"intent": "act", "action": [SECRET]},
        {"intent": "leave"},
    ):
        given = await intend(house, victim, match, seat="FRANCE", **secret)
        assert given.status < 300, given.body
    taken = await ask(house.http, "POST", seats, {"seat": "FRANCE"}, token=stranger.token)
    assert taken.status < 300, taken.body
    paths = [f"{API}/matches/{match}{part}" for part in ("", "/events", "/record", "/phases", "/saved-game")]
    replies = [await ask(house.http, "GET", f"{path}?as=FRANCE", token=stranger.token) for path in paths]
    leaks = [path for path, reply in zip(paths, replies, strict=True) if SECRET.encode() in reply.body]
    return Happened(f"looked in {len(paths)} places; found in {leaks or 'none'}", succeeded=bool(leaks))


@attack(17, "a list tells how a match stands that is shown with a delay")
async def delayed_list(house: House, seconds: float) -> Happened:
    owner, title = await new_account(house.http), f"delayed {time.time_ns()}"
    fields = {"agents": dict.fromkeys(POWERS, "random"), "config": {"last_year": 1901}, "delay": 3600.0, "title": title}
    match = (await open_match(house, owner, **fields)).json["match"]
    end = time.monotonic() + 20.0
    while time.monotonic() < end:
        path = f"{API}/matches/{match}?as=moderator"
        if (await ask(house.http, "GET", path, token=owner.token)).json.get("status") == "over":
            break
        await asyncio.sleep(0.5)
    else:
        raise AssertionError("the match did not end, so there was nothing to tell")
    listed = (await ask(house.http, "GET", f"{API}/matches")).json["matches"]
    row = next((one for one in listed if one["match"] == match), {})
    looked = (await ask(house.http, "GET", f"{API}/matches/{match}")).json
    told = {name: row.get(name) for name in ("status", "turn", "phase", "outcome") if row.get(name)}
    leaks = row.get("status") == "over" or row.get("outcome") is not None or looked.get("status") == "over"
    gone = await delayed_end_of_player(house)
    words = ", and the list of a player's matches that it is over" if gone else ""
    return Happened(f"a stranger's list says {told}{words}", succeeded=bool(leaks) or gone)


async def delayed_end_of_player(house: House) -> bool:
    """Return True if a match that is shown later leaves a player's unfinished matches as soon as it ends."""
    player = await new_account(house.http)
    match = (await open_match(house, player, delay=3600.0)).json["match"]
    await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=player.token)
    ended = await intend(house, player, match, intent="cancel", by=player.name, reason="rain")
    assert ended.status == 200, ended
    found = []
    for status in ("forming", "running"):
        path = f"{API}/matches?status={status}&account={quote(player.name)}"
        found += [one["match"] for one in (await ask(house.http, "GET", path)).json["matches"]]
    return match not in found


@attack(18, "guessing the password of a match")
async def match_password(house: House, seconds: float) -> Happened:
    owner, thief = await new_account(house.http), await new_account(house.http)
    match = (await open_match(house, owner, password="swordfish")).json["match"]
    seen: dict[int, int] = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        body = {"seat": "FRANCE", "password": f"guess {time.time_ns()}"}
        reply = await ask(house.http, "POST", f"{API}/matches/{match}/seats", body, token=thief.token)
        seen[reply.status] = seen.get(reply.status, 0) + 1
    other = await new_account(house.http, source="127.0.0.2", patience=0.0)
    fast = seen.get(403, 0) / seconds > 15
    return Happened(f"answers {seen}; others sign in: {bool(other.token)}", succeeded=fast or 201 in seen)


@attack(20, "names that look like another's")
async def confusable_names(house: House, seconds: float) -> Happened:
    await new_account(house.http, "Alexandra")
    taken = []
    for name in ("Alex\u200bandra", "\u0410lexandra", "\u0430dmin", "adm\u0131n", "dumbbot", "x\u202ey", "admin\u00ad"):
        reply = await ask(house.http, "POST", f"{API}/accounts", {"name": name, "password": "a good password"})
        if reply.status < 300:
            taken.append(ascii(name))
    return Happened(f"could be had: {', '.join(taken) or 'none'}", succeeded=bool(taken))


@attack(21, "a list by account tells of unlisted matches")
async def unlisted_matches(house: House, seconds: float) -> Happened:
    owner = await new_account(house.http)
    match = (await open_match(house, owner, listed=False, title="a secret table")).json["match"]
    await ask(house.http, "POST", f"{API}/matches/{match}/seats", {"seat": "FRANCE"}, token=owner.token)
    leaks = []
    for query in (
        f"account={quote(owner.name)}",
        f"owner={quote(owner.name)}",
        f"player={quote(owner.name)}",
        "limit=1",
    ):
        reply = await ask(house.http, "GET", f"{API}/matches?{query}")
        found = reply.json if reply.status == 200 else {"matches": []}
        if any(one["match"] == match for one in found["matches"]) or (not found["matches"] and found.get("more")):
            leaks.append(query.partition("=")[0])
    return Happened(f"told by: {leaks or 'nothing'}", succeeded=bool(leaks))
