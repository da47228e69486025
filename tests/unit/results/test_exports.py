import io
import json
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.results.making import request, unanswered
from workbench.base import InputError
from workbench.results import (
    COLUMNS,
    BenchFile,
    Objectives,
    Outcome,
    RunFrame,
    RunIdentity,
    Sample,
    scorecard_rows,
    summarize_run,
    write_html,
    write_json,
    write_xlsx,
)
from workbench.results.exports import html_report as html_file
from workbench.results.exports.svg import Line, bar_plot, line_plot

HOSTILE = '=1+1<script src="http://evil.example/x.js">alert(1)</script>&"\''


@pytest.fixture
def bench(tmp_path):
    with BenchFile.create(tmp_path / "b.bench") as file:
        fill(file)
        yield file


def fill(bench, name=HOSTILE):
    objectives = Objectives(ttft_p95_ms=500)
    facts = {"supplier": name, "trace_name": name, "sensitivity_low": -1.5, "operator": "bell\x07"}
    experiment = bench.add_experiment(name, f"name = '''{name}'''", objectives=objectives, facts=facts)
    for rate in (2.0, 4.0):
        for control, value in ((None, None), ("max_num_seqs", 8)):
            requests = [request(i, due=i / 10, ttft=0.1 if control else 0.2) for i in range(100)]
            requests += [unanswered(100 + i, due=9.0) for i in range(10)]
            run = bench.add_run(
                experiment,
                f"{name} {control} @ {rate:g}",
                control=control,
                value=value,
                config={"max_num_seqs": value or 256},
                rate=rate,
                command=f"vllm serve {name}",
                trace_sha256="t",
                simulated=True,
                frame=RunFrame(length_s=10.0, ended=20.0),
            )
            bench.write_requests(run, requests)
            samples = [Sample(t=i / 4, running=i % 5, kv_usage=0.1) for i in range(40)]
            bench.write_samples(run, samples)
            figures = summarize_run(
                requests,
                RunFrame(length_s=10.0, ended=20.0),
                samples=samples,
                objectives=objectives,
                identity=RunIdentity(simulated=True, trace_sha256="t", command=f"vllm serve {name}"),
            )
            bench.finish_run(run, "done", figures)


def test_that_the_workbook_holds_numbers_as_numbers_and_text_as_text(bench, tmp_path):
    write_xlsx(bench, tmp_path / "s.xlsx")
    book = openpyxl.load_workbook(tmp_path / "s.xlsx")
    header, *lines = list(book["Scorecard"].iter_rows())
    assert [cell.value for cell in header] == [column.name for column in COLUMNS]
    cells = dict(zip([cell.value for cell in header], lines[0], strict=True))
    assert (cells["ttft_p50_ms"].value, cells["ttft_p50_ms"].data_type) == (200, "n")
    assert (cells["sensitivity_low"].value, cells["sensitivity_low"].data_type) == (-1.5, "n")
    assert (cells["simulated"].value, cells["simulated"].data_type) == (True, "b")
    assert (cells["supplier"].value, cells["supplier"].data_type) == (HOSTILE, "s")
    assert cells["operator"].value == "bell"
    assert cells["gpu_model"].value is None
    book.close()


@pytest.mark.parametrize("seed", [10**15 - 1, 10**15, 2**53 + 1, -(2**63)])
def test_that_a_number_of_more_digits_than_a_spreadsheet_keeps_is_text_that_says_why(tmp_path, seed):
    with BenchFile.create(tmp_path / "seed.bench") as bench:
        experiment = bench.add_experiment("e", "name", facts={"seed": seed})
        run = bench.add_run(experiment, "r", control=None, value=None, config={}, rate=1.0)
        bench.finish_run(run, "done", summarize_run([], RunFrame(length_s=1.0, ended=1.0)))
        write_xlsx(bench, tmp_path / "s.xlsx")
    book = openpyxl.load_workbook(tmp_path / "s.xlsx")
    (line,) = book["Scorecard"].iter_rows(min_row=2)
    cell = line[[column.name for column in COLUMNS].index("seed")]
    as_text = abs(seed) >= 10**15
    assert (cell.value, cell.data_type) == ((str(seed), "s") if as_text else (seed, "n"))
    assert (cell.comment is not None and "15 digits" in cell.comment.text) is as_text
    book.close()


