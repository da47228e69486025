"""The report in a real browser: whole, drawn, silent on the network. Skipped where there is no Chromium."""

import json
import shutil
import subprocess

import pytest

from tests.unit.results.test_exports import HOSTILE, fill
from workbench.results import BenchFile, write_html

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def open_in_browser(page, folder):
    """The document after loading, and the addresses that were asked for."""
    log = folder / "net.json"
    done = subprocess.run(
        [
            *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
            *(f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--dump-dom", page.as_uri()),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    content = json.loads(log.read_text())
    asked = {event.get("params", {}).get("url", "") for event in content["events"]}
    return done.stdout, {url for url in asked if isinstance(url, str) and url}


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_that_a_browser_shows_the_report_and_asks_the_network_for_nothing(tmp_path):
    with BenchFile.create(tmp_path / "b.bench") as bench:
        fill(bench)
        write_html(bench, tmp_path / "report.html")
    document, asked = open_in_browser(tmp_path / "report.html", tmp_path)
    assert "Decision sheet" in document
    assert document.count("<svg") >= 3
    assert "<script" not in document
    assert HOSTILE.split("<")[0] in document
    assert not [url for url in asked if "evil.example" in url]
