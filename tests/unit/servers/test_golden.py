"""Having a vLLM make golden cases: what is run, what it answers, what it lacks."""

import json
import sys
from pathlib import Path

import pytest

from workbench.base import Refusal
from workbench.servers import GoldenRequest, make_golden

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")

ANSWER = {"version": "9.9.0", "made": 2, "endless": 1, "broken": [], "lacking": ["watermark"]}


@pytest.fixture
def answering(vllm_script: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The stand-in's script; what it runs writes its order down and answers by `answer.py`."""
    inside = tmp_path / "inside"
    (inside / "workbench_scheduler" / "golden").mkdir(parents=True)
    (inside / "stubs").mkdir()
    (inside / "workbench_scheduler" / "__init__.py").write_text("")
    (inside / "workbench_scheduler" / "golden" / "__init__.py").write_text("")
    (inside / "workbench_scheduler" / "golden" / "__main__.py").write_text(
        "import json, os, sys\n"
        f"told = {{'order': json.load(open(sys.argv[1])), 'path': os.environ['PYTHONPATH'],"
        f" 'stubs': os.environ['WORKBENCH_STUBS']}}\n"
        f"open({str(tmp_path / 'told.json')!r}, 'w').write(json.dumps(told))\n"
        f"exec(open({str(tmp_path / 'answer.py')!r}).read())\n"
    )
    monkeypatch.setattr("workbench.servers.golden._INSIDE", inside)
    return vllm_script


def answers(tmp_path: Path, text: str) -> None:
    (tmp_path / "answer.py").write_text(text)


def told(tmp_path: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((tmp_path / "told.json").read_text())
    return content


async def test_an_installed_vllm_is_told_the_order_and_its_answer_is_read(
    answering: Path, tmp_path: Path
) -> None:
    answers(tmp_path, f"print('a line of its log'); print({json.dumps(ANSWER)!r})")
    made = await make_golden(str(answering), GoldenRequest(out=tmp_path / "out", random=3, seed="7"))
    assert (made.version, made.made, made.endless, made.lacking) == ("9.9.0", 2, 1, ("watermark",))
    assert told(tmp_path)["order"] == {
        "out": str(tmp_path / "out"),
        "families": True,
        "cases": [],
        "random": 3,
        "seed": "7",
        "records": True,
    }
    assert told(tmp_path)["path"] == str(tmp_path / "inside")


async def test_missing_packages_are_stood_in_for_one_after_the_other(answering: Path, tmp_path: Path) -> None:
    answers(
        tmp_path,
        "stubs = os.environ['WORKBENCH_STUBS'].split(',')\n"
        "missing = [name for name in ('gguf', 'diskcache') if name not in stubs]\n"
        f"print(json.dumps({{'missing': missing[0]}} if missing else {ANSWER!r}))",
    )
    made = await make_golden(str(answering), GoldenRequest(out=tmp_path))
    assert made.stubs == ("gguf", "diskcache")
    assert str(told(tmp_path)["path"]).split(":")[1] == str(tmp_path / "inside" / "stubs")


async def test_a_package_that_stays_missing_is_said(answering: Path, tmp_path: Path) -> None:
    answers(tmp_path, "print(json.dumps({'missing': 'torch'}))")
    with pytest.raises(Refusal, match="needs the package torch"):
        await make_golden(str(answering), GoldenRequest(out=tmp_path))


async def test_what_breaks_off_is_said_with_its_last_word(answering: Path, tmp_path: Path) -> None:
    answers(tmp_path, "raise SystemExit('no such thing')")
    with pytest.raises(Refusal, match="can't make golden cases; it said: no such thing"):
        await make_golden(str(answering), GoldenRequest(out=tmp_path))


async def test_an_unpacked_wheel_needs_an_environment_and_goes_before_its_packages(
    answering: Path, tmp_path: Path
) -> None:
    wheel = tmp_path / "wheel"
    (wheel / "vllm").mkdir(parents=True)
    (wheel / "vllm" / "__init__.py").write_text("")
    answers(tmp_path, f"print({json.dumps(ANSWER)!r})")
    with pytest.raises(Refusal, match="--python"):
        await make_golden(str(wheel), GoldenRequest(out=tmp_path))
    await make_golden(str(wheel), GoldenRequest(out=tmp_path), python=str(answering))
    assert str(told(tmp_path)["path"]).split(":") == [str(tmp_path / "inside"), str(wheel)]
