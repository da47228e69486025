"""The session: a chain of experiments and its file."""

from pathlib import Path

import msgspec
import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import InputError
from workbench.experiments import ControlUnderTest, make_plan, prepare
from workbench.experiments.session import (
    Session,
    add_first,
    adopt,
    annotate,
    branch,
    read_session,
    star,
    write_session,
)

BUDGET = ControlUnderTest(name="max_num_batched_tokens", values=[2048, 16384])


def started() -> Session:
    return add_first(Session(name="chat"), read(GOOD))


def test_that_an_adopted_value_is_the_next_baseline() -> None:
    session = adopt(started(), 1, 32, BUDGET, "Budget at 32 seats")
    second = session.step(2)
    assert second.parent == 1
    assert second.adopted == 32
    assert second.experiment.baseline == {"max_num_seqs": 32, "max_num_batched_tokens": 8192}
    assert [step.id for step in session.path(2)] == [1, 2]


def test_that_only_what_was_tested_can_be_adopted_and_the_next_must_be_possible() -> None:
    with pytest.raises(InputError, match="tested max_num_seqs at 32, 64, not at 48"):
        adopt(started(), 1, 48, BUDGET, "x")
    with pytest.raises(InputError, match="at least max_num_seqs"):
        adopt(started(), 1, 64, ControlUnderTest(name="max_num_batched_tokens", values=[50]), "x")
    with pytest.raises(InputError, match="no step 7"):
        adopt(started(), 7, 32, BUDGET, "x")


def test_that_a_branch_shares_its_star_and_an_adoption_begins_another() -> None:
    session = branch(started(), 1, BUDGET, "Budget")
    session = adopt(session, 1, 32, BUDGET, "Budget at 32 seats")
    assert [step.id for step in star(session, 1)] == [1, 2]
    assert [step.id for step in star(session, 3)] == [3]
    assert [step.id for step in session.children(None)] == [1, 2]


def test_that_a_session_survives_its_file(tmp_path: Path) -> None:
    session = annotate(adopt(started(), 1, 32, BUDGET, "Budget"), 2, "naïve ⇄")
    write_session(session, tmp_path / "a.session.json")
    assert read_session(tmp_path / "a.session.json") == session


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a session"),
        (b"{}", "not a session"),
        (b"\xff\xfe", "not a session"),
        (b'{"workbench_session": 2}', "newer vLLM Workbench"),
        (b'{"workbench_session": 1, "session": {"name": 3}}', "not a session"),
    ],
)
def test_that_a_file_that_is_none_is_refused_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "b.session.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said) as caught:
        read_session(path)
    assert "\n" not in str(caught.value)


def test_that_a_chain_that_bites_its_tail_is_refused(tmp_path: Path) -> None:
    session = started()
    looped = msgspec.structs.replace(session.steps[0], parent=1)
    write_session(msgspec.structs.replace(session, steps=(looped,)), tmp_path / "c.session.json")
    with pytest.raises(InputError, match="doesn't come before it"):
        read_session(tmp_path / "c.session.json")
    with pytest.raises(InputError, match="can't be read"):
        read_session(tmp_path / "absent.session.json")


def test_that_no_key_reaches_a_sessions_file_and_what_lacks_one_is_not_carried_out(tmp_path: Path) -> None:
    experiment = read(GOOD)
    target = msgspec.structs.replace(
        experiment.target, env={"HF_TOKEN": "s3cret", "PLAIN": "p"}, args=["--api-key", "s3cret"]
    )
    session = add_first(Session(name="s"), msgspec.structs.replace(experiment, target=target))
    path = tmp_path / "s.session.json"
    write_session(session, path)
    assert "s3cret" not in path.read_text()
    (step,) = read_session(path).steps
    assert step.experiment.target.env["PLAIN"] == "p"
    with pytest.raises(InputError, match=r"\[target\]: env HF_TOKEN, args held a secret that isn't stored"):
        prepare(make_plan([step.experiment]), None)
