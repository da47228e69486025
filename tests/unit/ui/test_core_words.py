"""What the core says, in Chinese: matched by its templates, figures kept, a server's own words left alone."""

import re
from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui import core_words, translation
from ui.core_words import Phrases, said
from ui.insights.narration import short
from ui.live import LogLine
from ui.log import LogPanel
from workbench.base import resource

TEMPLATES = msgspec.json.decode(resource("translations", "core.json").read_bytes(), type=list[str])
HOLE = re.compile(r"\{(\d+)\}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module", autouse=True)
def in_chinese(qapp):
    """The application in Chinese, and in English again afterwards."""
    assert translation.set_language(qapp, "zh_CN") == "zh_CN"
    yield qapp
    translation.set_language(qapp, "en")


def figures(text):
    return Counter(re.findall(r"\d+", text))


@pytest.mark.parametrize(
    ("english", "told"),
    [
        (
            "The sequence limit is full: max_num_seqs 16 run while others wait.",
            "序列上限已满：max_num_seqs 16 个在运行，其他请求等待。",
        ),
        (
            "Bottleneck: sequence limit, 71 % of the time (12.0–48.5 s).",
            "瓶颈：序列上限，占时间的 71 %（12.0–48.5 s）。",
        ),
        (
            "max_num_seqs 16 → 32 at 10 req/s: no conclusion, a run is invalid.",
            "max_num_seqs 16 → 32（10 请求/s）：没有结论，有一次运行无效。",
        ),
        (
            "the server ended with exit code 1; its last words: no idea of what and why",
            "服务器以退出码 1 结束；其最后的话：no idea of what and why",
        ),
        (
            "/data/a.bench: can't be written: Permission denied",
            "/data/a.bench：无法写入：没有权限",
        ),
        (
            "The KV cache is full: 3 preemptions, whose work is computed again. Watch TTFT.",
            "KV 缓存已满：3 次抢占，其工作须重新计算。观察 TTFT。",
        ),
        (
            "baseline @ 8 at once: invalid; max_num_seqs = 2 @ 8 at once: invalid",
            "baseline @ 8 at once：无效；max_num_seqs = 2 @ 8 at once：无效",
        ),
        (
            "this machine is too slow or too busy for this time scale",  # half of a sentence
            "以此时间倍率，本机太慢或太忙",
        ),
        (
            "[control] values has the same value twice",  # the file's name is left out at the field
            "[control] values 中有重复的值",
        ),
        (
            "Within 5 %: error rate, rejected, KV peak.",
            "在 5 % 以内：错误率、拒绝、KV 峰值。",
        ),
        (
            "baseline: 200 of 400 requests unanswered after the drain",
            "baseline：排空之后 400 个请求中有 200 个未得到回答",
        ),
        (
            "ttft_p95_ms 480 <= 1,000, 0.3 EUR per 1,000 accepted responses",
            "ttft_p95_ms 480 <= 1,000，每 1,000 个合格响应 0.3 EUR",
        ),
    ],
)
def test_that_a_sentence_is_said_with_its_figures_in_their_places(english, told):
    assert said(english) == told


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: something of the kind and more, which isn't known",
        "(EngineCore pid=7) INFO 11-30 init engine took 3.2 seconds and is ready at last",
        "max_num_seqs 16 → 32",
        "TTFT 0.4 s",
        "invalid character (byte 0)",
        "…",
    ],
)
def test_that_what_no_template_made_is_left_as_it_is(text):
    assert said(text) == text


def test_that_a_sentence_begins_and_ends_as_the_window_shows_it():
    assert (
        said("Client-bound: client delay p99 12 ms > 5 ms.") == "受客户端所限：客户端延迟 p99 12 ms > 5 ms。"
    )
    assert said("client-bound: client delay p99 12 ms > 5 ms") == "受客户端所限：客户端延迟 p99 12 ms > 5 ms"


def test_that_a_late_client_of_few_requests_is_told_with_their_number():
    english = "Client-bound: client delay p99 of 100 requests 15 ms > 10 ms; the run is not valid."
    assert "100 个请求的客户端延迟 p99 15 ms > 10 ms" in said(english)
    assert not re.search("[a-z]{3}", said(english))


def test_that_a_target_stands_behind_what_was_measured_against_it():
    english = "TTFT p95 357 ms of the allowed 500 ms; end to end p95 1.20 s of the allowed 12.0 s."
    assert said(english) == "TTFT p95 357 ms，目标 500 ms；端到端 p95 1.20 s，目标 12.0 s。"


