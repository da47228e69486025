"""Screenshots of the window from a demo run, light and dark, at 1366×768 and at 200 %, into a folder.

python packaging/shots.py docs/images [--seconds S]
python packaging/shots.py FOLDER --language zh_CN --for PAGE     what a page of the manual shows, in Chinese
python packaging/shots.py FOLDER --rooms-of BENCH     every room, at both scales, in both languages
"""

import argparse
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from camera import Photographer, contact_sheet
from PySide6.QtWidgets import QLineEdit, QListWidget

from ui.compare import CompareDialog
from ui.conductor.run_controller import RunController
from ui.window.main_window import MainWindow
from workbench.base import require_writable_folder
from workbench.vllm_dialect import listening_url

NARROW = (1024, 700)
KV_CLIFF_S = 4.0
WATCHED_S = 30.0
ROOMS = ("scorecard", "requests", "steps", "session", "server", "log")
LANGUAGES = ("en", "zh_CN")
SYSTEM = """
name = "{card}"
[target]
kind = "embedded"
profile = "{card}/Llama-3.1-8B/tp1"
time_scale = 2.0
[baseline]
max_num_seqs = 16
[control]
name = "max_num_seqs"
values = [32]
[trace]
synthetic = "300:256"
[load]
rates = [6, 12]
requests = 160
[objectives]
ttft_p95_ms = 500
"""
"""A system that is pictured beside another; both are tuned alike."""
OFFER = """
[[offer]]
name = "{card} example"
supplier = "made up for this picture"
gpu = "{card}"
count = 1
price = {price}
currency = "EUR"
basis = "on_demand"
date = 2026-11-01
source = "made up for this picture"
"""
CLASSES = {
    "chat": (72, 80, 700, 60, 400),
    "agent": (18, 800, 2500, 30, 160),
    "document": (10, 4000, 12000, 100, 500),
}
"""Weight, shortest and longest prompt, shortest and longest answer."""
STEPS = """
name = "Slow requests"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
time_scale = 4.0
[baseline]
max_num_seqs = 16
num_gpu_blocks_override = 1800
max_model_len = 16384
max_num_batched_tokens = 2048
[trace]
file = "classes.jsonl"
[load]
rates = [9]
duration_s = 40
"""
PRICES = {"h100_sxm": 2.5, "h200_sxm": 3.9}
DEMAND = ((8.0, 4.0), (16.0, 20.0))


def of_a_demo(folder: Path, profile: Path, seconds: float) -> Path:
    """The demo from the empty window to its report; returns its bench file."""
    camera = Photographer(folder, profile)
    window, runs = camera.window, camera.window.runs
    window.settings.change(demo_seconds=seconds)
    camera.both("empty")
    window.start_page.demo.click()
    camera.wait(lambda: bool(runs.state.runs) or not runs.running)
    camera.take("starting")
    camera.wait(lambda: runs.state.index == 3 or not runs.running)
    last = runs.state.current_run()
    camera.wait(lambda: (last is not None and last.series.last_time() > seconds / 2) or not runs.running)
    camera.both("running")
    camera.wait(lambda: not runs.running)
    require_valid(runs)
    camera.both("finished")
    of_rooms(camera)
    for section, _, _ in window.experiment.sections:
        section.header.setChecked(section is not window.experiment.sections[2][0])
    camera.take("forms")
    bench = Path(runs.state.bench)
    camera.close()
    return bench


def require_valid(runs: RunController) -> None:
    """End with the names of invalid runs: a manual shows none."""
    if unfit := [run.name for run in runs.state.invalid]:
        raise SystemExit(f"invalid: {', '.join(unfit)}; this machine is too busy to be pictured")


