"""Numbers for Prometheus: what is counted, in its own text form."""

from __future__ import annotations

from parlour.net.http.metrics import Counter, Gauge, Histogram, Numbers, Tally


def test_all_kinds_are_written_as_prometheus_reads_them() -> None:
    numbers = Numbers()
    counted = numbers.show(Counter("asked_total", "Requests.", "path"))
    counted.add('a"\\\n')
    counted.add("b")
    counted.add("b", amount=1.5)
    took = numbers.show(Histogram("seconds", "Time.", "path"))
    for seconds in (0.001, 0.002, 99.0):
        took.observe(seconds, "a")
    numbers.show(Tally("there", "Connections.", "door", lambda: {"b": 2, "a": 1}, rising=False))
    numbers.show(Gauge("awake", "Matches.", lambda: 3))
    numbers.show(Tally("hall_total", "Happened.", "what", lambda: {"woken": 2, "put to sleep": 1}))
    lines = numbers.text().splitlines()
    assert lines[:4] == [
        "# HELP asked_total Requests.",
        "# TYPE asked_total counter",
        'asked_total{path="a\\"\\\\\\n"} 1',
        'asked_total{path="b"} 2.5',
    ]
    assert 'seconds_bucket{path="a",le="0.001"} 1' in lines
    assert 'seconds_bucket{path="a",le="0.0025"} 2' in lines
    assert 'seconds_bucket{path="a",le="10"} 2' in lines
    assert 'seconds_bucket{path="a",le="+Inf"} 3' in lines
    assert 'seconds_sum{path="a"} 99.003' in lines
    assert 'seconds_count{path="a"} 3' in lines
    assert lines[-11:] == [
        "# HELP there Connections.",
        "# TYPE there gauge",
        'there{door="a"} 1',
        'there{door="b"} 2',
        "# HELP awake Matches.",
        "# TYPE awake gauge",
        "awake 3",
        "# HELP hall_total Happened.",
        "# TYPE hall_total counter",
        'hall_total{what="put to sleep"} 1',
        'hall_total{what="woken"} 2',
    ]
