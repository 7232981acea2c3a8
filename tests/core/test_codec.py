"""Every event and intent goes to JSON and MessagePack and back, under a tag of its own, and says what it is for."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given

from parlour.core.events import Event
from parlour.core.intents import Intent
from support.matches import hostile as hostile

INTENTS, EVENTS = get_args(Intent), get_args(Event)
_json: msgspec.json.Decoder[Intent] = msgspec.json.Decoder(Intent)
_pack: msgspec.msgpack.Decoder[Intent] = msgspec.msgpack.Decoder(Intent)


@given(hostile.intents)
def test_an_intent_survives_both_codecs(intent: Intent) -> None:
    assert _json.decode(msgspec.json.encode(intent)) == intent
    assert _pack.decode(msgspec.msgpack.encode(intent, order="sorted")) == intent


@pytest.mark.parametrize("kind", [*INTENTS, *EVENTS], ids=lambda kind: kind.__name__)
def test_each_kind_is_documented_and_frozen(kind: type[Any]) -> None:
    assert kind.__doc__
    assert kind.__doc__[0].isupper()
    assert kind.__struct_config__.frozen


@pytest.mark.parametrize("union", [INTENTS, EVENTS])
def test_tags_are_words_and_no_two_are_the_same(union: tuple[type[Any], ...]) -> None:
    tags = [kind.__struct_config__.tag for kind in union]
    assert len(set(tags)) == len(tags)
    assert all(tag == tag.lower() for tag in tags)


@pytest.mark.parametrize("text", ["{}", '{"intent": "fly"}', '{"intent": "act", "seat": 3, "action": 1}', "[]", "null"])
def test_what_is_no_intent_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        _json.decode(text)
