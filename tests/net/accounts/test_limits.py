"""Limits: buckets empty and fill up, and memory stays bounded."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from parlour.errors import Denied
from parlour.net.accounts.limits import ACCOUNTS, Buckets, RequestLimits, network_of
from parlour.net.permission_errors import DenialCode


def test_a_bucket_empties_and_fills_up_again() -> None:
    buckets = Buckets(rate=2.0, size=3.0)
    assert [buckets.take("a", 100.0) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert buckets.take("b", 100.0) == 0.0
    assert buckets.take("a", 100.4) == pytest.approx(0.1)
    assert buckets.take("a", 100.5) == 0.0
    assert buckets.take("a", 100.5) == pytest.approx(0.5)
    # Never fuller than it is large, however long nobody came.
    assert [buckets.take("a", 1000.0) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def test_a_clock_that_goes_back_fills_no_bucket() -> None:
    buckets = Buckets(rate=1.0, size=1.0)
    assert buckets.take("a", 100.0) == 0.0
    assert buckets.take("a", 50.0) == 1.0
    assert buckets.take("a", 50.5) == 0.5


def test_more_than_one_can_be_taken() -> None:
    buckets = Buckets(rate=1.0, size=10.0)
    assert buckets.take("a", 0.0, 10.0) == 0.0
    assert buckets.take("a", 5.0, 10.0) == 5.0


def test_what_is_owed_is_paid_back_at_the_same_rate() -> None:
    buckets = Buckets(rate=1.0, size=2.0)
    waits = []
    for _ in range(6):
        waits.append(buckets.wait("a", 0.0))
        buckets.owe("a", 0.0)
    assert waits == [0.0, 0.0, 1.0, 2.0, 3.0, 3.0]  # at most as much is owed as a bucket holds
    assert buckets.wait("a", 2.0) == 1.0
    assert buckets.wait("a", 3.0) == 0.0
    assert buckets.wait("b", 0.0) == 0.0


def test_a_demand_says_how_long_to_wait() -> None:
    buckets = Buckets(rate=0.1, size=1.0)
    buckets.demand("a", 0.0, "sign-ins")
    with pytest.raises(Denied, match=r"^too many sign-ins: try again in 10.0 s$") as told:
        buckets.demand("a", 0.0, "sign-ins")
    assert told.value.code == DenialCode.TOO_OFTEN
    assert told.value.wait == pytest.approx(10.0)


def test_memory_is_bounded_and_who_came_last_is_remembered() -> None:
    buckets = Buckets(rate=1.0, size=1.0, max_keys=3)
    for key in "abca":
        buckets.take(key, 0.0)
    buckets.take("d", 0.0)
    assert len(buckets) == 3
    assert buckets.take("a", 0.0) > 0
    assert buckets.take("b", 0.0) == 0.0  # forgotten, so it is full again


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_what_counts_as_one_address(address: str, network: str) -> None:
    assert network_of(address) == network


def test_whether_a_bucket_is_empty_can_be_asked_without_taking() -> None:
    buckets = Buckets(rate=1.0, size=1.0)
    assert not buckets.is_empty("a", 0.0)
    assert not buckets.is_empty("a", 0.0)
    buckets.take("a", 0.0)
    assert buckets.is_empty("a", 0.0)
    assert buckets.is_empty("a", 0.9)
    assert not buckets.is_empty("a", 1.0)


def test_requests_count_for_the_account_and_all_accounts_of_an_address_together() -> None:
    limits = RequestLimits(1e-6, 2, clock=lambda: 0.0)
    for account in range(ACCOUNTS - 1):
        for _ in range(2):
            limits.demand("192.0.2.1", f"account {account}")
        with pytest.raises(Denied):
            limits.demand("192.0.2.2", f"account {account}")  # from elsewhere, too
    limits.demand("192.0.2.1")
    limits.demand("192.0.2.1")
    with pytest.raises(Denied):
        limits.demand("192.0.2.1", "another")
    limits.demand("198.51.100.1", "another")


def test_refused_requests_of_one_use_up_nothing_of_the_others_at_its_address() -> None:
    limits = RequestLimits(1e-6, 2, clock=lambda: 0.0)
    for number in range(10 * ACCOUNTS):
        with pytest.raises(Denied) if number >= 2 else nullcontext():
            limits.demand("192.0.2.1", "noisy")
    limits.demand("192.0.2.1", "quiet")
