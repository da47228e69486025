"""The replicas behind one address: found, checked to be alike before the load, and checked again after it."""

import asyncio
import subprocess
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from workbench.base import Message, Place, Record, Refusal, WorkbenchError, in_own_thread, message
from workbench.servers.read_back import changed_values, read_back
from workbench.servers.server import EffectiveConfig, Replica, explanation_of
from workbench.servers.server_api import ServerApi
from workbench.servers.target_spec import TargetSpec

_COMMAND_S = 60.0
_FROM_PROFILING = frozenset({"num_gpu_blocks", "kv_cache_tokens"})
"""Values that each replica measures on its own card; they may differ by some blocks."""


class _Seen(Record, frozen=True, kw_only=True):
    """One replica at the gate."""

    version: str | None
    process_start: float | None
    """Unix seconds; None: its page has none."""


class Replicas:
    """The replicas of a target; `open_api` opens a client of one address."""

    def __init__(
        self, replicas: Sequence[Replica], model: str | None, open_api: Callable[[str], ServerApi]
    ) -> None:
        self.replicas = tuple(replicas)
        self._model = model
        self._open_api = open_api
        self._seen: dict[str, _Seen] = {}

    async def require_alike(self) -> EffectiveConfig:
        """Probe every replica; return their common configuration.

        Raises:
            Refusal: one doesn't answer, or differs from the first; it is named.
        """
        found = await asyncio.gather(*(self._read(replica) for replica in self.replicas))
        first = found[0]
        for replica, config in zip(self.replicas[1:], found[1:], strict=True):
            differing = {
                name: values
                for name, values in changed_values(first, config).items()
                if name not in _FROM_PROFILING
            }
            if differing:
                raise Refusal(
                    "servers.replica_differs",
                    Place(table="target", key="urls"),
                    replica=replica.name,
                    first=self.replicas[0].name,
                    differences=[
                        message("servers.replica_difference", name=name, own=own, first=common)
                        for name, (common, own) in sorted(differing.items())
                    ],
                )
        return first

    async def changes(self) -> list[Message]:
        """Return which replicas don't answer, or aren't the processes that passed the gate."""
        found = await asyncio.gather(*(self._change(replica) for replica in self.replicas))
        return [each for each in found if each is not None]

    async def _read(self, replica: Replica) -> EffectiveConfig:
        api = self._open_api(replica.url)
        try:
            await api.require_life()
            config = await read_back(api, self._model)
            self._seen[replica.name] = _Seen(version=config.version, process_start=await _start(api))
        except WorkbenchError as error:
            why = explanation_of(error)
            place = Place(table="target", key="urls")
            raise Refusal("servers.replica_silent", place, replica=replica.name, why=why) from error
        finally:
            await api.close()
        return config

    async def _change(self, replica: Replica) -> Message | None:
        api = self._open_api(replica.url)
        before = self._seen[replica.name]
        try:
            await api.require_life()
            version, start = await api.version(), await _start(api)
        except WorkbenchError as error:
            return message("servers.replica_silent", replica=replica.name, why=explanation_of(error))
        finally:
            await api.close()
        if start != before.process_start and start is not None and before.process_start is not None:
            seconds = start - before.process_start
            return message("servers.replica_restarted", replica=replica.name, seconds=seconds)
        if version != before.version:
            return message(
                "servers.replica_other_version", replica=replica.name, version=version, before=before.version
            )
        return None


async def _start(api: ServerApi) -> float | None:
    """Return when its process began, Unix seconds.

    Raises:
        Refusal: it has no metrics page, so nothing is known of this replica.
    """
    return (await api.metrics()).process_start


async def find_replicas(spec: TargetSpec, plain: Callable[[str, Place], str]) -> list[Replica]:
    """Return the target's replicas; empty if it names none. `plain` checks and shortens an address.

    Raises:
        Refusal: the command fails or prints no address, or an address can't be used or stands there twice.
    """
    place = Place(table="target", key="urls_command" if spec.urls_command else "urls")
    stated = (
        await in_own_thread(lambda: _printed(spec.urls_command, place)) if spec.urls_command else spec.urls
    )
    urls = [plain(url, place) for url in stated]
    twice = next((url for url in urls if urls.count(url) > 1), None)
    if twice is not None:
        raise Refusal("servers.replica_twice", place, url=twice)
    names = [urlsplit(url).netloc for url in urls]
    return [
        Replica(name=name if names.count(name) == 1 else name + urlsplit(url).path, url=url)
        for name, url in zip(names, urls, strict=True)
    ]


def _printed(command: Sequence[str], place: Place) -> list[str]:
    """Return the addresses that a command prints, one a line.

    Raises:
        Refusal: it can't be run, fails, takes too long or prints none.
    """
    try:
        said = subprocess.run(
            list(command), capture_output=True, timeout=_COMMAND_S, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise Refusal("servers.urls_command_failed", place, why=error.strerror or "") from error
    except subprocess.TimeoutExpired as error:
        why = message("servers.urls_command_slow", seconds=_COMMAND_S)
        raise Refusal("servers.urls_command_failed", place, why=why) from error
    if said.returncode:
        last = said.stderr.decode(errors="replace").strip().splitlines()[-1:]
        why = message("servers.urls_command_code", code=said.returncode, said=last[0] if last else "")
        raise Refusal("servers.urls_command_failed", place, why=why)
    urls = said.stdout.decode(errors="replace").split()
    if not urls:
        raise Refusal("servers.urls_command_failed", place, why=message("servers.urls_command_empty"))
    return urls
