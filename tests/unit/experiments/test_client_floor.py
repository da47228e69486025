"""What the load generator resolves is stored with every experiment."""

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.experiments.run.run_settings import shared_facts
from workbench.load import Calibration, store_resolution


def test_that_the_last_calibration_is_among_the_facts_of_an_experiment() -> None:
    def floor() -> list[object]:
        facts = shared_facts(read(GOOD), trace_name="t", trace_sha256="s")
        return [facts.get(f"client_{name}") for name in ("floor_ttft_ms", "floor_itl_ms", "limit_tok_s")]

    assert floor() == [None, None, None]
    store_resolution(
        Calibration(
            client_delay_p99_ms=1.0,
            ttft_floor_ms=0.8,
            itl_floor_ms=0.05,
            limit_tokens_per_s=40_000,
            limited_by="client",
            workers=1,
            cpu_us_per_token=12.0,
            remote=False,
            levels=[],
        ),
        None,
    )
    assert floor() == [0.8, 0.05, 40_000]
