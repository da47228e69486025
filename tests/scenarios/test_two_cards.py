"""Which card to buy, from end to end: two simulated cards and a what-if, tuned alike, on one decision sheet.

On a busy machine single runs can be invalid; what is asserted of the sheet follows from the rates on it.
"""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.test_first_run import workbench
from workbench.results import BenchFile

EXPERIMENT = """
name = "{name}"
[target]
kind = "embedded"
profile = "{card}/Llama-3.1-8B/tp1"
time_scale = 2.0
[baseline]
max_num_seqs = 1
max_num_batched_tokens = 8192
enable_prefix_caching = false
{more}
[control]
name = "max_num_seqs"
values = [8]
[trace]
synthetic = "200:20"
[load]
rates = [5, 20]
requests = 84
arrivals = "constant"
[objectives]
ttft_p95_ms = 400
[demand]
curve = [[8, 4.0], [16, 20.0]]
headroom = 0.2
spare = 1
"""
OFFER = """
[[offer]]
name = "one {card}"
supplier = "made up for this test"
gpu = "{card}"
count = 1
price = {price}
currency = "EUR"
basis = "on_demand"
date = 2026-11-01
source = "made up for this test"
"""
PRICES = {"h100": 2.5, "h200": 3.9}
POOL_OF_AN_H100 = 28_065


def tuned(folder: Path, name: str, card: str, more: str = "") -> Path:
    """A system: untuned and tuned, each at two rates."""
    path = folder / f"{name}.toml"
    path.write_text(EXPERIMENT.format(name=name, card=card, more=more))
    bench = folder / f"{name}.bench"
    done = workbench("run", str(path), "--bench", str(bench))
    assert done.returncode == 0, done.stderr
    return bench


def all_valid(*benches: Path) -> bool:
    valid = []
    for path in benches:
        with BenchFile.open(path) as bench:
            valid += [(run.summary or {}).get("valid") for run in bench.runs()]
    return all(valid)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_that_two_cards_and_a_what_if_come_to_a_decision_sheet(tmp_path: Path) -> None:
    h100 = tuned(tmp_path, "h100", "h100_sxm")
    h200 = tuned(tmp_path, "h200", "h200_sxm")
    what_if = tuned(tmp_path, "small", "h200_sxm", f"num_gpu_blocks_override = {POOL_OF_AN_H100}")
    offers = tmp_path / "offers.toml"
    offers.write_text("".join(OFFER.format(card=card, price=price) for card, price in PRICES.items()))
    words = ["compare", str(h100), str(h200), str(what_if), "--offers", str(offers)]
    done = workbench(*words, "--json", "-")
    if "no run of the file is valid" in done.stderr:
        pytest.skip(f"this machine is too busy for any run: {done.stderr}")
    assert done.returncode == 0, done.stderr
    lines: list[dict[str, Any]] = json.loads(done.stdout)
    by_name = {line["name"]: line for line in lines}
    assert set(by_name) == {"one h100", "one h200 (h200)", "one h200 (small)"}
    for name, line in by_name.items():
        # Two configurations at two rates each: an equal budget.
        assert (line["runs"], line["simulated"]) == (4, True)
        assert "simulated" in line["marks"]
        adds_up(line, PRICES["h100" if "h100" in name else "h200"])
    assert by_name["one h200 (small)"]["what_if"].endswith(
        f"(num_gpu_blocks_override {POOL_OF_AN_H100}): capacity, not bandwidth"
    )
    assert not by_name["one h200 (h200)"]["what_if"]
    costs = [line["per_1k_reserved"] for line in lines if line["per_1k_reserved"] is not None]
    assert costs == sorted(costs)
    if all_valid(h100, h200, what_if):
        # One seat bears 5 a second and not 20; eight bear both, and nobody looked any higher.
        for line in lines:
            assert line["accepted_rps"] > 15
            assert line["same_flags_rps"] == pytest.approx(5, abs=0.5)
            assert line["capacity_found"] is False
    told = workbench(*words)
    assert "accepted/s as “" in told.stdout
    assert "what-if: a smaller KV pool" in told.stdout


def adds_up(line: dict[str, Any], price: float) -> None:
    """Servers and both costs follow from the accepted rate, the demand and the offer."""
    accepted = line["accepted_rps"]
    if not accepted:
        assert line["per_1k_reserved"] is line["per_1k_used"] is None
        return
    servers = math.ceil(20 * 1.2 / accepted - 1e-9) + 1
    mean = (8 * 4 + 16 * 20) / 24
    assert line["servers"] == servers
    assert line["utilisation"] == pytest.approx(mean / (servers * accepted))
    assert line["cost_per_hour"] == pytest.approx(servers * price)
    assert line["per_1k_reserved"] == pytest.approx(servers * price / (3600 * mean) * 1000)
    assert line["per_1k_used"] == pytest.approx(price / (3600 * accepted) * 1000)
    assert line["sensitivity_low"] < line["per_1k_reserved"] < line["sensitivity_high"]
