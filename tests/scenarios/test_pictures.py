"""Every room is drawn, light and dark, at 100 % and at 200 %, in both languages.

The folder `VLLM_WORKBENCH_PICTURES` keeps them, to be looked at.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

ROOT = Path(__file__).parents[2]
ROOMS = ("scorecard", "requests", "steps", "session", "server", "log", "forms")
SIZE = (1366, 768)
DIALOG = "compare"
"""A dialog over the window, so smaller than it."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def program(*words):
    subprocess.run([sys.executable, *map(str, words)], cwd=ROOT, check=True, timeout=600, capture_output=True)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    place = tmp_path_factory.mktemp("pictures")
    folder = Path(os.environ.get("VLLM_WORKBENCH_PICTURES", place / "taken"))
    folder.mkdir(parents=True, exist_ok=True)
    program("-m", "workbench", "demo", "--seconds", "16", "--out", place)
    (bench,) = place.glob("*.bench")
    program("packaging/shots.py", folder, "--rooms-of", bench)
    return folder


def pixels(folder, name):
    image = QImage(str(folder / f"window-{name}.png")).convertToFormat(QImage.Format.Format_RGB32)
    seen = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3]
    # Copied: the bytes are the image's, which ends here.
    return seen.copy()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("percent", [100, 200])
def test_that_every_room_is_drawn_in_its_size_light_and_dark_and_unlike_the_others(
    pictures, language, percent
):
    seen = []
    for room in ROOMS:
        light, dark = (pixels(pictures, f"{language}-{percent}-{room}-{look}") for look in ("light", "dark"))
        assert light.shape == dark.shape == (SIZE[1] * percent // 100, SIZE[0] * percent // 100, 3)
        assert light.mean() > 200
        assert dark.mean() < 90
        assert len(np.unique(light.reshape(-1, 3), axis=0)) > 60
        seen.append(light)
    light, dark = (pixels(pictures, f"{language}-{percent}-{DIALOG}-{look}") for look in ("light", "dark"))
    assert light.shape == dark.shape
    assert light.mean() > 200
    assert dark.mean() < 90
    for at, one in enumerate(seen):
        assert all((one != other).any(axis=2).mean() > 0.005 for other in seen[at + 1 :])


def test_that_the_languages_differ_in_what_is_drawn(pictures):
    for room in (*ROOMS, DIALOG):
        english, chinese = (pixels(pictures, f"{language}-100-{room}-light") for language in ("en", "zh_CN"))
        assert (english != chinese).any(axis=2).mean() > 0.005
