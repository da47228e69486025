"""The experiment: a target, a baseline, one control under test, a trace, a load, objectives.

It is read from TOML (docs/reference/experiment-file.md). Its configurations differ in one control only.
"""

from pathlib import Path
from typing import Self

import msgspec

from workbench.base import Place, Refusal, decode_text, read_toml
from workbench.experiments.spec.file_content import check_content, wrong_value
from workbench.experiments.spec.tables import ExperimentSpec
from workbench.experiments.spec.validate import check_experiment, refuse_second_control


class Experiment(ExperimentSpec, frozen=True, kw_only=True):
    """One checked experiment."""

    @classmethod
    def load_file(cls, path: Path) -> Self:
        """Read and check one file.

        Raises:
            Refusal: the file is unreadable or not TOML, or has an unknown key, a wrong value or a second
                control; names the place.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            cause = error.strerror or ""
            raise Refusal("base.unreadable_file", Place(file=str(path)), cause=cause) from error
        return cls.from_toml(decode_text(data, str(path)), where=str(path))

    @classmethod
    def from_toml(cls, text: str, *, where: str) -> Self:
        """Read and check the text of a file; relative paths in it stay relative.

        Raises:
            Refusal: as `load_file`.
        """
        content = read_toml(text, where)
        if not content:
            raise Refusal("experiments.empty_file", Place(file=where))
        refuse_second_control(content, where)
        if content.get("kind") == "reproduce":
            raise Refusal("experiments.reproduce_by_run", Place(file=where, key="kind"))
        check_content(content, cls, where)
        try:
            experiment = msgspec.convert(content, cls)
        except msgspec.ValidationError as error:
            raise wrong_value(error, content, where) from error
        check_experiment(experiment, where)
        return experiment
