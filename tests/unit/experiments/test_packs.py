import json
import zipfile

import pytest

from tests.unit.experiments.made_result import MadeResult
from tests.unit.experiments.tampering import TAMPERINGS, tamper_consistently, tamper_naively
from workbench.base import Refusal, config_folder
from workbench.cli import main
from workbench.experiments import check_pack, check_result, read_order
from workbench.results import PackKey, write_members


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        (folder / "vendor").mkdir()
        return MadeResult(folder / "vendor")


@pytest.fixture
def made(whole, tmp_path):
    return whole.copied(tmp_path / "vendor")


def kinds(found):
    return [each.kind for each in found]


def test_that_an_honest_result_holds_against_its_order_and_names_its_signer(made):
    verdict = check_result(made.result_file, order=made.order_file, vendor_key=made.key.fingerprint)
    assert (verdict.findings, verdict.notes) == ([], [])
    assert verdict.order_id == made.order.terms.id
    assert check_pack(made.result_file) == []


def test_that_an_unknown_signer_is_a_note_and_another_one_a_finding(made):
    verdict = check_result(made.result_file, order=made.order_file)
    assert [(note.kind, note.values) for note in verdict.notes] == [
        ("packs.unknown_signer", {"fingerprint": made.key.fingerprint})
    ]
    vendor, made.key = made.key.fingerprint, PackKey.of_this_user()
    made.pack()
    assert kinds(check_result(made.result_file, vendor_key=vendor).findings) == ["packs.other_signer"]


def test_that_the_key_is_made_once_for_this_user_alone(tmp_path):
    key = PackKey.of_this_user()
    file = config_folder() / "pack-key.pem"
    assert file.stat().st_mode & 0o777 == 0o600
    assert PackKey.of_this_user().fingerprint == key.fingerprint
    file.chmod(0o644)
    with pytest.raises(Refusal) as refused:
        PackKey.of_this_user()
    assert refused.value.kind == "exports.key_open_to_others"


@pytest.mark.parametrize("name", ["slow requests dropped", "warm cache", "time zone"])
def test_that_tampering_is_found_though_all_was_made_right(made, name):
    (each,) = [each for each in TAMPERINGS if each.name == name]
    tamper_consistently(made, each.edit)
    assert each.found in kinds(check_result(made.result_file, order=made.order_file).findings)


def test_that_an_edited_file_is_found_and_named(made):
    tamper_naively(made.result_file, TAMPERINGS[0].edit)
    found = check_result(made.result_file, order=made.order_file).findings
    assert {"exports.member_changed", "results.seal_of_run_broken", "packs.rows_missing"} <= set(kinds(found))


def test_that_a_truncated_result_is_a_finding_and_exit_1(made, capsys):
    made.result_file.write_bytes(made.result_file.read_bytes()[:-500])
    assert main(["pack", "check", str(made.result_file), "--json", "-"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["holds"] is False
    assert [each["kind"] for each in said["findings"]] == ["experiments.about"]


def test_that_the_check_prints_one_page_and_exits_0_only_if_all_holds(made, capsys):
    words = ["pack", "check", str(made.result_file), "--order", str(made.order_file)]
    assert main(words) == 0
    page = capsys.readouterr().out
    assert "Everything holds." in page
    assert "a server that lies" in page
    assert main([*words, "--vendor-key", "SHA256:other"]) == 1
    assert "doesn't hold: signed by" in capsys.readouterr().out


def test_that_an_order_holds_no_place_secret_or_text_of_the_buyer(tmp_path):
    toml = """name = "x"
[target]
kind = "ssh"
host = "me@gpu.internal"
model = "m"
executable = "/home/me/venv"
env = { HF_TOKEN = "hf_verysecret" }
args = ["--api-key", "sk-12345678"]
[trace]
synthetic = "10:10"
[load]
rates = [1.0]
requests = 5
"""
    made = MadeResult(tmp_path, toml)
    with zipfile.ZipFile(made.order_file) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist())
    for word in (b"gpu.internal", b"/home/me", b"hf_verysecret", b"sk-12345678"):
        assert word not in whole
    assert read_order(made.order_file).experiments[0].target.kind == "local"


def test_that_prompts_are_packed_only_if_the_buyer_says_so(tmp_path):
    call = {"call_type": "acompletion", "startTime": "2026-01-01T00:00:00Z", "messages": "a story"}
    (tmp_path / "log.jsonl").write_text(
        json.dumps({**call, "prompt_tokens": 4, "completion_tokens": 5}) + "\n"
    )
    (tmp_path / "x.toml").write_text("""name = "x"
[target]
kind = "local"
model = "m"
[trace]
file = "log.jsonl"
replay_text = true
[load]
rates = [1.0]
requests = 5
""")
    out = tmp_path / "order.wbpack"
    assert main(["pack", "plan", str(tmp_path / "x.toml"), "--out", str(out)]) == 2
    assert not out.exists()
    assert main(["pack", "plan", str(tmp_path / "x.toml"), "--out", str(out), "--texts"]) == 0
    assert read_order(out).terms.texts


@pytest.mark.parametrize(("name", "kind"), [
    ("../../etc/cron.d/x", "results.pack_member_outside"),
    ("/etc/passwd", "results.pack_member_outside"),
    ("order.json", "results.pack_member_twice"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_that_a_pack_whose_names_lead_astray_is_refused(made, name, kind):
    with zipfile.ZipFile(made.order_file, "a") as archive:
        archive.writestr(name, "x")
    with pytest.raises(Refusal) as refused:
        read_order(made.order_file)
    assert refused.value.kind == kind


def test_that_an_order_that_was_changed_or_reads_other_files_is_refused(made):
    with zipfile.ZipFile(made.order_file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    toml = members["experiments/1.toml"].replace(b"traces/", b"/etc/")
    for content, kind in ((toml, "packs.order_changed"), (None, "packs.file_outside")):
        with zipfile.ZipFile(made.order_file, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, toml if name == "experiments/1.toml" else data)
        if content is None:
            whole = {**members, "experiments/1.toml": toml}
            whole.pop("SHA256SUMS")
            write_members(made.order_file, whole.items())
        with pytest.raises(Refusal) as refused:
            read_order(made.order_file)
        assert refused.value.kind == kind
