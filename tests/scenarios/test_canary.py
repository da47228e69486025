"""A secret in each place where a user can put one is in no byte of what a whole run leaves and says."""

import io
import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.scenarios.engine_server import Server
from tests.scenarios.test_first_run import workbench
from tests.unit.load.certificate import make_certificate
from tests.unit.servers.conftest import PARSER, VARIABLES
from workbench.base import MASK
from workbench.results import BenchFile

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line"),
    pytest.mark.xdist_group("processes"),
]

MORE_FLAGS = """
    parser.add_argument("--hf-overrides", type=json.loads)
    parser.add_argument("--hf-token")
    return parser
"""
SCRIPT = """
import argparse, json, os, sys

parser = argparse.ArgumentParser()
parser.add_argument("command")
parser.add_argument("model")
parser.add_argument("--host")
parser.add_argument("--port")
parser.add_argument("--max-num-seqs", default="8")
parser.add_argument("--hf-overrides", type=json.loads)
given, rest = parser.parse_known_args()
said = f"(APIServer pid={os.getpid()}) INFO 11-29 15:09:21 [a.py:1]"
overrides = dict(given.hf_overrides, **{"seen_as": str(given.hf_overrides)})
print(said, "non-default args:", {"model": given.model, "hf_overrides": overrides, "rest": rest}, flush=True)
print(said, json.dumps({"hf_overrides": given.hf_overrides, "argv": sys.argv}), flush=True)
print(said, "logging in with", os.environ["HF_TOKEN"], "through", os.environ["HTTPS_PROXY"], flush=True)
print(said, "inherited", os.environ["CI_JOB_TOKEN"], "and", os.environ["EXTRA_CONFIG"], flush=True)
words = [sys.executable, "-m", "workbench", "engine", "serve", "--profile", "h100_sxm/Llama-3.1-8B/tp1"]
os.environ.pop("HTTPS_PROXY")
os.execv(words[0], [*words, "--host", given.host, "--port", given.port, "--max-num-seqs", given.max_num_seqs])
"""
LOCAL = """
# the password is {comment}
name = "Seats"  # or {comment}
[target]
kind = "local"
model = "https://me:{url_user}@models.test/tiny?token={url_query}"
executable = "{script}"
api_key_env = "MY_SERVER_KEY"
args = [
  "--hf-overrides", '{{"note_api_key": "{json}", "deep": [{{"password": "{json_deep}"}}], "heads": 8}}',
  "--hf-token={flag_equals}",
  "--hf-overrides.auth_token", "{flag_dotted}",
]
[target.env]
HF_TOKEN = "{env}"
HTTPS_PROXY = "http://me:{env_url}@proxy.test:3128"
EXTRA_CONFIG = '{{"client_secret": "{env_json}"}}'
[baseline]
max_num_seqs = 4
[control]
name = "max_num_seqs"
values = [8]
[trace]
synthetic = "20:5"
[load]
rates = [4]
duration_s = 4
"""
ATTACHED = """
name = "Theirs"
kind = "soak"
[target]
kind = "attached"
url = "{url}"
api_key_env = "MY_SERVER_KEY"
ca_file = "{ca_file}"
headers = {{ X-Gateway-Key = "env:MY_GATEWAY_KEY", X-Team = "search" }}
[control]
name = "max_in_flight"
values = []
[trace]
synthetic = "20:5"
[load]
rates = [4]
duration_s = 4
"""
PLACES = (
    *("comment", "url_user", "url_query", "json", "json_deep", "flag_equals", "flag_dotted"),
    *("env", "env_url", "env_json", "api_key", "inherited", "gateway_key", "ca_file", "dotenv", "ssh_host"),
)
CANARIES = {place: f"zqj{number}{place.replace('_', '')}7f3aq" for number, place in enumerate(PLACES)}


@pytest.fixture
def vllm_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script of a stand-in vLLM that says all it knows and serves by the embedded engine."""
    parser = "import json\n" + PARSER.replace("    return parser\n", MORE_FLAGS)
    for name, text in {
        "vllm/__init__.py": "",
        "vllm/envs.py": f"environment_variables = {dict.fromkeys(VARIABLES)}",
        "vllm/utils/__init__.py": "",
        "vllm/utils/argparse_utils.py": "from argparse import ArgumentParser as FlexibleArgumentParser",
        "vllm/entrypoints/__init__.py": "",
        "vllm/entrypoints/launchers/__init__.py": "",
        "vllm/entrypoints/launchers/cli_args.py": parser,
        "vllm-9.9.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: vllm\nVersion: 9.9.0\n",
    }.items():
        path = tmp_path / "packages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = tmp_path / "bin" / "vllm"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\n{SCRIPT}")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "left" / "cache"))
    return script


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which everything lands that the program writes; the secrets lie elsewhere."""
    folder = tmp_path / "left"
    folder.mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(folder / name.lower()))
    monkeypatch.setenv("MY_SERVER_KEY", CANARIES["api_key"])
    monkeypatch.setenv("CI_JOB_TOKEN", CANARIES["inherited"])
    monkeypatch.setenv("MY_GATEWAY_KEY", CANARIES["gateway_key"])
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={CANARIES['dotenv']}\n")
    monkeypatch.chdir(tmp_path)
    return folder


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below the folder, and every member of those that are archives."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield from members(str(path.relative_to(folder)), path.read_bytes())


