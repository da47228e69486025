"""Every way to tamper, naive and consistent; and honest results of all kinds, which raise no alarm."""

import msgspec
import pytest

from tests.unit.experiments.made_result import LIMITS, MadeResult
from tests.unit.experiments.tampering import TAMPERINGS, tamper_consistently, tamper_naively
from workbench.experiments import bench_of, check_pack, check_result
from workbench.results import BenchFile, recompute

pytestmark = pytest.mark.slow

BY_NAME = {each.name: each for each in TAMPERINGS}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        (folder / "vendor").mkdir()
        return MadeResult(folder / "vendor")


@pytest.mark.parametrize("name", BY_NAME)
def test_that_naive_tampering_is_found_and_its_place_named(whole, tmp_path, name):
    made = whole.copied(tmp_path / "vendor")
    tamper_naively(made.result_file, BY_NAME[name].edit)
    found = check_result(made.result_file, order=made.order_file).findings
    kinds = {each.kind for each in found}
    assert "exports.member_changed" in kinds
    seals = {"results.seal_of_run_broken", "results.seal_broken"}
    assert kinds & {*seals, "packs.run_missing"}
    assert BY_NAME[name].found is None or BY_NAME[name].found in kinds


@pytest.mark.parametrize("name", BY_NAME)
def test_that_consistent_tampering_is_found_or_known_to_be_undetectable(whole, tmp_path, name):
    made = whole.copied(tmp_path / "vendor")
    tamper_consistently(made, BY_NAME[name].edit)
    kinds = {each.kind for each in check_result(made.result_file, order=made.order_file).findings}
    wanted = BY_NAME[name].found
    assert wanted in kinds if wanted else not kinds


CLOSED = LIMITS.replace("rates = [4.0]", "concurrency = [4]")
WARM = LIMITS.replace("requests = 40", "requests = 40\nwarmup_s = 2")
POISSON = LIMITS.replace("requests = 40", 'requests = 60\narrivals = "poisson"')
LADDER = LIMITS.replace("rates = [4.0]", "ladder = { from = 2.0, to = 8.0, factor = 2.0 }").replace(
    "n = 2", "n = 1"
)
TIMED = LIMITS.replace("requests = 40", "duration_s = 8.0")
FORMS = (LIMITS, CLOSED, WARM, POISSON, LADDER, TIMED)


def test_that_a_stopped_plan_lacks_its_runs_and_raises_no_other_alarm(whole, tmp_path):
    made = whole.copied(tmp_path / "vendor")
    with BenchFile.open(bench_of(made.work), read_only=False) as bench:
        last = bench.runs()[-1]
        bench._connection.execute("BEGIN IMMEDIATE")
        # The stop kept the later half from falling due.
        bench._connection.execute("DELETE FROM requests WHERE key >= (? << 32) + 20", (last.id,))
        bench._seals.touch("requests", last.id)
        frame = msgspec.structs.replace(last.frame, stopped=True, ended=5.0)
        bench.update_run(last.id, status="partial", frame=frame)
        bench.update_run(last.id, summary=recompute(bench, last.id).to_json())
        bench.update_experiment(1, status="stopped")
    made.pack()
    kinds = {each.kind for each in check_result(made.result_file, order=made.order_file).findings}
    assert kinds == {"packs.run_not_done"}
    assert check_pack(made.result_file) == []


def test_that_results_of_other_tools_in_the_file_raise_no_alarm(whole, tmp_path):
    made = whole.copied(tmp_path / "vendor")
    with BenchFile.open(bench_of(made.work), read_only=False) as bench:
        entry = bench.add_experiment("of another tool", "")
        run = bench.add_run(entry, "guidellm", control=None, value=None, config={})
        bench.update_run(run, status="imported")
        bench.finish_experiment(entry, "done")
    made.pack()
    assert check_result(made.result_file, order=made.order_file).findings == []


@pytest.mark.parametrize("seed", range(50))
def test_that_an_honest_result_raises_no_alarm(tmp_path, seed):
    made = MadeResult(tmp_path, FORMS[seed % len(FORMS)], seed=seed)
    assert check_result(made.result_file, order=made.order_file).findings == []
    assert check_pack(made.result_file) == []
