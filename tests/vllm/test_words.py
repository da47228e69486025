"""What is said of a user's own words before a start is what vLLM's parser says of them."""

import asyncio
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.unit.servers.vllm_arguments import REFUSED, TAKEN
from workbench.base import InputError, Place
from workbench.servers import find_install, flags_of
from workbench.servers.extra_args import check_args

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(600)]


def test_that_words_are_refused_exactly_where_vllm_refuses_them(build: Path, tmp_path: Path) -> None:
    install = asyncio.run(find_install(str(build / "venv")))
    flags = asyncio.run(flags_of(install))
    lines = [*TAKEN, *(words for words, _ in REFUSED)]
    (tmp_path / "lines.json").write_text(json.dumps(lines))
    script = Path(__file__).with_name("parse_words.py")
    told = tmp_path / "verdicts.json"
    subprocess.run([str(install.python), script, tmp_path / "lines.json", told], check=True)
    theirs = json.loads(told.read_text())
    assert [words for words, said in zip(lines, theirs, strict=True) if said and words in TAKEN] == []
    assert [words for words, said in zip(lines, theirs, strict=True) if not said and words not in TAKEN] == []
    for words in TAKEN:
        check_args(words, flags, version="0.32.0", place=Place(table="target", key="args"))
    for words, expected in REFUSED:
        with pytest.raises(InputError) as refused:
            check_args(words, flags, version="0.32.0", place=Place(table="target", key="args"))
        assert re.search(expected, str(refused.value))