def of_rooms(camera: Photographer) -> None:
    """The rooms at the bottom, and all nine plots."""
    window = camera.window
    for name in ("requests", "session", "server", "log"):
        window.docks[name].raise_()
        camera.settle(1.0)
        if name == "session":
            window.docks["session"].widget().begin()
        if name == "server":
            examination = window.docks["server"].widget().findings.examination
            camera.wait(lambda of=examination: not of.running)
            hide_places(window)
        camera.take(name)
    window.docks["scorecard"].raise_()
    window.plot_choice.all.trigger()
    camera.settle(1.0)
    camera.take("nine-plots")
    window.plot_choice.first.trigger()


def hide_places(window: MainWindow) -> None:
    """Paths of the machine that takes the pictures don't belong into a manual."""

    def hidden(text: str) -> str:
        return text.replace(sys.executable, "python").replace(str(Path.home()), "~")

    room = window.docks["server"].widget()
    for line in room.findChildren(QLineEdit):
        line.setText(hidden(line.text()))
        line.setCursorPosition(0)
    for table in room.findChildren(QListWidget):
        for place in range(table.count()):
            table.item(place).setText(hidden(table.item(place).text()))


def of_live_limits(folder: Path, profile: Path) -> None:
    """A run under way, whose sequence slots are taken away and given back."""
    camera = Photographer(folder, profile)
    window, runs = camera.window, camera.window.runs
    window.settings.change(demo_seconds=60.0)
    window.start_page.demo.click()
    window.insights.unfold()
    row = window.live_limits.rows["max_num_active_seqs"]
    for until_s, slots in ((15.0, 6), (27.0, 14), (40.0, None)):
        camera.wait(lambda until=until_s: _seconds(runs) > until or not runs.running)
        if slots is not None:
            row.slider.setValue(slots)
    camera.take("live-limits")
    camera.close()


def _seconds(runs: RunController) -> float:
    run = runs.state.current_run()
    return run.series.last_time() if run is not None and len(run.series) else 0.0


def of_a_teaching_demo(folder: Path, profile: Path) -> None:
    """The KV cliff: its question, its first film in the middle, its second at the end."""
    camera = Photographer(folder, profile)
    window, player = camera.window, camera.window.demos
    window.actions_["demo.kv-cliff"].trigger()
    camera.wait(window.banner.isVisible)
    camera.take("demo-question")
    player.step()
    name = player.current or ""
    camera.wait(lambda: window.runs.state.runs[name].series.last_time() > KV_CLIFF_S)
    camera.take("demo-playing")
    for _ in range(3):
        player.step()
    camera.settle(1.5)
    camera.take("demo-said", "dark")
    camera.close()