def test_that_the_workbook_defines_every_column(bench, tmp_path):
    write_xlsx(bench, tmp_path / "s.xlsx")
    book = openpyxl.load_workbook(tmp_path / "s.xlsx")
    listed = [
        tuple(cell or "" for cell in row) for row in book["Columns"].iter_rows(min_row=2, values_only=True)
    ]
    assert listed == [(each.name, each.unit, each.definition, each.source) for each in COLUMNS]
    book.close()


def test_that_the_json_holds_rows_runs_verdicts_and_choice(bench, tmp_path):
    write_json(bench, tmp_path / "s.json")
    content = json.loads((tmp_path / "s.json").read_bytes())
    assert [row["cells"]["run"] for row in content["rows"]] == [
        row.cells["run"] for row in scorecard_rows(bench)
    ]
    assert len(content["runs"]) == 4
    assert content["runs"][0]["summary"]["requests"]["unfinished"] == 10
    assert {verdict["figure"] for verdict in content["verdicts"]} == {"ttft_p95_ms"}
    assert all(verdict["sentence"].startswith("ttft_p95_ms: ") for verdict in content["verdicts"])
    assert content["choice"]["others"]


class Inspector(HTMLParser):
    """Collects what a page would fetch or run, and whether its elements close."""

    VOID = frozenset({"meta", "path", "rect", "circle", "wbr"})

    def __init__(self):
        super().__init__()
        self.fetched, self.scripts, self.open, self.text = [], 0, [], []

    def handle_starttag(self, tag, attributes):
        self.scripts += tag in ("script", "iframe", "object", "embed", "link", "base", "form")
        for name, value in attributes:
            if name in ("src", "href", "srcset", "action", "data", "xlink:href", "poster") or name.startswith(
                "on"
            ):
                self.fetched.append((tag, name, value))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def report(bench, tmp_path):
    write_html(bench, tmp_path / "r.html")
    return (tmp_path / "r.html").read_text()


