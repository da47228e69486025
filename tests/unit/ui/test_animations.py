"""Animations of demos: what is written is what was shown."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QImage, QImageReader

from ui.__main__ import main
from ui.demos import DemoFilms
from ui.demos.export import SIZE, DemoExport, _Mp4Sink
from ui.demos.gif import GifWriter, Palette
from workbench.base import Refusal, WorkFailure
from workbench.engine import film, load_demo


def read_frames(content):
    """Return the frames of a GIF as Qt decodes them, with their milliseconds."""
    device = QBuffer()
    device.setData(QByteArray(content))
    device.open(QBuffer.OpenModeFlag.ReadOnly)
    reader = QImageReader(device, QByteArray(b"gif"))
    frames = []
    while not (image := reader.read()).isNull():
        image = image.convertToFormat(QImage.Format.Format_RGB888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        pixels = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
        frames.append((pixels, reader.nextImageDelay()))
    return frames


def written(frames, ms):
    palette, out = Palette(frames), io.BytesIO()
    gif = GifWriter(out, palette)
    for frame in frames:
        gif.add(frame, ms)
    gif.close()
    return palette, out.getvalue()


@pytest.mark.parametrize("noisy", [False, True])
def test_that_a_decoder_reads_the_frames_that_were_added(qapp, noisy):
    rng = np.random.default_rng(1)
    frames = [np.zeros((60, 100, 3), np.uint8)]
    for number in range(4):
        frame = frames[-1].copy()
        frame[10 * number : 10 * number + 12, 20 * number : 20 * number + 40] = 40 + 40 * number
        if noisy:
            # More codes than the table holds.
            frame[:] = rng.integers(0, 6, frame.shape) * 51
        frames.append(frame)
    palette, content = written(frames, 100.0)
    read = read_frames(content)
    assert [ms for _, ms in read] == [100] * 5
    for (pixels, _), frame in zip(read, frames, strict=True):
        assert (pixels == palette.colours[palette.indices(frame)]).all()
        assert np.abs(pixels.astype(int) - frame).max() <= 8


def test_that_a_frame_like_the_one_before_only_lasts_longer(qapp):
    still = np.zeros((8, 8, 3), np.uint8)
    other = np.full((8, 8, 3), 255, np.uint8)
    _, content = written([still, still, still, other], 33.4)
    assert [ms for _, ms in read_frames(content)] == [100, 30]


@pytest.fixture(scope="module")
def reel():
    demo = load_demo("static-and-continuous")
    return DemoFilms(demo, [film(demo, variant) for variant in demo.variants])


def test_that_a_cancelled_or_refused_export_leaves_no_file(qtbot, theme, qapp, reel, tmp_path):
    export = DemoExport(qapp, theme, reel, tmp_path / "demo.gif")
    with qtbot.waitSignal(export.progressed):
        export.start()
    export.cancel()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Refusal) as refused:
        DemoExport(qapp, theme, reel, tmp_path / "demo.avi").start()
    assert refused.value.message.kind == "ui.animation_kind"


def test_that_an_encoder_that_dies_says_why_itself(tmp_path, monkeypatch):
    encoder = tmp_path / "ffmpeg"
    encoder.write_text("#!/bin/sh\nexec <&-\necho first >&2\necho 'no such codec' >&2\nexit 3\n")
    encoder.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    sink = _Mp4Sink(tmp_path / "part")
    with pytest.raises(WorkFailure) as failed:
        sink.add(np.zeros((SIZE.height(), SIZE.width(), 3), np.uint8), 1000.0)
    assert failed.value.message.kind == "ui.not_encoded"
    assert failed.value.message.values["cause"] == "no such codec"
    sink.abort()


@pytest.mark.slow
def test_that_the_command_writes_a_minute_in_less_than_10_mb(tmp_path):
    path = tmp_path / "demo.gif"
    words = [sys.executable, "-m", "ui", "--export", str(path), "static-and-continuous"]
    subprocess.run(words, check=True, capture_output=True)
    assert path.stat().st_size < 10_000_000
    assert QImageReader(str(path)).size() == SIZE


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_that_an_export_that_is_stopped_leaves_no_file(tmp_path, number):
    path = tmp_path / "demo.gif"
    words = [sys.executable, "-m", "ui", "--export", str(path), "static-and-continuous"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as export:
        part = path.with_name(".demo.gif.part")
        while not part.exists():
            assert export.poll() is None
            time.sleep(0.02)
        export.send_signal(number)
        _, said = export.communicate()
    assert export.returncode == 1
    assert f"stopped: {path} was not written" in said
    assert not list(tmp_path.iterdir())


def test_that_an_export_of_nothing_is_refused(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["vllm-workbench", "--export", str(tmp_path / "a.gif")])
    with pytest.raises(SystemExit):
        main()
    assert "--export needs a demo" in capsys.readouterr().err
    assert not Path(tmp_path / "a.gif").exists()
