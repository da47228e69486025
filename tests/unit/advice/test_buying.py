"""Offers, the decision sheet and the checklist: what a buyer reads."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from workbench.advice import (
    Offer,
    SystemResult,
    compare_systems,
    cost_per_hour,
    offer_of,
    read_offers,
    warnings_of,
    write_offers,
)
from workbench.base import InputError, message
from workbench.results import Demand, servers_needed

RENTAL = """
[[offer]]
name = "one H100"
supplier = "A cloud"
gpu = "h100"
count = 1
price = 2.5
currency = "EUR"
basis = "on_demand"
date = 2026-11-01
source = "their price page"
"""


def _offer(**changes: Any) -> Offer:
    fields: dict[str, Any] = {
        "name": "one H100", "supplier": "A", "gpu": "h100", "count": 1, "price": 2.5, "currency": "EUR",
        "basis": "on_demand", "date": dt.date(2026, 11, 1), "source": "page",
    }  # fmt: skip
    return Offer(**{**fields, **changes})


def _offers(tmp_path: Path, text: str) -> list[Offer]:
    file = tmp_path / "offers.toml"
    file.write_text(text)
    return read_offers(file)


def test_that_an_offer_is_read_as_the_user_wrote_it(tmp_path: Path) -> None:
    (offer,) = _offers(tmp_path, RENTAL)
    assert (offer.price, offer.currency, offer.date) == (2.5, "EUR", dt.date(2026, 11, 1))


def test_that_an_offer_takes_the_names_that_cost_has_in_an_experiment(tmp_path: Path) -> None:
    text = RENTAL.replace("price = ", "per_hour = ").replace("date = ", "price_date = ")
    assert _offers(tmp_path, text) == _offers(tmp_path, RENTAL)


def test_that_the_offers_file_of_the_documentation_can_be_read(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "reference" / "experiment-file.md").read_text("utf-8")
    example = text[text.index("    [[offer]]") :].partition("\n\n")[0]
    (offer,) = _offers(tmp_path, "\n".join(line[4:] for line in example.splitlines()))
    assert (offer.name, offer.basis, offer.price) == ("one H100", "on_demand", 2.5)


def test_that_a_purchase_has_no_price_an_hour(tmp_path: Path) -> None:
    text = RENTAL.replace("price = ", "per_hour = ").replace("on_demand", "purchase")
    with pytest.raises(InputError, match="a purchase has a price, not a price per hour"):
        _offers(tmp_path, text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("date = 2026-11-01\n", ""), "offer one H100.: .*date.*a price without a date"),
        (('gpu = "h100"', 'gpu = "h1000"'), "offers.toml: .offer one H100. gpu: no GPU called 'h1000'"),
        (("price = 2.5", "price = 0"), "offer one H100. price: must be above 0"),
        (("price = 2.5", "price = inf"), "price: must be above 0 and at most .*, not inf"),
        (("price = 2.5", "price = nan"), "price: must be .*, not nan"),
        (("price = 2.5", "price = 1e308"), r"price: must be .*, not 1e\+308"),
        (("price = 2.5", f"price = 1{400 * '0'}"), "offer one H100. price: .*out of range"),
        (("price = 2.5", f"price = 1{5000 * '0'}"), "offers.toml: not TOML"),
        (("price = 2.5", 'price = "2.5"'), "offer one H100. price: Expected `float`"),
        (("count = 1", "count = 0"), "count: 0 is out of range"),
        (("count = 1", f"count = 1{400 * '0'}"), "count: .* is out of range"),
        (("date = 2026-11-01", 'date = "soon"'), "offer one H100. date: .*write a date such as 2026-11-01"),
        (('currency = "EUR"', 'currency = "euro"'), "three capital letters"),
        (('currency = "EUR"', 'currency = "ÄÖÜ"'), "three capital letters"),
        (('name = "one H100"', 'name = " "'), "name: is empty"),
        (('basis = "on_demand"', 'basis = "purchase"'), "amortisation_months"),
        (('basis = "on_demand"', 'basis = "gift"'), "offer one H100"),
        (("count = 1", "count = 1\nprise = 3"), "prise"),
        (('price = 2.5\ncurrency = "EUR"\n', ""), "offer one H100.: missing price, currency$"),
        (
            (RENTAL, '[[offer]]\nname = "x"'),
            "missing supplier, gpu, count, price, currency, basis, date, source",
        ),
        (("price = 2.5", "price = 2.5\nper_hour = 2.5"), "per_hour and price are the same"),
        (("[[offer]]", "[[offer]"), "not TOML"),
        ((RENTAL, "offer = [5]"), "offers.toml: .offer number 1.: must be a table"),
        ((RENTAL, "offer = 5"), r"offers.toml: offer: write each offer as \[\[offer\]\]"),
        ((RENTAL, "offer = [{name = 5}]"), "offer 5. name: Expected `str`"),
        ((RENTAL, f"offer = {5000 * '['}"), "nested too deep"),
        ((RENTAL, 2 * RENTAL), "offers.toml: several offers are called one H100"),
    ],
)
def test_that_an_offer_that_cannot_be_gets_one_line(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    with pytest.raises(InputError, match=said) as caught:
        _offers(tmp_path, RENTAL.replace(*change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("amortisation_months", ("1e300", "1e-300", "inf", "nan", "-1")),
        ("residual_pct", ("500", "-1", "nan")),
        ("discount_rate_pct", ("-100", "1e300", "nan")),
        ("hosting_per_month", ("-1", "inf", "nan")),
        ("support_per_year", ("-1", "inf", "nan")),
        ("power_w", ("-1", "inf", "nan")),
        ("pue", ("-3", "0.5", "inf", "nan")),
        ("tariff_per_kwh", ("-1", "inf", "nan")),
    ],
)
def test_that_a_figure_that_cannot_be_is_refused_with_what_can(
    tmp_path: Path, field: str, values: tuple[str, ...]
) -> None:
    for value in values:
        said = rf"offers\.toml: .offer one H100. {field}: .* is out of range: must be a number from "
        with pytest.raises(InputError, match=said):
            _offers(tmp_path, f"{RENTAL}{field} = {value}")


def test_that_the_outermost_figures_an_offer_can_have_cost_something_finite() -> None:
    for price in (1e-9, 1e15):
        for months in (1.0, 600.0):
            for rate in (0.0, 1e-300, 1e-14, 1000.0):
                for residual in (0.0, 100.0):
                    offer = _offer(basis="purchase", price=price, amortisation_months=months,
                                   discount_rate_pct=rate, residual_pct=residual)  # fmt: skip
                    assert 0 <= cost_per_hour(offer) < 1e13


def test_that_next_to_no_interest_costs_what_none_does() -> None:
    none, next_to_none = (
        cost_per_hour(_offer(basis="purchase", amortisation_months=48, discount_rate_pct=rate))
        for rate in (0.0, 3e-14)
    )
    assert next_to_none == pytest.approx(none)


@pytest.mark.parametrize("field", ["name", "supplier", "gpu", "currency", "source", "configuration"])
@pytest.mark.parametrize("mark", ["\x1b", "\x9b", "\x07", "\r", "\u202e", "\u2028"])
def test_that_a_text_that_would_steer_the_terminal_is_refused_and_shown_escaped(
    tmp_path: Path, field: str, mark: str
) -> None:
    lines = [line for line in RENTAL.splitlines() if not line.startswith(f"{field} =")]
    text = "\n".join([*lines, f'{field} = "x\\u{ord(mark):04x}[31m"'])
    with pytest.raises(InputError, match=rf"{field}: holds control characters: x\\[xru]") as caught:
        _offers(tmp_path, text)
    assert mark not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_that_an_unknown_key_is_shown_escaped_and_a_configuration_can_have_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown field `\\x1b\[31m`"):
        _offers(tmp_path, RENTAL + '"\\u001b[31m" = 3')
    (offer,) = _offers(tmp_path, RENTAL + 'configuration = "8 GPUs\\n\\tNVLink"\nregion = "ヨーロッパ"')
    assert offer.configuration == "8 GPUs\n\tNVLink"


def test_that_a_purchase_is_spread_over_its_life_with_energy() -> None:
    offer = _offer(basis="purchase", price=30_000.0, amortisation_months=48, residual_pct=10, power_w=1000,
                   pue=1.5, tariff_per_kwh=0.2, hosting_per_month=100)  # fmt: skip
    assert cost_per_hour(offer) == pytest.approx((30_000 * 0.9 / 4 + 1200) / 8760 + 0.3)
    assert cost_per_hour(_offer()) == 2.5


def test_that_old_expired_and_incomplete_offers_are_pointed_out() -> None:
    today = dt.date(2027, 1, 1)
    offer = _offer(expires_on=dt.date(2026, 12, 1), basis="purchase", amortisation_months=36)
    said = warnings_of(offer, today)
    assert len(said) == 3
    assert [each.kind for each in said] == ["advice.offer_expired", "advice.offer_old", "advice.no_energy"]
    assert said[1].values["days"] == 61


def test_that_a_price_of_the_future_is_pointed_out() -> None:
    today = dt.date(2026, 11, 2)
    (said,) = warnings_of(_offer(date=dt.date(2036, 11, 1)), today)
    assert "date 2036-11-01 is in the future (today is 2026-11-02)" in str(said)
    (said,) = warnings_of(_offer(verified_on=dt.date(2026, 11, 3)), today)
    assert "verified_on 2026-11-03 is in the future" in str(said)
    assert warnings_of(_offer(date=today), today) == []


def _system(**changes: Any) -> SystemResult:
    fields: dict[str, Any] = {
        "name": "H100", "gpu": "h100", "accepted_rps": 4.0, "runs": 12, "trace_sha256": "t",
        "model_revision": "r", "offer": _offer(),
    }  # fmt: skip
    return SystemResult(**{**fields, **changes})


def test_that_servers_are_those_of_the_peak_with_headroom_and_spare() -> None:
    assert servers_needed(10, 4, headroom=0.2, spare=1) == 4
    assert servers_needed(10, 4, headroom=0.0, spare=0) == 3
    assert servers_needed(10, 0, headroom=0.2, spare=1) is None


def test_that_the_decision_sheet_has_both_bases_and_the_cheapest_first() -> None:
    demand = Demand(curve=((12.0, 8.0), (12.0, 2.0)), headroom=0.0)
    fast = _system(name="H200", accepted_rps=9.0, offer=_offer(price=4.0))
    lines = compare_systems([_system(), fast, _system(name="L4", offer=None)], demand)
    assert [line.name for line in lines] == ["H200", "H100", "L4"]
    best, other, last = lines
    assert (best.servers, other.servers) == (1, 2)
    assert best.per_1k_reserved == pytest.approx(4.0 / 3600 / 5 * 1000)
    assert best.per_1k_used == pytest.approx(4.0 / 3600 / 9 * 1000)
    assert best.sensitivity_low is not None
    assert best.sensitivity_high is not None
    assert best.per_1k_reserved is not None
    assert best.sensitivity_low < best.per_1k_reserved < best.sensitivity_high
    assert last.per_1k_reserved is None
    assert message("advice.no_offer") in last.marks


def test_that_an_order_within_a_tenth_of_price_rate_and_demand_is_said_to_be_open() -> None:
    demand = Demand(curve=((24.0, 4.0),), headroom=0.0)
    near, far = (_system(name="other", offer=_offer(price=price)) for price in (2.7, 9.0))
    said = [compare_systems([_system(), each], demand) for each in (near, far)]
    assert [line.name for line in said[0]] == ["H100", "other"]
    assert message("advice.order_can_change", name="H100") in said[0][1].marks
    assert not any(
        mark.kind == "advice.order_can_change" for line in (said[0][0], *said[1]) for mark in line.marks
    )


def test_that_a_system_that_accepts_nothing_has_no_cost_instead_of_an_infinite_one() -> None:
    (line,) = compare_systems([_system(accepted_rps=0.0)], Demand(curve=((1.0, 1.0),)))
    assert line.per_1k_used is None
    assert message("advice.meets_at_no_rate") in line.marks


def test_that_what_ifs_and_simulations_are_marked() -> None:
    what_if = message("experiments.smaller_pool", controls=["num_gpu_blocks_override 500"])
    (line,) = compare_systems([_system(simulated=True, what_if=what_if)], Demand(curve=((1.0, 1.0),)))
    assert line.marks[:2] == (message("advice.what_if", change=what_if), message("advice.simulated"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"trace_sha256": "u"}, "different traces"),
        ({"model_revision": "s"}, "different model revisions"),
        ({"runs": 3}, "same budget"),
        ({"offer": _offer(currency="USD")}, "EUR, USD. can't be compared"),
    ],
)
def test_that_unlike_systems_are_not_compared(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        compare_systems([_system(), _system(name="other", **change)], Demand(curve=((1.0, 1.0),)))


def test_that_offers_that_are_written_are_read_back_equal(tmp_path: Path) -> None:
    offers = [
        _offer(name="a", configuration="two\nlines", verified_on=dt.date(2026, 11, 2)),
        _offer(name='b "x" = [', basis="purchase", price=30_000.0, amortisation_months=48, pue=1.3),
    ]
    write_offers(tmp_path / "o.toml", offers)
    assert read_offers(tmp_path / "o.toml") == offers
    marked = b"\xef\xbb\xbf" + (tmp_path / "o.toml").read_bytes()
    (tmp_path / "windows.toml").write_bytes(marked)
    assert read_offers(tmp_path / "windows.toml") == offers
    # What isn't stated isn't written.
    assert "residual_pct" not in (tmp_path / "o.toml").read_text()
    write_offers(tmp_path / "none.toml", [])
    assert read_offers(tmp_path / "none.toml") == []
    with pytest.raises(InputError, match="several offers are called a"):
        write_offers(tmp_path / "o.toml", [offers[0], offers[0]])


def test_that_an_offers_fields_are_taken_as_people_state_them() -> None:
    fields = {"name": "n", "supplier": "s", "gpu": "h100", "count": 1, "price": 3, "currency": "EUR",
              "basis": "rental", "date": "2026-11-01", "source": "page"}  # fmt: skip
    assert offer_of(fields).date == dt.date(2026, 11, 1)
    for changes, said in (
        ({"date": "yesterday"}, "offer n. date: .*write a date such as 2026-11-01"),
        ({"price": "much"}, "offer n. price: "),
        ({"gpu": "X9"}, "offer n. gpu: no GPU called"),
        ({"name": ""}, "name: is empty"),
    ):
        with pytest.raises(InputError, match=said):
            offer_of({**fields, **changes})
    with pytest.raises(InputError, match="missing supplier, gpu"):
        offer_of({"name": "n"})