def test_that_the_report_fetches_nothing_and_runs_nothing(report):
    inspector = Inspector()
    inspector.feed(report)
    inspector.close()
    assert (inspector.fetched, inspector.scripts, inspector.open) == ([], 0, [])
    style = report[report.index("<style>") : report.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_that_hostile_names_are_shown_and_not_obeyed(report):
    inspector = Inspector()
    inspector.feed(report)
    assert any(HOSTILE in text for text in inspector.text)


def test_that_the_decision_comes_before_the_figures(report):
    places = [
        report.index(text)
        for text in (
            "Decision sheet",
            "Answer",
            "Evidence",
            "What would change it",
            "<h2>Scorecard",
            "Raw data",
        )
    ]
    assert places == sorted(places)


def test_that_the_report_says_what_is_simulated_and_what_is_a_lower_bound(report):
    assert "Simulated: served by the embedded engine, not by a GPU." in report
    assert "≥ " in report


def test_that_the_report_rounds_figures_and_tells_what_was_left_open(report):
    assert "6.28733" not in report
    assert "10 requests were still open when the drain of 10 s ended" in report


def test_that_a_measured_figure_which_is_whole_is_written_like_its_neighbours():
    assert html_file._shown(4362, "tokens/s") == html_file._shown(4362.4, "tokens/s") == "4,362"
    assert html_file._shown(20261130, "") == "20261130"


def sheet_of(tmp_path, rejected, **limits):
    objectives = Objectives(ttft_p95_ms=500, **limits)
    with BenchFile.create(tmp_path / "s.bench") as bench:
        experiment = bench.add_experiment("x", "", objectives=objectives)
        requests = [request(i, due=i / 10) for i in range(400)]
        for each in requests[:rejected]:
            each.outcome, each.first_token, each.last_token = Outcome.REJECTED, None, None
        for each in requests[-4:]:
            each.cls = "rare"
        frame = RunFrame(length_s=40.3 * 6, ended=45.0 * 6)
        run = bench.add_run(
            experiment, "baseline", control=None, value=None, config={}, rate=6.73333, frame=frame
        )
        bench.write_requests(run, requests)
        bench.finish_run(run, "done", summarize_run(requests, frame, objectives=objectives))
        write_html(bench, tmp_path / "s.html")
    return (tmp_path / "s.html").read_text()


def test_that_the_answer_names_what_the_recommended_configuration_rejects(tmp_path):
    text = sheet_of(tmp_path, 12)
    assert "; it rejects 3.0 %. It is the only valid configuration, so nothing was compared." in text
    assert "p95 TTFT (ms) not judged: class rare has 4 requests, 72 are needed for a p95" in text
    assert "at 6.73 requests a second" in text
    assert "6.73333" not in text


def test_that_the_answer_leaves_many_rejections_to_an_objective(tmp_path):
    said = "None is recommended: “baseline” meets the latency objectives, but rejects 68 %: state an"
    assert said in sheet_of(tmp_path, 272)


def test_that_the_report_has_every_column_the_commands_and_the_experiment(report):
    assert all(f"<td>{column.name}</td>" in report for column in COLUMNS)
    assert "vllm serve =1+1&lt;script" in report
    assert "name = &#x27;&#x27;&#x27;" in report


def test_that_an_empty_bench_gives_an_empty_scorecard(tmp_path):
    with BenchFile.create(tmp_path / "e.bench") as bench:
        write_html(bench, tmp_path / "e.html")
        write_xlsx(bench, tmp_path / "e.xlsx")
        write_json(bench, tmp_path / "e.json")
    assert "None of the 0" in (tmp_path / "e.html").read_text()


@pytest.mark.parametrize("write", [write_html, write_xlsx, write_json])
def test_that_a_folder_that_is_not_there_is_named(bench, tmp_path, write):
    with pytest.raises(InputError, match="nowhere"):
        write(bench, tmp_path / "nowhere" / "x")


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.one_of(st.none(), st.floats(0, 1e9))), max_size=60),
    st.text(max_size=20),
)
def test_that_any_series_gives_a_plot_that_parses_or_none(points, name):
    points.sort(key=lambda point: point[0])
    line = Line(name, [x for x, _ in points], [y for _, y in points])
    plots = [line_plot(name, "x", "y", [line]), bar_plot(name, "ms", [(name, y) for _, y in points], limit=5)]
    for plot in plots:
        inspector = Inspector()
        inspector.feed(plot)
        assert inspector.open == []
        assert "nan" not in plot.replace(name, "")


def test_that_bars_of_invalid_runs_are_outlined_and_labelled_and_the_others_are_not():
    plot = bar_plot("TTFT", "ms", [("good", 10.0), ("bad", 20.0)], invalid={"bad"})
    assert plot.count('class="bar invalid"') == 1
    assert ">20 invalid<" in plot
    assert ">10<" in plot


def test_that_thinning_a_long_series_keeps_its_peaks():
    ys = [0.0] * 10000
    ys[5003] = 7.0
    plot = line_plot("t", "x", "y", [Line("l", list(range(10000)), ys)])
    assert len(plot) < 20000
    top = min(
        float(part.split(" ")[1]) for part in plot.split('class="line s0" d="M')[1].split('"')[0].split("L")
    )
    assert top < 120


def test_that_the_documentation_lists_every_column_as_the_program_has_it():
    text = (Path(__file__).parents[3] / "docs" / "reference" / "scorecard.md").read_text()
    listed = [line for line in text.splitlines() if line.startswith("| `")]
    assert listed == [f"| `{c.name}` | {c.unit} | {c.definition} | {c.source} |" for c in COLUMNS]


def test_that_written_text_has_the_same_bytes_everywhere(bench, tmp_path):
    write_html(bench, tmp_path / "r.html")
    content = (tmp_path / "r.html").read_bytes()
    assert io.BytesIO(content).readline() == b"<!DOCTYPE html>\n"
    assert b"\r\n" not in content
