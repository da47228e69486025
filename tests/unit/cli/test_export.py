import csv
import json
import zipfile

import pytest

from tests.unit.results.making import as_earlier_builds_wrote
from tests.unit.results.test_exports import fill
from workbench.cli import main
from workbench.results import BenchFile


@pytest.fixture
def bench(tmp_path):
    path = tmp_path / "b.bench"
    with BenchFile.create(path) as file:
        fill(file, "limits")
    return path


def test_that_export_writes_every_format_that_is_asked_for(bench, tmp_path):
    names = {name: tmp_path / f"s.{name}" for name in ("csv", "xlsx", "html", "json")}
    words = [word for name, path in names.items() for word in (f"--{name}", str(path))]
    assert main(["export", str(bench), *words]) == 0
    assert all(path.stat().st_size > 1000 for path in names.values())
    with names["csv"].open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 4


def test_that_a_dash_is_standard_output(bench, capsys):
    assert main(["export", str(bench), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["bench"] == "b.bench"
    assert main(["export", str(bench), "--csv", "-"]) == 0
    assert capsys.readouterr().out.startswith("run,offered_rps,completed_rps,")


def test_that_export_without_a_format_is_bad_usage(bench, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["export", str(bench)])
    assert ended.value.code == 2
    assert "what to write: --csv FILE" in capsys.readouterr().err


def test_that_a_file_that_is_no_bench_is_one_line_and_exit_2(tmp_path, capsys):
    path = tmp_path / "x.bench"
    path.write_text("hello")
    assert main(["export", str(path), "--csv", str(tmp_path / "s.csv")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "not a bench file" in error
    assert not (tmp_path / "s.csv").exists()


def test_that_a_pack_is_written_and_verified(bench, tmp_path, capsys):
    pack = tmp_path / "p.zip"
    assert main(["export", str(bench), "--pack", str(pack)]) == 0
    assert main(["export", "--verify", str(pack)]) == 0
    assert capsys.readouterr().out == "every figure follows from the raw rows\n"


def test_that_a_pack_that_was_tampered_with_is_exit_1(bench, tmp_path, capsys):
    pack = tmp_path / "p.zip"
    main(["export", str(bench), "--pack", str(pack)])
    with zipfile.ZipFile(pack, "a") as archive:
        archive.writestr("extra.txt", "not hashed")
    assert main(["export", "--verify", str(pack)]) == 1
    assert capsys.readouterr().out == "does not follow: extra.txt is not what its hash says\n"


def test_that_a_pack_of_an_earlier_build_is_said_to_be_one_beside_what_differs(bench, tmp_path, capsys):
    pack = tmp_path / "p.zip"
    with BenchFile.open(bench, read_only=False) as file:
        run = file.runs()[0]
        file.update_run(run.id, summary={**run.summary, "offered_rps": 99.0})
    as_earlier_builds_wrote(bench)
    assert main(["export", str(bench), "--pack", str(pack)]) == 0
    assert main(["export", "--verify", str(pack)]) == 1
    *differing, note = capsys.readouterr().out.splitlines()
    assert differing
    assert all(line.startswith("differs: ") for line in differing)
    assert note.startswith("note: the file was written by a build of vLLM Workbench ")


def test_that_a_file_that_was_changed_is_not_excused_by_an_earlier_build(bench, tmp_path, capsys):
    pack = tmp_path / "p.zip"
    as_earlier_builds_wrote(bench)
    assert main(["export", str(bench), "--pack", str(pack)]) == 0
    with zipfile.ZipFile(pack, "a") as archive:
        archive.writestr("extra.txt", "not hashed")
    capsys.readouterr()
    assert main(["export", "--verify", str(pack)]) == 1
    assert capsys.readouterr().out == "does not follow: extra.txt is not what its hash says\n"


def test_that_raw_rows_that_are_no_bench_file_are_told_as_the_packs(bench, tmp_path, capsys):
    pack, broken = tmp_path / "p.zip", tmp_path / "broken.zip"
    assert main(["export", str(bench), "--pack", str(pack)]) == 0
    with zipfile.ZipFile(pack) as archive, zipfile.ZipFile(broken, "w") as copy:
        for name in archive.namelist():
            copy.writestr(name, b"" if name == "raw.bench" else archive.read(name))
    assert main(["export", "--verify", str(broken)]) == 2
    assert capsys.readouterr().err == "error: the pack's raw.bench: not a bench file: it is empty\n"
