"""A draft: an experiment that is being written, each edit a step that can be taken back.

A draft may hold what can't be run yet; `problem` says what is wrong with it, in the file's own words.
"""

from typing import Any

import msgspec

from workbench.base import InputError, Place, Refusal
from workbench.experiments.session.commands import Document
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.validate import check_experiment


class DraftDocument(Document[Experiment]):
    """An experiment with undo."""

    def set(self, path: str, value: Any) -> None:
        """Set a field by its place in the file, such as `load.rates` or `baseline.max_num_seqs`.

        Edits of one field in a row are one step.

        Raises:
            InputError: no such field, or a value of another kind.
        """
        self.change(f"change {path}", with_field(self.value, path, value), merge_key=path)

    @property
    def problem(self) -> str | None:
        """Why it can't be run; None: it can."""
        try:
            check_experiment(self.value, self.value.name or "draft")
        except InputError as error:
            return str(error)
        return None


def with_field(experiment: Experiment, path: str, value: Any) -> Experiment:
    """The experiment with the field at `path` set; None takes a key out.

    Raises:
        InputError: no such field, or a value of another kind.
    """
    built: dict[str, Any] = msgspec.to_builtins(experiment)
    table: Any = built
    *tables, key = path.split(".")
    for name in tables:
        if not isinstance(table, dict) or name not in table:
            raise Refusal("experiments.no_such_field", Place(file=experiment.name), path=path)
        if table[name] is None:
            table[name] = {}
        table = table[name]
    if value is None and key in table and table is not built:
        del table[key]
    else:
        table[key] = msgspec.to_builtins(value)
    try:
        return msgspec.convert(built, Experiment)
    except msgspec.ValidationError as error:
        raise Refusal(
            "experiments.wrong_field", Place(file=experiment.name, key=path), why=str(error)
        ) from error
