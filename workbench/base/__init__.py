"""Words that every room shares: clock, errors, files, secrets, tagged records, resources."""

from workbench.base.clock import now, parse_utc, utc_now
from workbench.base.errors import InputError, MissingResourceError, WorkbenchError
from workbench.base.files import require_writable_file, require_writable_folder, write_atomic
from workbench.base.masking import (
    MASK,
    is_secret_name,
    mask_arguments,
    mask_command,
    mask_environment,
    mask_sentence,
    mask_text,
    mask_value,
    secrets_in,
    secrets_of,
)
from workbench.base.messages import Message, Value, message, render, templates
from workbench.base.network import is_loopback, unused_proxy
from workbench.base.open_files import raise_open_files
from workbench.base.paths import cache_folder, config_folder, data_folder
from workbench.base.records import UNREADABLE, Record, decode_json, encode_line
from workbench.base.refusals import Place, Refusal
from workbench.base.resources import resource
from workbench.base.showing import shown, shown_lines, steers
from workbench.base.threads import in_own_thread
from workbench.base.tls import trusting
from workbench.base.toml_text import decode_text, read_toml, read_toml_file

__all__ = [
    "MASK",
    "UNREADABLE",
    "InputError",
    "Message",
    "MissingResourceError",
    "Place",
    "Record",
    "Refusal",
    "Value",
    "WorkbenchError",
    "cache_folder",
    "config_folder",
    "data_folder",
    "decode_json",
    "decode_text",
    "encode_line",
    "in_own_thread",
    "is_loopback",
    "is_secret_name",
    "mask_arguments",
    "mask_command",
    "mask_environment",
    "mask_sentence",
    "mask_text",
    "mask_value",
    "message",
    "now",
    "parse_utc",
    "raise_open_files",
    "read_toml",
    "read_toml_file",
    "render",
    "require_writable_file",
    "require_writable_folder",
    "resource",
    "secrets_in",
    "secrets_of",
    "shown",
    "shown_lines",
    "steers",
    "templates",
    "trusting",
    "unused_proxy",
    "utc_now",
    "write_atomic",
]