def members(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    yield name, data
    if data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.namelist():
                yield from members(f"{name}/{member}", archive.read(member))


def giving_away(named: Iterable[tuple[str, bytes]], canaries: dict[str, str] = CANARIES) -> list[str]:
    """Which place's secret is in which of these contents."""
    return [
        f"{place} in {name}"
        for name, data in named
        for place, secret in canaries.items()
        if any(secret.encode(form) in data for form in ("utf-8", "utf-16-le", "utf-16-be"))
    ]


def export_everything(bench: Path, left: Path) -> None:
    """All that `export` writes, verified."""
    files = {kind: left / f"{bench.stem}.{kind}" for kind in ("csv", "xlsx", "html", "json", "zip")}
    words = [word for kind, path in files.items() for word in (f"--{kind.replace('zip', 'pack')}", str(path))]
    done = workbench("export", str(bench), *words)
    assert done.returncode == 0, done.stderr
    verified = workbench("export", "--verify", str(files["zip"]))
    assert (verified.returncode, verified.stdout) == (0, "every figure follows from the raw rows\n")


def test_that_no_byte_of_a_local_servers_run_holds_a_secret_that_its_file_or_environment_held(
    tmp_path: Path, vllm_script: Path, left: Path
) -> None:
    path, bench = tmp_path / "seats.toml", left / "seats.bench"
    path.write_text(LOCAL.format(script=vllm_script, **CANARIES))
    words = [
        *("run", str(path), "--bench", str(bench), "--events", "--no-calibrate"),
        *("--out", str(left / "out")),
    ]
    said = b""
    beside: list[tuple[str, bytes]] = []
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said += line
            if not beside and line.startswith(b'{"type":"sample"'):
                # In the middle: what is in the log of the file, and on command lines that anybody can read.
                started = psutil.Process(process.pid).children(recursive=True)
                shown = "\n".join(word for child in started for word in child.cmdline())
                beside = [*contents(left), ("command lines", shown.encode())]
    assert process.returncode == 0, said.decode()[-4000:]
    assert any(name.endswith("-wal") for name, _ in beside)
    export_everything(bench, left)
    assert [line[:300] for line in said.splitlines() if giving_away([("events", line)])] == []
    assert giving_away([("events and errors", said), *beside]) == []
    assert giving_away(contents(left)) == []
    with BenchFile.open(bench) as stored:
        (entry,) = stored.experiments()
        runs = stored.runs()
        lines = "\n".join(line.text for line in stored.log())
    assert [run.status for run in runs] == ["done", "done"]
    # Nothing else than the secrets is missing.
    command = runs[0].command or ""
    assert f'{{"note_api_key": "{MASK}", "deep": [{{"password": "{MASK}"}}], "heads": 8}}' in command
    assert '"time_to_first_token":[0.001,' in command
    assert command == (runs[0].summary or {})["command"]
    assert f"--hf-token={MASK}" in entry.toml
    assert f"logging in with {MASK} through http://{MASK}@proxy.test:3128" in lines
    assert "'heads': 8" in lines


def test_that_no_byte_of_an_attached_servers_run_holds_its_keys(tmp_path: Path, left: Path) -> None:
    certificate, _ = make_certificate(tmp_path)
    certificate.write_text(f"# {CANARIES['ca_file']}\n{certificate.read_text()}")
    server = Server(environment={"VLLM_API_KEY": CANARIES["api_key"]})
    try:
        path, bench = tmp_path / "theirs.toml", left / "theirs.bench"
        path.write_text(ATTACHED.format(url=server.url, ca_file=certificate))
        done = workbench("run", str(path), "--bench", str(bench), "--events", "--no-calibrate")
        assert done.returncode == 0, done.stderr
        words = [
            *("measure", server.url, "--api-key-env", "MY_SERVER_KEY", "--synthetic", "20:5", "--rate", "4"),
            *("--header", "X-Gateway-Key=env:MY_GATEWAY_KEY", "--requests", "8"),
            *("--json", str(left / "measured.json"), "--per-request", str(left / "requests.csv")),
        ]
        measured = workbench(*words)
        assert measured.returncode == 0, measured.stderr
    finally:
        server.end()
    export_everything(bench, left)
    said = f"{done.stdout}{done.stderr}{measured.stdout}{measured.stderr}"
    assert giving_away([("said", said.encode())]) == []
    assert giving_away(contents(left)) == []
    command = json.loads((left / "measured.json").read_text())["command"]
    assert "--api-key-env MY_SERVER_KEY" in command
    assert "X-Gateway-Key=env:MY_GATEWAY_KEY" in command


@pytest.mark.parametrize(
    ("target", "refusal"),
    [
        ('kind = "ssh"\nhost = "me:{ssh_host}@there"\nmodel = "m"', "must hold no password"),
        ('kind = "attached"\nurl = "http://me:{url_user}@host:8000"', "must hold no user, password"),
        ('kind = "attached"\nurl = "http://host:8000/?token={url_query}"', "must hold no user, password"),
        (
            'kind = "attached"\nurl = "http://host:8000"\nheaders = {{ X-Api-Key = "{api_key}" }}',
            "looks like a secret",
        ),
    ],
)
def test_that_a_secret_where_none_belongs_is_refused_without_being_repeated(
    tmp_path: Path, left: Path, target: str, refusal: str
) -> None:
    path = tmp_path / "refused.toml"
    head, rest = ATTACHED.split("[target]", maxsplit=1)[0], ATTACHED[ATTACHED.index("[control]") :]
    path.write_text(f"{head}[target]\n{target}\n{rest}".format(**CANARIES))
    done = workbench("run", str(path), "--bench", str(left / "refused.bench"))
    assert done.returncode == 2
    assert refusal in done.stderr
    assert giving_away([("said", (done.stdout + done.stderr).encode()), *contents(left)]) == []
    assert list(left.iterdir()) == []
