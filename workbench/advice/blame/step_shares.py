"""A run's steps prepared for the ledger: modelled costs of each request's part, and who held what."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.advice.blame.step_index import DECODE, PREEMPTED, RECOMPUTE, Floats, Ints, StepIndex, sum_at
from workbench.profiles import StepModel


@dataclass(frozen=True)
class Holders:
    """Holders of a resource in each step: requests with their shares, which sum to 1."""

    first: Ints
    """Shape (n + 1,): step i has the rows first[i] up to first[i + 1]."""
    request: Ints
    share: Floats
    by_class: Floats
    """Shape (n, classes)."""

    def sum_over(self, begin: int, seconds: Floats, size: int) -> Floats:
        """Return seconds by request, from those of the steps from `begin` on; shape (size,)."""
        rows = slice(int(self.first[begin]), int(self.first[begin + len(seconds)]))
        each = np.repeat(seconds, np.diff(self.first[begin : begin + len(seconds) + 1]))
        return sum_at(self.request[rows], self.share[rows] * each, size)


class StepShares:
    """Columns that the ledger reads.

    Args:
        index: the run's steps.
        model: the cost of the parts of a step.
        classes: the class of each request, as a number.
    """

    def __init__(self, index: StepIndex, model: StepModel, classes: Ints) -> None:
        self.index = index
        self.called = index.steps.called
        self.count = len(index.steps)
        self.classes = classes
        self.class_count = int(classes.max(initial=0)) + 1
        self.ended = index.steps.ended
        """NaN: never."""
        self._merge(model)
        self._by_step(model)

    def _merge(self, model: StepModel) -> None:
        """Make one row of the entries of a request in a step; rows are in the order of entries."""
        index, entries = self.index, self.index.entries
        place, request = index.entry_place, entries.request
        new = np.ones(len(request), dtype=bool)
        new[1:] = (request[1:] != request[:-1]) | (place[1:] != place[:-1])
        at = np.flatnonzero(new)
        tokens = entries.tokens.astype(np.float64)
        decodes, again = entries.kind == DECODE, entries.kind == RECOMPUTE
        attention = tokens * (index.context - tokens / 2)

        def merged(values: Floats) -> Floats:
            return np.add.reduceat(values, at) if len(at) else np.zeros(0)

        self.place, self.request = place[at], request[at].astype(np.int64)
        self.tokens = merged(tokens)
        self.prefill_cost = merged(np.where(decodes, 0.0, model.b * tokens + model.e * attention))
        self.decode_cost = merged(np.where(decodes, model.c * tokens + model.d * index.context, 0.0))
        self.prompt = prompt = merged(np.where(decodes, 0.0, tokens))
        """Prompt tokens, computed for the first time or again."""
        self.again = merged(np.where(again, tokens, 0.0)) / np.maximum(prompt, 1.0)
        """Share of its prompt tokens that were computed before."""
        ends = np.append(at[1:], len(request)) - 1
        self.context = index.context[ends].astype(np.float64) if len(at) else np.zeros(0)
        self.first = np.searchsorted(self.place, np.arange(self.count + 1))
        self.order = np.argsort(self.request, kind="stable")
        self.begins = np.searchsorted(self.request[self.order], np.arange(len(index.requests.ids) + 1))

    def _by_step(self, model: StepModel) -> None:
        self.base = model.a
        self.prefill_by_class = self._sum_by_class(self.prefill_cost)
        self.decode_by_class = self._sum_by_class(self.decode_cost)
        self.all_prefill = self.prefill_by_class.sum(axis=1)
        self.all_decode = self.decode_by_class.sum(axis=1)
        self.total = self.base + self.all_prefill + self.all_decode
        self.used = sum_at(self.place, self.tokens, self.count)
        """Tokens of each step."""

    def _sum_by_class(self, values: Floats) -> Floats:
        key = self.place * self.class_count + self.classes[self.request]
        size = self.count * self.class_count
        return sum_at(key, values, size).reshape(self.count, self.class_count)

    def rows_of(self, request: int) -> Ints:
        """Return the rows of a request, in time."""
        return self.order[self.begins[request] : self.begins[request + 1]]

    @cached_property
    def preempted_at(self) -> dict[int, Ints]:
        """Places at which each request was preempted."""
        events = self.index.events
        found = events.kind == PREEMPTED
        places, requests = events.place[found], events.request[found]
        return {int(request): places[requests == request] for request in np.unique(requests)}

    @cached_property
    def by_tokens(self) -> Holders:
        """Return the requests that used the step's tokens."""
        return self._holders(self.first, self.request, self.tokens)

    @cached_property
    def by_budget(self) -> Holders:
        """Return the requests that exhausted the budget: prompts if any, since a decode takes one token."""
        prompts = sum_at(self.place, self.prompt, self.count)
        weight = np.where(prompts[self.place] > 0, self.prompt, self.tokens)
        return self._holders(self.first, self.request, weight)

    @cached_property
    def by_blocks(self) -> Holders:
        """Return the holders of KV blocks, by tokens of context."""
        return self._holders(self.first, self.request, self.context)

    @cached_property
    def by_slots(self) -> Holders:
        """Return the holders of the sequence slots."""
        stays = self.index.stays
        lengths = stays.end - stays.begin
        offsets = np.cumsum(lengths) - lengths
        place = np.arange(int(lengths.sum())) - np.repeat(offsets - stays.begin, lengths)
        request = np.repeat(stays.request, lengths).astype(np.int64)
        sorting = np.argsort(place, kind="stable")
        first = np.searchsorted(place[sorting], np.arange(self.count + 1))
        return self._holders(first, request[sorting], np.ones(len(request)))

    def _holders(self, first: Ints, request: Ints, weight: Floats) -> Holders:
        place = np.repeat(np.arange(self.count), np.diff(first))
        total = sum_at(place, weight, self.count)
        share = weight / np.maximum(total, 1e-300)[place]
        key = place * self.class_count + self.classes[request]
        by_class = sum_at(key, share, self.count * self.class_count)
        return Holders(first, request, share, by_class.reshape(self.count, self.class_count))

    def place_of_call(self, number: int) -> int | None:
        """Return the place of a call; None if the record lacks it."""
        numbers = self.index.steps.number
        place = int(np.searchsorted(numbers, number))
        return place if place < self.count and numbers[place] == number else None


def class_numbers(names: Sequence[str]) -> tuple[Ints, list[str]]:
    """Return a number for each request's class, and the classes by number."""
    classes = list(dict.fromkeys(names)) or [""]
    numbers = {name: number for number, name in enumerate(classes)}
    return np.array([numbers[name] for name in names], dtype=np.int64), classes
