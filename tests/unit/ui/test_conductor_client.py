import os
import signal
import sys
import time

import psutil
import pytest

from ui.conductor.conductor_client import ConductorClient, Ended
from workbench.base import WorkFailure
from workbench.experiments import ExperimentFinished, ExperimentStarted, RunFinished, SampleTaken


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "e.toml"
    path.write_text(
        'name = "e"\n[target]\nkind = "embedded"\n[baseline]\nmax_num_seqs = 16\n'
        '[control]\nname = "max_num_seqs"\nvalues = [32]\n'
        '[trace]\nsynthetic = "300:256"\n[load]\nrates = [12.0]\nduration_s = 40\n'
    )
    return path


@pytest.fixture
def start(fake_client, experiment, tmp_path):
    def begin():
        arguments = ["run", str(experiment), "--bench", str(tmp_path / "b"), "--events"]
        fake_client.start(arguments, error_file=tmp_path / "err.log")
        return fake_client

    yield begin
    fake_client.kill()
    wait_for_end(fake_client)


def wait_for_end(client, seconds=20.0):
    """All events until the process is gone."""
    taken, deadline = [], time.monotonic() + seconds
    while client.running and time.monotonic() < deadline:
        taken += client.drain()
        time.sleep(0.01)
    return taken


def wait_for(client, kind):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if any(isinstance(event, kind) for event in client.drain()):
            return
        time.sleep(0.01)
    raise AssertionError(f"no {kind.__name__} came")


def test_that_events_arrive_decoded_in_order_and_end_with_the_process(start):
    events = wait_for_end(start())
    assert isinstance(events[0], ExperimentStarted)
    assert isinstance(events[-2], ExperimentFinished)
    assert events[-1] == Ended(0, ())
    assert sum(isinstance(event, RunFinished) for event in events) == 2


def test_that_stop_reaches_the_conductor(start):
    client = start()
    wait_for(client, SampleTaken)
    assert client.send("stop")
    events = wait_for_end(client)
    assert any(isinstance(event, ExperimentFinished) and event.status == "stopped" for event in events)


def test_that_a_crash_is_told_with_the_last_words(start, monkeypatch):
    monkeypatch.setenv("FAKE_END", "crash")
    ended = wait_for_end(start())[-1]
    assert isinstance(ended, Ended)
    assert ended.in_words() == f"was ended by signal {int(signal.SIGABRT)}"
    assert "something broke" in ended.errors[-1]


def test_that_a_refusal_is_told_with_its_line(start, monkeypatch):
    monkeypatch.setenv("FAKE_END", "refuse")
    ended = wait_for_end(start())[-1]
    assert (ended.code, ended.errors) == (2, ("error: experiment.toml: [load] rates is empty",))


def test_that_a_command_to_nobody_is_no_error(start):
    client = start()
    wait_for_end(client)
    assert not client.send("stop")


def test_that_the_conductor_has_a_session_of_its_own(start):
    client = start()
    assert os.getsid(client.pid) == client.pid != os.getsid(0)


def test_that_a_conductor_left_alone_goes_on(start):
    client = start()
    pid = client.pid
    wait_for(client, SampleTaken)
    client.leave_running()
    assert not client.running
    process = psutil.Process(pid)
    time.sleep(0.2)
    assert process.status() != psutil.STATUS_ZOMBIE
    process.wait(timeout=60)


def test_that_lines_that_are_no_events_are_passed_over(tmp_path):
    client = ConductorClient((sys.executable, "-c", "print('hello'); print('{\"type\": \"tomorrow\"}')"))
    client.start([], error_file=tmp_path / "err")
    assert wait_for_end(client) == [Ended(0, ())]


def test_that_a_program_that_is_not_there_is_one_clear_line(tmp_path):
    client = ConductorClient(("/no/such/python",))
    with pytest.raises(WorkFailure) as failed:
        client.start([], error_file=tmp_path / "err")
    assert failed.value.kind == "ui.conductor_not_started"
