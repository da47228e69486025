"""Signatures of packs: Ed25519 in the form of minisign, by a key that is made on first use."""

import base64
import binascii
import hashlib
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from workbench.base import Message, Place, Record, Refusal, config_folder, message, utc_now
from workbench.results.exports.pack_members import PUBLIC_KEY, SIGNATURE, SUMS

_KEY_FILE = "pack-key.pem"
_KEY_BYTES = 32
_ID_BYTES = 8
_SIGNATURE_BYTES = 64
_OF_A_KEY, _OF_A_HASH = b"Ed", b"ED"
"""minisign's algorithms: of public keys, and of signatures over a BLAKE2b hash."""
_UNTRUSTED, _TRUSTED = "untrusted comment: ", "trusted comment: "


class Signer(Record, frozen=True, kw_only=True):
    """The signer of a pack."""

    fingerprint: str
    """`SHA256:` and the hash of the public key."""
    said: str
    """The signed comment: the program and the time."""


class PackKey:
    """A signing key of this user."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._public = key.public_key().public_bytes_raw()

    @classmethod
    def of_this_user(cls) -> Self:
        """Return the user's key; make it on first use, readable by this user alone.

        Raises:
            Refusal: the file can't be read or made, holds no key, or others may read it.
        """
        path = config_folder() / _KEY_FILE
        with suppress(FileExistsError):
            _make(path)
        place = Place(file=str(path))
        try:
            # On Windows the mode says nothing; the folder belongs to the user.
            if sys.platform != "win32" and path.stat().st_mode & 0o077:
                raise Refusal("exports.key_open_to_others", place, name=str(path))
            key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        except OSError as error:
            raise Refusal("base.unreadable_file", place, cause=error.strerror or str(error)) from error
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise Refusal("exports.no_key", place) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise Refusal("exports.no_key", place)
        return cls(key)

    @property
    def fingerprint(self) -> str:
        """`SHA256:` and the hash of the public key, which names the key."""
        return fingerprint(self._public)

    def public_file(self) -> bytes:
        """Return the public key as minisign's file."""
        line = base64.b64encode(_OF_A_KEY + _key_id(self._public) + self._public).decode()
        return f"{_UNTRUSTED}vLLM Workbench key {self.fingerprint}\n{line}\n".encode()

    def sign(self, content: bytes) -> bytes:
        """Return minisign's signature file of `content`; its comment names the time."""
        from workbench import __version__  # noqa: PLC0415 - the package itself

        signature = self._key.sign(hashlib.blake2b(content).digest())
        comment = f"vLLM Workbench {__version__}, {utc_now()}"
        whole = self._key.sign(signature + comment.encode())
        lines = (
            f"{_UNTRUSTED}signature of {SUMS} by {self.fingerprint}",
            base64.b64encode(_OF_A_HASH + _key_id(self._public) + signature).decode(),
            f"{_TRUSTED}{comment}",
            base64.b64encode(whole).decode(),
        )
        return "".join(f"{line}\n" for line in lines).encode()


def _make(path: Path) -> None:
    """Make the key's file, unless it is there.

    Raises:
        FileExistsError: it is there.
        Refusal: it can't be made.
    """
    content = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
    except FileExistsError:
        raise
    except OSError as error:
        cause = error.strerror or str(error)
        raise Refusal("base.unwritable_file", Place(file=str(path)), cause=cause) from error


def fingerprint(public: bytes) -> str:
    """Return the name of a public key, in the form that ssh-keygen prints."""
    return f"SHA256:{base64.b64encode(hashlib.sha256(public).digest()).decode().rstrip('=')}"


def same_fingerprint(one: str, other: str) -> bool:
    """Return whether two fingerprints name the same key; `SHA256:` may be left out."""
    return one.strip().removeprefix("SHA256:") == other.strip().removeprefix("SHA256:")


def signer_of(contents: Mapping[str, bytes]) -> Signer | Message:
    """Return the signer of a pack's hashes, or why there is none."""
    if SIGNATURE not in contents or PUBLIC_KEY not in contents:
        return message("exports.not_signed")
    try:
        public = _last_line(contents[PUBLIC_KEY])
        _, encoded, comment, whole = contents[SIGNATURE].decode().splitlines()
        signed = base64.b64decode(encoded, validate=True)
        said = comment.removeprefix(_TRUSTED)
        key_bytes, signature = public[-_KEY_BYTES:], signed[-_SIGNATURE_BYTES:]
        if len(public) != len(_OF_A_KEY) + _ID_BYTES + _KEY_BYTES or signed[: -len(signature)] != (
            _OF_A_HASH + _key_id(key_bytes)
        ):
            return message("exports.signature_wrong")
        key = Ed25519PublicKey.from_public_bytes(key_bytes)
        key.verify(signature, hashlib.blake2b(contents[SUMS]).digest())
        key.verify(base64.b64decode(whole, validate=True), signature + said.encode())
    except (ValueError, IndexError, binascii.Error, InvalidSignature):
        return message("exports.signature_wrong")
    return Signer(fingerprint=fingerprint(key_bytes), said=said)


def _last_line(content: bytes) -> bytes:
    return base64.b64decode(content.decode().splitlines()[-1], validate=True)


def _key_id(public: bytes) -> bytes:
    return hashlib.sha256(public).digest()[:_ID_BYTES]
