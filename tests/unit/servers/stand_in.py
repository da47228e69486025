"""A stand-in for vLLM's script: its lines, its endpoints, its children. Its model's name says what it does.

ok        serves                          slow      serves after a while
locked    may not read its model
port      says that the port is in use    quiet     ends without a word, with 3
dies      ends with 0 when asked for /die stays     leaves its child behind when it is asked to end
stubborn  ignores being asked to end        inside    serves, records a step and takes live limits
scatters  leaves behind what vLLM does      parallel  as inside, with two engines
"""

import argparse
import http.server
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from multiprocessing import resource_tracker, shared_memory
from typing import Any

METRICS = (
    'vllm:num_requests_running{engine="0",model_name="served"} 0.0\n'
    'vllm:cache_config_info{block_size="16",num_gpu_blocks="100",kv_cache_size_tokens="1600",cache_dtype="auto",'
    'enable_prefix_caching="True",engine="0",gpu_memory_utilization="0.92",'
    'num_gpu_blocks_override="None"} 1.0\n'
)
CONFIGURATION = {
    "vllm_config": {
        "scheduler_config": {"max_num_seqs": 4, "max_num_batched_tokens": 64, "policy": "fcfs"},
        "cache_config": {"block_size": 16, "num_gpu_blocks_override": None, "enable_prefix_caching": True},
        "model_config": {"max_model_len": 512, "hf_token": "hf_secret"},
    },
    "system_env": {"nvidia_gpu_models": "GPU 0: H100", "cpu_info": "long"},
}


class Handler(http.server.BaseHTTPRequestHandler):
    model = "served"

    def do_GET(self) -> None:
        key = os.environ.get("VLLM_API_KEY")
        if self.path.startswith("/v1/") and key and self.headers.get("Authorization") != f"Bearer {key}":
            self.answer(401, b'{"error":"Unauthorized"}')
            return
        card = {"id": self.model, "root": "/nowhere", "max_model_len": 512}
        bodies = {
            "/health": b"",
            "/version": b'{"version":"9.9.0"}',
            "/v1/models": json.dumps({"object": "list", "data": [card]}).encode(),
            "/metrics": METRICS.encode(),
        }
        if os.environ.get("VLLM_SERVER_DEV_MODE") == "1":
            bodies["/server_info?config_format=json"] = json.dumps(CONFIGURATION).encode()
        body = bodies.get(self.path)
        self.answer(404 if body is None else 200, body or b"")
        if self.path == "/die":
            print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0", flush=True)
            os._exit(0)

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def say(text: str) -> None:
    print(f"(APIServer pid={os.getpid()}) INFO 11-29 15:09:21 [a.py:1] {text}", flush=True)


def be_inside(suffix: str = "") -> None:
    """What our scheduler does in an engine: a record, and a socket on which limits are taken."""
    pathlib.Path(os.environ["WORKBENCH_STEPS"] + suffix).write_text('{"ev":"reset","t_next":0}\n')
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.environ["WORKBENCH_LIMITS"] + suffix)
    listener.listen()

    def answer() -> None:
        while True:
            with listener.accept()[0] as caller, caller.makefile("rwb") as stream:
                order = json.loads(stream.readline())
                say(f"engine{suffix} takes {order}")
                changed = {name: {"old": 4, "new": value} for name, value in order.get("set", {}).items()}
                limits = {"limits": {"max_num_active_seqs": 4}, "impossible": {"parked_kv_blocks": "groups"}}
                stream.write(json.dumps({"changed": changed} if changed else limits).encode() + b"\n")

    threading.Thread(target=answer, daemon=True).start()


def scatter() -> "tuple[socket.socket, shared_memory.SharedMemory]":
    """What lies about after a real one: a socket, a rendezvous file, shared memory where it was killed."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{os.environ.get('VLLM_RPC_BASE_PATH', tempfile.gettempdir())}/{uuid.uuid4()}")
    path = pathlib.Path(tempfile.gettempdir()) / f"vllm_dist_{uuid.uuid4().hex}"
    say(f"world_size=1 rank=0 local_rank=0 distributed_init_method=file://{path} backend=gloo")
    path.write_text("refcount")
    memory: Any = shared_memory.SharedMemory(create=True, size=64)
    resource_tracker.unregister(memory._name, "shared_memory")
    say(f"shared: {memory.name}")
    return listener, memory


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("verb")
    parser.add_argument("model")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    options, rest = parser.parse_known_args()
    key, token, word = (os.environ.get(name, "") for name in ("VLLM_API_KEY", "HF_TOKEN", "OWN_PASSWORD"))
    say(f"non-default args: {{'api_key': ['{key}'], 'rest': {rest}}} {token} {word}")
    if options.model == "quiet":
        sys.exit(3)
    if options.model == "port":
        print("OSError: [Errno 98] Address already in use", file=sys.stderr, flush=True)
        sys.exit(1)
    if options.model == "locked":
        print("Traceback (most recent call last):", file=sys.stderr)
        print("PermissionError: [Errno 13] Permission denied: '/m/config.json'", file=sys.stderr, flush=True)
        sys.exit(1)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)

    def asked_to_end(*_: object) -> None:
        if options.model != "stays":
            child.kill()
            child.wait()
        os._exit(0)

    signal.signal(signal.SIGTERM, signal.SIG_IGN if options.model == "stubborn" else asked_to_end)
    say("Initializing a V1 LLM engine (v9.9.0) with config: " + "x" * 100_000)
    say("Starting to load model served...")
    for percent in (0, 50, 100):
        sys.stderr.write(f"\rLoading safetensors checkpoint shards: {percent:3d}% Completed | {percent}/100")
        sys.stderr.flush()
    sys.stderr.write("\n")
    say("GPU KV cache size: 1,600 tokens, Maximum concurrency for 512 tokens per request: 3.12x")
    if options.model == "slow":
        time.sleep(600)
    for suffix in {"inside": ("",), "parallel": ("", ".1")}.get(options.model, ()):
        be_inside(suffix)
    kept = scatter() if options.model == "scatters" else None
    server = http.server.ThreadingHTTPServer((options.host, options.port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("INFO:     Application startup complete.", file=sys.stderr, flush=True)
    while True:
        time.sleep(60 if kept is None else 61)


if __name__ == "__main__":
    main()
