"""A server that is already there: asked, measured, never changed, never ended."""

from urllib.parse import urlsplit

from workbench.base import InputError
from workbench.servers.addresses import refuse_secrets_in_url
from workbench.servers.answers import Answers
from workbench.servers.read_back import choose_model, read_back
from workbench.servers.server import Effective, OnLog, OnState, Server, State
from workbench.servers.spec import TargetSpec


class AttachedServer(Server):
    """A URL, with or without `/v1` at its end."""

    def __init__(self, spec: TargetSpec, patience_s: float | None = None) -> None:
        """`patience_s` is what its callers have with a request: the first look at it has no more."""
        super().__init__()
        self.url = plain_url(spec.url or "")
        self.model = spec.model
        self.api_key = spec.api_key()
        self._headers, self._ca_file = spec.all_headers(), spec.ca_file
        self._patience_s = patience_s
        self._answers: Answers | None = None

    async def start(self, on_log: OnLog, on_state: OnState) -> None:
        """Ask whether it can be measured."""
        self._on_log, self._on_state = on_log, on_state
        assert self.url is not None
        self._answers = Answers(
            self.url,
            api_key=self.api_key,
            headers=self._headers,
            ca_file=self._ca_file,
            patience_s=self._patience_s,
        )
        self._enter(State.STARTING, f"asking {self.url}")
        try:
            await self._answers.require_life()
            self.model = choose_model(await self._answers.models(), self.model, self.url).id
        except Exception as error:
            self._enter(State.FAILED, str(error))
            await self._close()
            raise
        self._enter(State.READY, await self._about_metrics(self._answers))

    async def _about_metrics(self, answers: Answers) -> str:
        try:
            await answers.metrics()
        except InputError as error:
            return f"no metrics: {error}"
        return ""

    async def effective(self) -> Effective:
        """All that it tells; what isn't knowable is None."""
        assert self._answers is not None
        return await read_back(self._answers, self.model)

    async def stop(self) -> None:
        """Let go of it; it goes on serving."""
        if self._answers is not None:
            await self._close()
            self._enter(State.STOPPED)

    async def _close(self) -> None:
        if self._answers is not None:
            await self._answers.close()
        self._answers = None


def plain_url(url: str, *, where: str = "[target] url") -> str:
    """The URL without `/v1` and slashes at its end; `where` names it in the error.

    Raises:
        InputError: not an HTTP URL, or one that carries a secret.
    """
    refuse_secrets_in_url(url, where)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise InputError(f"{where} {url!r}: must look like http://HOST:PORT or https://HOST/PATH")
    return url.rstrip("/").removesuffix("/v1").rstrip("/")
