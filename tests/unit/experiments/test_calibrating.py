"""Before a session: what the load generator resolves is measured once a day and stored with every run."""

import asyncio
from typing import Any

import msgspec
import pytest

from workbench.base import WorkbenchError
from workbench.experiments.run import client_calibration as calibrating
from workbench.experiments.run.channel import UserRequests
from workbench.experiments.run.client_calibration import calibrate_first, calibrate_whole
from workbench.experiments.run.events import ClientCalibrated, Event, Notice
from workbench.load import Calibration, recent_resolution, store_resolution
from workbench.load.calibration import resolution as floors
from workbench.servers import TargetSpec

ATTACHED = TargetSpec(kind="attached", url="http://127.0.0.1:1")
FOUND = Calibration(
    client_delay_p99_ms=1.0, ttft_floor_ms=0.8, itl_floor_ms=0.05, limit_tokens_per_s=40_000,
    limited_by="client", workers=1, cpu_us_per_token=12.0, remote=False, levels=[],
)  # fmt: skip


class Session:
    """A session on a target, whose calibration finds what it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, found: Calibration | WorkbenchError) -> None:
        self.measured = 0
        self.events: list[Event] = []
        self.stored: list[dict[str, Any]] = []
        self.requests = UserRequests()
        self._found = found
        for name in ("calibrate_quickly", "calibrate_remotely"):
            monkeypatch.setattr(calibrating, name, self._calibrate)

    async def _calibrate(self, *_: TargetSpec) -> Calibration:
        self.measured += 1
        await asyncio.sleep(0)
        if isinstance(self._found, WorkbenchError):
            raise self._found
        return self._found

    async def begin(self, target: TargetSpec = ATTACHED) -> list[str]:
        self.events.clear()
        await calibrate_first(target, self.events.append, self.requests, self.stored.append)
        return [event.state for event in self.events if isinstance(event, ClientCalibrated)]

    def said(self) -> str:
        return "\n".join(event.text for event in self.events if isinstance(event, Notice))

    def warnings(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice) and event.level == "warning"]


async def test_that_the_first_session_of_a_day_measures_and_the_next_one_keeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch, FOUND)
    assert await session.begin() == ["running", "done"]
    (columns,) = session.stored
    assert (columns["client_floor_ttft_ms"], columns["client_limit_tok_s"]) == (0.8, 40_000)
    assert await session.begin() == ["kept"]
    assert (session.measured, len(session.stored)) == (1, 1)


async def test_that_a_calibration_of_yesterday_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as yesterday:
        yesterday.setattr(floors, "utc_now", lambda: "2026-01-01T00:00:00.000Z")
        store_resolution(FOUND, None)
    assert recent_resolution() is None
    assert await Session(monkeypatch, FOUND).begin() == ["running", "done"]


async def test_that_a_simulated_server_needs_no_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch, FOUND)
    assert await session.begin(TargetSpec(kind="embedded")) == []
    assert session.measured == 0


TUNNEL = TargetSpec(kind="ssh", host="me@there:2222")
LOAD_THERE = TargetSpec(kind="ssh", host="me@there:2222", load_python="/opt/python")


async def test_that_each_way_of_a_load_has_a_floor_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine's says nothing of a tunnel or of workers elsewhere, nor one host's of another's."""
    session = Session(monkeypatch, FOUND)
    other = msgspec.structs.replace(TUNNEL, host="me@there:2223")
    for target in (ATTACHED, TUNNEL, LOAD_THERE, other):
        assert await session.begin(target) == ["running", "done"]
        assert await session.begin(target) == ["kept"]
    assert [columns["calibrated_path"] for columns in session.stored] == [
        "this machine alone",
        "through the tunnel to me@there:2222",
        "load workers on me@there:2222",
        "through the tunnel to me@there:2223",
    ]
    assert session.measured == 4


async def test_that_a_tunnel_that_can_not_be_measured_is_said_with_what_the_runs_carry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch, WorkbenchError("me@there: the null server didn't start"))
    for target, way in ((TUNNEL, "through the tunnel to"), (LOAD_THERE, "on")):
        assert await session.begin(target) == ["running", "failed"]
        (warning,) = session.warnings()
        assert warning.startswith(
            f"not calibrated {way} me@there:2222: me@there: the null server didn't start"
        )
        assert warning.endswith("; what differences these runs resolve is not known")
    store_resolution(FOUND, None)
    await session.begin(TUNNEL)
    assert "these runs have the resolution measured for this machine alone" in session.warnings()[0]
    await session.begin(LOAD_THERE)
    assert "not known" in session.warnings()[0]
    assert session.stored == []


async def test_that_what_a_tunnel_adds_to_every_ttft_is_said_and_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch, msgspec.structs.replace(FOUND, path_ms=81.5))
    await session.begin(TUNNEL)
    assert "the path to me@there:2222 adds 81.5 ms to every TTFT" in session.said()
    assert session.stored[0]["path_ms"] == 81.5


async def test_that_a_whole_calibration_is_kept_for_the_way_of_its_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured: list[object] = []

    async def there(target: TargetSpec, calibrating: object) -> Calibration:
        measured.append((target.host, calibrating))
        return FOUND

    async def here() -> Calibration:
        measured.append("here")
        return FOUND

    monkeypatch.setattr(calibrating, "calibrate_remotely", there)
    monkeypatch.setattr(calibrating, "calibrate", here)
    for target in (TUNNEL, LOAD_THERE, ATTACHED):
        session = Session(monkeypatch, FOUND)
        monkeypatch.setattr(calibrating, "calibrate_remotely", there)
        assert await calibrate_whole(target) == FOUND
        assert await session.begin(target) == ["kept"]
    assert measured == [(TUNNEL.host, here), (TUNNEL.host, here), "here"]


async def test_that_a_path_to_an_attached_server_elsewhere_is_said_to_be_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch, FOUND)
    far = TargetSpec(kind="attached", url="http://gpu-box:8000")
    for _ in range(2):
        await session.begin(far)
        assert "without the path to gpu-box" in session.said()
    store_resolution(FOUND, "http://gpu-box:9000")
    await session.begin(far)
    assert "without the path" not in session.said()
    await session.begin(ATTACHED)
    assert "without the path" not in session.said()


async def test_that_a_session_goes_on_without_a_floor_where_none_can_be_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch, WorkbenchError("the null server didn't start"))
    assert await session.begin() == ["running", "failed"]
    assert session.warnings() == ["not calibrated: the null server didn't start"]
    busy = Session(monkeypatch, msgspec.structs.replace(FOUND, limit_tokens_per_s=0.0))
    assert await busy.begin() == ["running", "failed"]
    assert "too busy" in busy.warnings()[0]
    assert (session.stored, busy.stored) == ([], [])


async def test_that_a_stop_ends_a_calibration_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch, FOUND)
    ended: list[bool] = []

    async def for_ever() -> Calibration:
        session.requests.trigger("stop")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        raise AssertionError

    monkeypatch.setattr(calibrating, "calibrate_quickly", for_ever)
    assert await session.begin() == ["running", "failed"]
    assert (ended, session.stored) == ([True], [])


def test_that_a_quick_look_takes_no_limit_from_a_thorough_one() -> None:
    store_resolution(msgspec.structs.replace(FOUND, limit_tokens_per_s=80_000), None)
    quick = msgspec.structs.replace(FOUND, limit_tokens_per_s=40_000, limited_by="nothing")
    assert getattr(store_resolution(quick, None), "limit_tokens_per_s", None) == 80_000
    # Where the client itself was at its end, that holds.
    assert getattr(store_resolution(FOUND, None), "limit_tokens_per_s", None) == 40_000
