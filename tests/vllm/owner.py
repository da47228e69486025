"""A process that owns a real server and waits to be killed: what a dying conductor is."""

import asyncio
import sys
from pathlib import Path

from workbench.servers import TargetSpec, make_server


async def main(build: Path) -> None:
    """Start the server, say so, wait."""
    spec = TargetSpec(
        kind="local",
        model=str(build / "tiny-llama"),
        executable=str(build / "venv"),
        args=["--served-model-name", "tiny", "--enforce-eager", "--dtype", "float32"],
        env={"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"},
    )
    server = make_server(spec, {"max_model_len": 512, "block_size": 32})
    await server.start(lambda _: None, lambda _, __: None)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
