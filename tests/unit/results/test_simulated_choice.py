from tests.unit.results.making import texts
from workbench.results.statistics.objective_checks import Check, undecided_by_profile

H100 = "h100_sxm/Llama-3.1-8B/tp1"  # known error: TTFT ±23 %, TPOT ±10 %


def check(objective: str, value: float | None, limit: float, cls: str | None = None) -> Check:
    met = None if value is None else value <= limit
    return Check(objective=objective, cls=cls, limit=limit, value=value, met=met)


def test_that_a_simulated_figure_near_its_limit_is_said_to_be_undecided() -> None:
    checks = [
        check("ttft_p95_ms", 450.0, 500.0),
        check("ttft_p95_ms", 300.0, 500.0, cls="chat"),
        check("itl_p95_ms", 21.0, 20.0, cls="chat"),
        check("itl_p95_ms", 30.0, 20.0),
    ]
    near, missed = texts(undecided_by_profile(H100, checks))
    assert near == (
        "ttft_p95_ms 450 lies within the profile's known error (±23 %) of its limit 500: "
        "on a real server undecided"
    )
    assert missed.startswith("itl_p95_ms of chat 21 lies within the profile's known error (±10 %)")


def test_that_nothing_is_said_of_a_real_server_an_unknown_profile_or_an_unknown_figure() -> None:
    near = [check("ttft_p95_ms", 450.0, 500.0)]
    assert undecided_by_profile(None, near) == []
    assert undecided_by_profile("gone/M/tp1", near) == []
    others = [check("ttft_p95_ms", None, 500.0), check("preemptions", 1.0, 1.0)]
    assert undecided_by_profile(H100, others) == []