def of_a_running_server(folder: Path, profile: Path) -> None:
    """The card of a server that others run, and a watch of it under their load."""
    words = [sys.executable, "-m", "workbench"]
    log = folder / "server.log"
    with log.open("w") as out:
        serving = subprocess.Popen(
            [*words, "engine", "serve", "--port", "0", "--max-num-seqs", "8"], stdout=out, stderr=out
        )
    try:
        url = _listening(log)
        loading = subprocess.Popen(
            [*words, "measure", url, "--synthetic", "600:120", "--rate", "8", "--duration", "300"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _connect_and_watch(Photographer(folder, profile), url.removeprefix("http://"))
        finally:
            loading.terminate()
            loading.wait()
    finally:
        serving.terminate()
        serving.wait()
        log.unlink()


def _listening(log: Path) -> str:
    """Wait until the server says its address; return it."""
    while True:
        for line in log.read_text().splitlines():
            if url := listening_url(line):
                return url
        time.sleep(0.1)


def _connect_and_watch(camera: Photographer, address: str) -> None:
    window = camera.window
    box = window.start_page.connect_box
    box.address.setText(address)
    box.connect_.click()
    camera.wait(lambda: not box.trial.running)
    camera.both("connected")
    box.watch.click()
    camera.wait(lambda: _seconds(window.runs) > WATCHED_S or not window.runs.running)
    camera.both("watching")
    window.runs.stop()
    camera.wait(lambda: not window.runs.running)
    camera.take("watched")
    camera.close()


def of_two_systems(folder: Path, profile: Path) -> None:
    """Two simulated systems with offers that are made up, side by side."""
    profile.mkdir(parents=True)
    # Named from there: paths of this machine don't belong into a manual.
    with contextlib.chdir(profile):
        for card in PRICES:
            Path(f"{card}.toml").write_text(SYSTEM.format(card=card))
            words = ["-m", "workbench", "run", f"{card}.toml", "--bench", f"{card}.bench"]
            subprocess.run([sys.executable, *words], check=True, capture_output=True)
        camera = Photographer(folder, profile / "window")
        compare(camera, [Path(f"{card}.bench") for card in PRICES], "compare")
        camera.close()


def compare(camera: Photographer, benches: list[Path], name: str) -> None:
    """*Compare systems* with these bench files and an offer for each card."""
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-offers-") as place:
        offers = Path(place) / "offers.toml"
        offers.write_text("".join(OFFER.format(card=card, price=price) for card, price in PRICES.items()))
        camera.window.actions_["file.compare"].trigger()
        dialog = camera.window.findChild(CompareDialog)
        dialog.systems.add_files(benches)
        dialog.offers.load(offers)
        camera.wait(lambda: len(dialog.offers.names()) == len(PRICES))
    dialog.demand.show_curve(DEMAND)
    dialog.demand.edited.emit()
    camera.wait(lambda: dialog.model.sheet is not None or dialog.said.text().startswith("⚠"))
    if dialog.model.sheet is None:
        raise SystemExit(dialog.said.text())
    camera.both(name, dialog)
    dialog.reject()


def write_classes(path: Path) -> None:
    """A trace of three classes."""
    chance, at = random.Random(7), 0.0  # noqa: S311 - a picture, no secret
    lines = [
        {"workbench_trace": 1, "block_tokens": 512, "source": "made up for this picture", "transforms": []}
    ]
    for _ in range(420):
        at += chance.expovariate(7)
        name = chance.choices(list(CLASSES), [weights[0] for weights in CLASSES.values()])[0]
        _, *lengths = CLASSES[name]
        lines.append(
            {
                "timestamp": round(at * 1000, 1),
                "input_length": chance.randint(*lengths[:2]),
                "output_length": chance.randint(*lengths[2:]),
                "class": name,
            }
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def of_steps(folder: Path, profile: Path) -> None:
    """The steps of a run: all of them, and the way of a request that was preempted."""
    profile.mkdir(parents=True)
    with contextlib.chdir(profile):
        write_classes(Path("classes.jsonl"))
        Path("slow.toml").write_text(STEPS)
        words = ["-m", "workbench", "run", "slow.toml", "--bench", "slow.bench"]
        subprocess.run([sys.executable, *words], check=False, capture_output=True)
        camera = Photographer(folder, profile / "window")
        camera.window.documents.open_any(Path("slow.bench"))
        camera.wait(lambda: camera.window.runs.state.read_only)
        require_valid(camera.window.runs)
        camera.window.actions_["view.steps"].trigger()
        room = camera.window.docks["steps"].widget()
        camera.wait(lambda: room.stage.scene is not None)
        camera.settle(3.0)
        camera.take("steps-whole")
        # One that waited long: its wait, and who held the slots, are in view.
        waits = room.stage.scene.data.waits
        request = int(waits.request[(waits.end - waits.begin).argmax()])
        room.show_request(room.run, room.stage.scene.data.arrays.requests.ids[request])
        camera.both("steps")
        camera.close()


def of_a_bench_file(folder: Path, profile: Path, bench: Path, name: str) -> None:
    """A bench file opened read-only, at whatever scale this process has."""
    camera = Photographer(folder, profile)
    camera.window.documents.open_any(bench)
    camera.wait(lambda: camera.window.runs.state.read_only)
    camera.settle(2.0)
    camera.take(name)
    camera.window.resize(*NARROW)
    camera.take(f"{name}-narrow")
    camera.close()


def of_every_room(folder: Path, profile: Path, bench: Path, language: str, name: str) -> None:
    """Every room of a bench file in one language, light and dark, at whatever scale this process has."""
    camera = Photographer(folder, profile, language)
    window = camera.window
    window.documents.open_any(bench)
    camera.wait(lambda: window.runs.state.read_only)
    camera.settle(2.0)
    for room in ROOMS:
        window.docks[room].raise_()
        camera.settle()
        camera.both(f"{name}-{room}")
    for section, _, _ in window.experiment.sections:
        section.unfold()
    camera.both(f"{name}-forms")
    compare(camera, [bench], f"{name}-compare")
    camera.close()


def in_chinese(folder: Path, profile: Path, bench: Path) -> None:
    """The same bench file in Chinese."""
    camera = Photographer(folder, profile, "zh_CN")
    camera.window.documents.open_any(bench)
    camera.wait(lambda: camera.window.runs.state.read_only)
    camera.settle(2.0)
    camera.take("chinese")
    camera.close()


def at_scale(folder: Path, factor: int, *words: str) -> None:
    """Pictures by a process of its own, for Qt takes its scale at the start."""
    environment = {**os.environ, "QT_SCALE_FACTOR": str(factor)}
    subprocess.run([sys.executable, __file__, str(folder), *words], env=environment, check=True)


def everywhere(folder: Path, bench: Path) -> None:
    """Every room at both scales, in both languages."""
    for factor in (1, 2):
        for language in LANGUAGES:
            name = f"{language}-{factor}00"
            at_scale(folder, factor, "--rooms-of", str(bench), "--language", language, "--name", name)


def read_arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=40.0, help="simulated seconds of each demo run")
    parser.add_argument("--bench", type=Path, help="only of this bench file")
    parser.add_argument("--rooms-of", type=Path, help="every room of this bench file")
    parser.add_argument(
        "--language", choices=LANGUAGES, help="the window's; with --rooms-of: only in this one, at this scale"
    )
    parser.add_argument("--for", type=Path, dest="page", help="only what this page of the manual shows")
    parser.add_argument("--name", default="bench")
    parser.add_argument("--sheet", type=Path, help="also write a contact sheet of the folder's pictures")
    return parser.parse_args()


def shown_on(page: Path, folder: Path) -> frozenset[str]:
    """Names of the pictures in `folder` that a page of the manual shows."""
    links = re.findall(r"\]\(([^)]+\.png)\)", page.read_text(encoding="utf-8"))
    places = [(page.absolute().parent / link).resolve() for link in links]
    shown = frozenset(place.name for place in places if place.parent == folder.resolve())
    if not shown:
        raise SystemExit(f"{page}: shows no picture of {folder}")
    return shown


def of_everything(folder: Path, profile: Path, seconds: float, *, page: bool) -> None:
    """All pictures; for a page at one scale."""
    of_a_teaching_demo(folder, profile / "c")
    of_live_limits(folder, profile / "b")
    of_a_running_server(folder, profile / "running")
    of_two_systems(folder, profile / "e")
    of_steps(folder, profile / "f")
    bench = of_a_demo(folder, profile / "a", seconds)
    if page:
        return
    for factor in (1, 2):
        at_scale(folder, factor, "--bench", str(bench), "--name", f"bench-{factor}00")
    in_chinese(folder, profile / "d", bench)


def main() -> int:
    """Take pictures."""
    asked = read_arguments()
    folder = asked.folder.absolute()
    require_writable_folder(folder)
    Photographer.language = asked.language or "en"
    if asked.page:
        Photographer.only = shown_on(asked.page, folder)
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-shots-") as place:
        profile = Path(place)
        if asked.rooms_of and not asked.language:
            everywhere(folder, asked.rooms_of)
        elif asked.rooms_of:
            of_every_room(folder, profile, asked.rooms_of, asked.language, asked.name)
        elif asked.bench:
            of_a_bench_file(folder, profile, asked.bench, asked.name)
        else:
            of_everything(folder, profile, asked.seconds, page=asked.page is not None)
    if asked.sheet:
        contact_sheet(sorted(folder.glob("window-*.png")), asked.sheet)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
