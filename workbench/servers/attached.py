"""A server that already runs: queried and measured, never changed or ended."""

from urllib.parse import urlsplit

from workbench.base import InputError, Message, Place, Refusal, ignored_proxy, in_own_thread, message
from workbench.servers.headers import complete_address, refuse_secrets_in_url
from workbench.servers.keys import key_at
from workbench.servers.read_back import choose_model, read_back
from workbench.servers.replicas import Replicas, find_replicas
from workbench.servers.server import EffectiveConfig, LifecycleState, OnLog, OnState, Server, explanation_of
from workbench.servers.server_api import KeyRefusedError, ModelCard, ServerApi
from workbench.servers.target_spec import TargetSpec


class AttachedServer(Server):
    """A server at a URL, with or without `/v1` at its end."""

    def __init__(self, spec: TargetSpec, patience_s: float | None = None) -> None:
        """Prepare access; `patience_s`, the caller's request timeout, also bounds the first request."""
        super().__init__()
        self._spec = spec
        self._behind: Replicas | None = None
        self._common: EffectiveConfig | None = None
        self.url = plain_url(spec.url or "")
        self.model = spec.model
        self.api_key = spec.api_key()
        self._headers, self._ca_file = spec.all_headers(), spec.ca_file
        self._patience_s = patience_s
        self._api: ServerApi | None = None

    async def start(self, on_log: OnLog, on_state: OnState) -> None:
        """Check that it can be measured."""
        self._on_log, self._on_state = on_log, on_state
        assert self.url is not None
        self._api = self._open(self.url)
        self._enter(LifecycleState.STARTING, message("servers.asking", url=self.url))
        try:
            await self._api.require_life()
            self.model = choose_model(await self._models(self.url), self.model, self.url).id
            await self._find_replicas()
        except Exception as error:
            said = _joined(explanation_of(error), self._about_proxy()) or ""
            self._enter(LifecycleState.FAILED, said)
            await self._close()
            if isinstance(error, InputError) and isinstance(said, Message) and said.kind == "base.both":
                raise Refusal(said.kind, None, **said.values) from error
            raise
        about_metrics = None if self.replicas else await self._about_metrics(self._api)
        notes = _joined(about_metrics, self._about_proxy())
        self._enter(LifecycleState.READY, notes or "")

    async def _find_replicas(self) -> None:
        """Find the replicas behind the address and check that they are alike.

        Raises:
            Refusal: they can't be found, or one doesn't answer or differs.
        """
        self.replicas = tuple(await find_replicas(self._spec, plain_url))
        if self.replicas:
            self._behind = Replicas(self.replicas, self.model, self._open)
            self._common = await self._behind.require_alike()

    async def replica_changes(self) -> list[Message]:
        """Return which replicas don't answer, restarted or differ since the start."""
        return [] if self._behind is None else await self._behind.changes()

    def _about_proxy(self) -> Message | None:
        """Return a note if the environment names a proxy that isn't used."""
        setting = ignored_proxy(self.url or "")
        return None if setting is None else message("servers.proxy_unused", setting=setting)

    def _open(self, url: str) -> ServerApi:
        return ServerApi(
            url,
            api_key=self.api_key,
            headers=self._headers,
            ca_file=self._ca_file,
            patience_s=self._patience_s,
        )

    async def _models(self, url: str) -> list[ModelCard]:
        """Return its models; take a key from the keyring if the server wants one and none was given.

        Raises:
            Refusal: the server gives no answer or refuses the key, or the keyring gives no answer.
        """
        assert self._api is not None
        given = self.api_key is not None or any(name.lower() == "authorization" for name in self._headers)
        try:
            cards = await self._api.models()
        except KeyRefusedError:
            if given or not await self._use_stored_key(url):
                raise
            return await self._api.models()
        if not given and url.startswith("https:") and await self._api.refuses_requests():
            await self._use_stored_key(url)
        return cards

    async def _use_stored_key(self, url: str) -> bool:
        """Take the keyring's key of this server, if it has one."""
        assert self._api is not None
        self.api_key = await in_own_thread(lambda: key_at(url))
        if self.api_key is None:
            return False
        await self._api.close()
        self._api = self._open(url)
        return True

    async def _about_metrics(self, api: ServerApi) -> Message | None:
        try:
            await api.metrics()
        except InputError as error:
            return message("servers.no_metrics", cause=explanation_of(error))
        return None

    async def effective(self) -> EffectiveConfig:
        """Return its effective configuration, or that of each of its replicas; unknown values are None."""
        if self._common is not None:
            return self._common
        assert self._api is not None
        return await read_back(self._api, self.model)

    async def stop(self) -> None:
        """Disconnect; the server goes on serving."""
        if self._api is not None:
            await self._close()
            self._enter(LifecycleState.STOPPED)

    async def _close(self) -> None:
        if self._api is not None:
            await self._api.close()
        self._api = None


def _joined(first: "Message | str | None", second: Message | None) -> "Message | str | None":
    """Join two notes, either of which may be missing."""
    if first is None or second is None:
        return first if second is None else second
    return message("base.both", first=first, second=second)


def plain_url(url: str, place: Place | None = None) -> str:
    """Return the completed URL without `/v1` and slashes at its end; `place` names it in the error.

    Raises:
        Refusal: not an HTTP URL, or one that carries a secret.
    """
    place = place or Place(table="target", key="url")
    url = complete_address(url)
    refuse_secrets_in_url(url, place)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise Refusal("servers.not_a_url", place, url=url)
    return url.rstrip("/").removesuffix("/v1").rstrip("/")
