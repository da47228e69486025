"""The session: a chain of experiments, its commands with undo, its file."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import InputError
from workbench.experiments import ControlUnderTest, make_plan, prepare
from workbench.experiments.session import (
    Document,
    DraftDocument,
    Session,
    adopt,
    annotate,
    attach,
    begin,
    branch,
    read_session,
    star,
    write_session,
)

BUDGET = ControlUnderTest(name="max_num_batched_tokens", values=[2048, 16384])


def started() -> Session:
    return begin(Session(name="chat"), read(GOOD))


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


def test_that_every_change_of_a_session_is_undone_and_done_again() -> None:
    document = Document(started())
    first = document.value
    document.change("adopt 32", adopt(document.value, 1, 32, BUDGET, "Budget"))
    document.change("note", annotate(document.value, 2, "slower at night"))
    document.change("measured", attach(document.value, 1, "a.bench"))
    last = document.value
    assert document.stack.undo_label == "measured"
    assert [document.stack.undo() for _ in range(4)] == [True, True, True, False]
    assert document.value == first
    assert document.stack.redo_label == "adopt 32"
    while document.stack.redo():
        pass
    assert document.value == last


def test_that_edits_of_one_field_in_a_row_are_one_step_and_a_save_ends_it() -> None:
    draft = DraftDocument(read(GOOD))
    for rate in (1.0, 12.5, 14.0):
        draft.set("load.rates", [rate])
    draft.set("baseline.max_num_seqs", 8)
    draft.set("baseline.max_num_seqs", 4)
    assert draft.stack.undo_label == "change baseline.max_num_seqs"
    draft.stack.undo()
    assert draft.value.baseline["max_num_seqs"] == 16
    draft.stack.undo()
    assert draft.value.load.rates == [12.0]
    assert not draft.stack.modified
    draft.set("load.rates", [2.0])
    draft.stack.mark_saved()
    draft.set("load.rates", [3.0])
    assert draft.stack.modified
    draft.stack.undo()
    assert draft.value.load.rates == [2.0]
    assert not draft.stack.modified


def test_that_a_draft_says_what_keeps_it_from_being_run() -> None:
    draft = DraftDocument(read(GOOD))
    assert draft.problem is None
    draft.set("load.rates", [0.0])
    assert "rates: 0 must be greater than 0" in (draft.problem or "")
    with pytest.raises(InputError, match=r"there is no loads\.rates"):
        draft.set("loads.rates", [1.0])
    with pytest.raises(InputError, match=r"load\.rates"):
        draft.set("load.rates", "fast")
    with pytest.raises(InputError, match="ratess"):
        draft.set("load.ratess", [1.0])


@given(st.lists(st.sampled_from(["a", "b", "undo", "redo", "save"]), max_size=40))
def test_that_undo_and_redo_lead_back_and_forth_whatever_was_done(words: list[str]) -> None:
    document, past, future, saved = Document(0), [0], [], 0
    count = 0
    for word in words:
        if word == "undo":
            assert document.stack.undo() == (len(past) > 1)
            if len(past) > 1:
                future.append(past.pop())
        elif word == "redo":
            assert document.stack.redo() == bool(future)
            if future:
                past.append(future.pop())
        elif word == "save":
            document.stack.mark_saved()
            saved = document.value
        else:
            count += 1
            document.change(word, count)
            past.append(count)
            future.clear()
        assert document.value == past[-1]
        assert document.stack.modified == (document.value != saved)


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
    with pytest.raises(InputError, match="isn't before it"):
        read_session(tmp_path / "c.session.json")
    with pytest.raises(InputError, match="can't be read"):
        read_session(tmp_path / "absent.session.json")


def test_that_no_key_reaches_a_sessions_file_and_what_lacks_one_is_not_carried_out(tmp_path: Path) -> None:
    experiment = read(GOOD)
    target = msgspec.structs.replace(
        experiment.target, env={"HF_TOKEN": "s3cret", "PLAIN": "p"}, args=["--api-key", "s3cret"]
    )
    session = begin(Session(name="s"), msgspec.structs.replace(experiment, target=target))
    path = tmp_path / "s.session.json"
    write_session(session, path)
    assert "s3cret" not in path.read_text()
    (step,) = read_session(path).steps
    assert step.experiment.target.env["PLAIN"] == "p"
    with pytest.raises(InputError, match=r"\[target\] env HF_TOKEN and args held a secret that isn't stored"):
        prepare(make_plan([step.experiment]), None)
