"""Of a log only numbers stay: no text, no names, wherever the import ends up."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.base import InputError
from workbench.cli import main
from workbench.traces import LAYOUTS, export_trace, import_trace, read_or_make_salt

MADE = Path(__file__).parents[2] / "data" / "traces"
SECRET = "PLANTED-SECRET"
WITH_SECRETS = sorted(path.name for path in MADE.glob("synthetic_*") if SECRET in path.read_text())


def test_that_there_are_secrets_to_look_for():
    assert len(WITH_SECRETS) >= 8


@pytest.mark.parametrize("name", WITH_SECRETS)
def test_that_no_artefact_of_an_import_holds_a_secret(name, tmp_path, capsys, caplog):
    for layout in LAYOUTS:
        assert (
            main(["trace", "convert", str(MADE / name), str(tmp_path / f"{layout}.jsonl"), "--to", layout])
            == 0
        )
    assert main(["trace", "inspect", str(MADE / name)]) == 0
    assert main(["trace", "inspect", str(MADE / name), "--json", str(tmp_path / "inspect.json")]) == 0
    artefacts = [path.read_text() for path in tmp_path.iterdir()]
    assert len(artefacts) == len(LAYOUTS) + 1
    said = capsys.readouterr()
    for text in (*artefacts, said.out, said.err, caplog.text):
        assert SECRET not in text


@pytest.mark.parametrize("name", WITH_SECRETS)
@pytest.mark.parametrize("damage", ["cut", "typed", "quoted"])
def test_that_no_complaint_about_a_damaged_log_repeats_its_text(name, damage, write):
    text = (MADE / name).read_text()
    damaged = {
        "cut": text[: text.rindex(SECRET) + len(SECRET) + 2],
        "typed": text.replace('": ', f'": ["{SECRET}", ', 3),
        "quoted": text.replace('"', "", 5),
    }[damage]
    said = ""
    for format_name in (None, "litellm", "otel", "mooncake", "azure", "sharegpt"):
        try:
            report = import_trace(write(damaged, "damaged.log"), format=format_name).report
            said += str(report)
        except InputError as error:
            said += str(error)
    assert SECRET not in said


def log_of(*prompts: str) -> str:
    rows = [
        {
            "call_type": "acompletion",
            "spend": 0,
            "startTime": f"2026-01-01T00:00:{i:02}Z",
            "prompt_tokens": len(prompt) // 4,
            "completion_tokens": 3,
            "messages": prompt,
        }
        for i, prompt in enumerate(prompts)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


HEAD = "You are the assistant of a bank and answer briefly. " * 10


@pytest.fixture
def two_prompts(write: Callable[..., Path]) -> Path:
    return write(log_of(HEAD + "first question, " * 20, HEAD + "another matter, " * 20))


def test_that_equal_leading_text_gives_equal_leading_ids_and_no_more(two_prompts):
    first, second = (row.hash_ids for row in import_trace(two_prompts).trace.rows())
    shared = len(HEAD) // 64
    assert first[:shared] == second[:shared]
    assert not set(first[shared:]) & set(second[shared:])


def test_that_without_a_salt_ids_are_numbers_of_appearance_and_the_same_every_time(two_prompts):
    trace = import_trace(two_prompts).trace
    assert trace.row(0).hash_ids == tuple(range(len(trace.row(0).hash_ids)))
    assert import_trace(two_prompts).trace.sha256(1) == trace.sha256(1)


def test_that_one_salt_gives_one_house_its_ids_and_another_salt_others(two_prompts, write):
    other_log = write(log_of(HEAD + "third question, " * 20), "other.log")
    ids = import_trace(two_prompts, salt=b"salt of one house").trace.row(0).hash_ids
    assert import_trace(other_log, salt=b"salt of one house").trace.row(0).hash_ids[:8] == ids[:8]
    assert not set(import_trace(two_prompts, salt=b"salt of another").trace.row(0).hash_ids) & set(ids)


def test_that_the_report_says_what_was_kept_and_what_invented_tokens_change(two_prompts):
    kinds = {note.kind for note in import_trace(two_prompts).report.notes}
    assert {"traces.texts_dropped", "traces.invented_prompts"} <= kinds


def test_that_a_salt_file_is_made_once_for_its_owner_only(tmp_path):
    salt = read_or_make_salt(tmp_path / "salt")
    assert len(salt) == 32
    assert read_or_make_salt(tmp_path / "salt") == salt
    assert stat.S_IMODE((tmp_path / "salt").stat().st_mode) == 0o600
    (tmp_path / "short").write_bytes(b"abc")
    with pytest.raises(InputError, match="at least 16 bytes"):
        read_or_make_salt(tmp_path / "short")
    with pytest.raises(InputError, match="can't be read or made"):
        read_or_make_salt(tmp_path / "none" / "salt")


def test_that_a_salted_trace_replays_and_exports_its_64_bit_ids(two_prompts, tmp_path):
    trace = import_trace(two_prompts, salt=b"salt of one house").trace
    assert trace.hash_flat.max() > 2**53
    export_trace(trace, tmp_path / "m.jsonl", to="mooncake")
    again = import_trace(tmp_path / "m.jsonl").trace
    assert again.header.block_tokens == 16
    whole = trace.row(0).hash_ids
    assert again.row(0).hash_ids[: len(whole)] == whole


def test_that_texts_are_held_only_when_asked_for_and_stay_out_of_every_rendering(two_prompts):
    assert import_trace(two_prompts).texts is None
    held = import_trace(two_prompts, keep_text=True)
    assert [text.startswith(HEAD) for text in held.texts] == [True, True]
    assert "bank" not in repr(held)
    assert held.trace.sha256(1) == import_trace(two_prompts).trace.sha256(1)


def test_that_held_texts_stay_with_their_rows(write):
    lines = log_of("b" * 400, "", "a" * 400).splitlines()
    texts = import_trace(write("\n".join(reversed(lines))), keep_text=True).texts
    assert [text[0] for text in texts] == ["b", "a"]