def test_that_every_template_is_recognised_and_keeps_what_fills_it():
    phrases, translate = core_words.phrases_of("zh_CN"), core_words.QCoreApplication.translate
    wrong = []
    # That each has a translation is held in `test_translation`.
    for template in (each for each in TEMPLATES if translate("core", each) != each):
        text = HOLE.sub(lambda hole: str(11 + int(hole[1])), template).rstrip("\n")
        words = phrases.said(text)
        if figures(words) != figures(text) or (len(re.findall("[a-z]{3,}", template)) > 3 and words == text):
            wrong.append((template, words))
    assert wrong == []


def test_that_figures_of_a_template_are_those_of_its_translation():
    translate = core_words.QCoreApplication.translate
    wrong = [
        (template, words)
        for template in TEMPLATES
        if figures(HOLE.sub("", template)) != figures(HOLE.sub("", words := translate("core", template)))
    ]
    assert wrong == []


FILLED = st.one_of(
    st.integers(0, 10**6).map(str),
    st.floats(0, 1e5, allow_nan=False).map(lambda value: f"{value:.3g} s"),
    st.sampled_from(["max_num_seqs 16", "baseline @ 4 req/s", "KV cache", "chat", "", "a, b and c"]),
    st.sampled_from([template for template in TEMPLATES if not HOLE.search(template)]),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TEMPLATES), st.data())
def test_that_no_figure_is_ever_lost(template, data):
    text = HOLE.sub(lambda _hole: data.draw(FILLED), template)
    assert figures(said(text)) == figures(text)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab ,.;:()12→{}%'\n", max_size=200))
def test_that_any_text_can_be_asked_for(text):
    assert figures(said(text)) == figures(text)


def test_that_a_reading_with_another_figure_is_not_shown():
    phrases = Phrases([("{0} of {1} are gone", "{1} 个中的 {0} 个不见了 1")])
    assert phrases.said("3 of 4 are gone") == "3 of 4 are gone"


def test_that_long_words_of_a_server_are_not_read():
    text = "and of at " * 2000
    assert said(text) == text


def test_that_the_short_form_ends_where_the_chinese_sentence_does():
    whole = said(
        "max_num_seqs 16 → 32: completes 7.3 → 11.9 req/s; the queue no longer grows; a single run each."
    )
    assert short(whole) == "max_num_seqs 16 → 32：完成 7.3 → 11.9 请求/s。"


def test_that_the_log_speaks_chinese(qtbot, theme):
    log = LogPanel(theme)
    qtbot.addWidget(log)
    log.add(
        [
            LogLine(1.0, "conductor", "warning", "the server was lost: exit code 7"),
            LogLine(2.0, "server", "info", "the server was lost: exit code 7"),
        ]
    )
    assert ["失去服务器" in line for line in log.lines()] == [True, False]


@pytest.mark.parametrize("content", [None, b"", b"[1, 2", b"\xff\xfe", b'{"a": 1}', b"[" * 5000])
def test_that_without_the_list_of_sentences_they_stay_english(monkeypatch, tmp_path, expected_logs, content):
    expected_logs.append("core.json can't be read")
    if content is not None:
        (tmp_path / "core.json").write_bytes(content)
    monkeypatch.setattr(core_words, "resource", lambda *parts: tmp_path / parts[-1])
    monkeypatch.setattr(core_words, "phrases_of", core_words.phrases_of.__wrapped__)
    assert said("The sequence limit is full: max_num_seqs 16 run while others wait.").startswith("The ")


def test_that_a_text_of_too_many_readings_stays_as_it_is_and_spoils_no_other(monkeypatch):
    """Names in files are anybody's: one that reads like a hundred sentences holds no window up."""
    known = "Within 5 %: error rate, rejected, KV peak."
    phrases = core_words.phrases_of.__wrapped__("zh_CN")
    parts = ("token budget; ", "runs: ", "is 5, ", "abc and ", "10.5 ms → ", "x | ", "rejected. ")
    many = "".join(parts[number * number % 7] + parts[number % 5] for number in range(70))
    read = []
    best = phrases.readings
    monkeypatch.setattr(phrases, "readings", lambda text: read.append(len(text)) or best(text))
    monkeypatch.setattr(core_words, "_MOST_READ", 20_000)
    assert phrases.said(many) == many
    assert sum(read) <= 20_000
    assert phrases.said(known) == "在 5 % 以内：错误率、拒绝、KV 峰值。"
