"""A client that left, and for which an agent of the house played since, joins again and plays on in the same turn."""

from __future__ import annotations

from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.net.client import Connection
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.mila.at_home import at_home, sign_in
from support.mila.house import House
from support.waiting import inside, until

FRANCE = Seat("FRANCE")
REST = ("AUSTRIA", "GERMANY", "ITALY", "RUSSIA", "TURKEY")


@inside(at_home)
async def test_who_left_joins_again_and_has_the_power_at_once(house: House, connection: Connection) -> None:
    agents = {Seat(power): "hold" for power in REST}
    await house.hall.open(MatchSetup(game="diplomacy", terms=Terms(HOSTED), match="m", agents=agents, stand_in="hold"))
    anna, bert = await sign_in(connection, "anna"), await sign_in(connection, "bert")
    france = await anna.join_game(game_id="m", power_name="FRANCE")
    england = await bert.join_game(game_id="m", power_name="ENGLAND")
    await until(lambda: england.is_game_active)
    await france.leave()
    hosted = await house.hall.wake("m")
    await until(lambda: hosted.seating[FRANCE].agent == "hold" and hosted.match.state.places[FRANCE].acted)
    await until(lambda: england.powers["FRANCE"].get_controller() == "hold")
    again = await anna.join_game(game_id="m", power_name="FRANCE")
    assert again.role == "FRANCE"
    await until(lambda: england.powers["FRANCE"].get_controller() == "anna")
    await again.set_orders(orders=["A PAR - BUR"], wait=False)
    await england.set_orders(orders=[], wait=False)
    await until(lambda: again.get_current_phase() == "F1901M")
    assert again.order_history["S1901M"]["FRANCE"] == ["A PAR - BUR"], "instead of the agent's orders"
