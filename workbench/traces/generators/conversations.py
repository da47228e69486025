"""Conversations of one mix over a stretch of time; some began before the stretch."""

from dataclasses import dataclass, fields

import numpy as np

from workbench.traces.columns import Bools, Floats, Ints
from workbench.traces.generators.mix_parameters import BLOCK_TOKENS, Mix

NOMINAL_TTFT_S = 0.5
NOMINAL_TOKEN_S = 0.02
"""Nominal latencies by which turns are laid out in time; at run time a turn waits for the real end."""

_MEAN_SESSIONS_BEFORE = 8
"""Conversations begin this many mean lengths before the stretch; fewer than one in 2,000 lasts longer."""

_SUMMARY_SHARE = 0.1
_BURST_SPREAD_S = 0.5
_SUB_AGENT_SPREAD_S = 0.05


@dataclass(frozen=True, kw_only=True)
class Turns:
    """Turns within the stretch, conversation by conversation; one entry a turn."""

    time_s: Floats
    session: Ints
    turn: Ints
    system: Ints
    """Index of the system prompt."""
    epoch: Ints
    """Number of times that the conversation was restarted with a summary."""
    prompt: Ints
    output: Ints
    think_s: Floats
    """Think time; NaN for a first turn."""

    def select(self, index: Ints) -> "Turns":
        """Return the turns with these indices."""
        return Turns(**{field.name: getattr(self, field.name)[index] for field in fields(self)})

    def joined(self, other: "Turns") -> "Turns":
        """Return these turns followed by `other`."""
        names = [field.name for field in fields(self)]
        return Turns(**{name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names})


def mean_session_s(mix: Mix) -> float:
    """Return the mean time from a conversation's first turn to the think time after its last."""
    answer = NOMINAL_TTFT_S + NOMINAL_TOKEN_S * mix.output.mean()
    return mix.turns_mean * (answer + mix.think_s.mean())


def draw_turns(mix: Mix, rate: float, length_s: float, generator: np.random.Generator) -> Turns:
    """Draw all turns of a stretch of `length_s` with `rate` requests per second on average."""
    turn_rate = rate / (1 + mix.sub_agent_share * mix.sub_agents_mean)
    before_s = _MEAN_SESSIONS_BEFORE * mean_session_s(mix)
    begins = _draw_beginnings(mix, turn_rate / mix.turns_mean, before_s + length_s, generator) - before_s
    counts = generator.geometric(1 / mix.turns_mean, len(begins))
    total = int(counts.sum())
    firsts = np.cumsum(counts) - counts
    session = np.repeat(np.arange(len(begins)), counts)
    is_first = np.zeros(total, np.bool_)
    is_first[firsts] = True
    message = np.where(
        is_first, mix.first_message.draw(generator, total), mix.later_message.draw(generator, total)
    )
    output, think = _whole(mix.output.draw(generator, total)), mix.think_s.draw(generator, total)
    times = _due_times(begins, firsts, is_first, counts, output, think)
    within = (times >= 0) & (times < length_s)
    system = generator.choice(len(mix.system_prompts), len(begins), p=_normed(mix))[session]
    prompt, epoch = np.ones(total, np.int64), np.zeros(total, np.int64)
    # Walking through the turns is slow: do it only for conversations that reach into the stretch.
    reaching = np.flatnonzero(np.isin(session, session[within]))
    prompt[reaching], epoch[reaching] = _prompts(
        mix, is_first[reaching], system[reaching], _whole(message)[reaching], output[reaching]
    )
    turns = Turns(
        time_s=times,
        session=session,
        turn=np.arange(total) - firsts[session],
        system=system,
        epoch=epoch,
        prompt=prompt,
        output=output,
        think_s=np.where(is_first, np.nan, think),
    ).select(np.flatnonzero(within))
    return _with_sub_agents(mix, turns, len(begins), generator) if mix.sub_agent_share else turns


def _with_sub_agents(mix: Mix, turns: Turns, sessions: int, generator: np.random.Generator) -> Turns:
    """Add the requests of sub-agents: one turn each, at the same time as their parent turn."""
    parents = np.flatnonzero(generator.random(len(turns.time_s)) < mix.sub_agent_share)
    parents = np.repeat(parents, generator.geometric(1 / mix.sub_agents_mean, len(parents)))
    count = len(parents)
    heads = np.array(mix.system_prompts)[turns.system[parents]]
    message = _whole(mix.first_message.draw(generator, count))
    agents = Turns(
        time_s=turns.time_s[parents] + generator.standard_exponential(count) * _SUB_AGENT_SPREAD_S,
        session=sessions + np.arange(count),
        turn=np.zeros(count, np.int64),
        system=turns.system[parents],
        epoch=np.zeros(count, np.int64),
        prompt=np.minimum(heads + message, mix.context_limit),
        output=_whole(mix.output.draw(generator, count)),
        think_s=np.full(count, np.nan),
    )
    return turns.joined(agents)


def _draw_beginnings(mix: Mix, rate: float, length_s: float, generator: np.random.Generator) -> Floats:
    """Draw the beginnings of conversations: a Poisson process of single ones plus one of bursts."""
    alone = generator.poisson(rate * (1 - mix.burst_share) * length_s)
    bursts = generator.poisson(rate * mix.burst_share / mix.burst_size * length_s)
    sizes = generator.geometric(1 / mix.burst_size, bursts)
    within = generator.standard_exponential(int(sizes.sum())) * _BURST_SPREAD_S
    clustered = np.repeat(generator.random(bursts) * length_s, sizes) + within
    return np.sort(np.concatenate([generator.random(alone) * length_s, clustered]))


def _due_times(
    begins: Floats, firsts: Ints, is_first: Bools, counts: Ints, output: Ints, think: Floats
) -> Floats:
    """Return each turn's due time if answers take their nominal time."""
    answer = NOMINAL_TTFT_S + NOMINAL_TOKEN_S * output
    gaps = np.where(is_first, 0.0, np.roll(answer, 1) + think)
    elapsed = np.cumsum(gaps)
    times: Floats = elapsed - np.repeat(elapsed[firsts], counts) + np.repeat(begins, counts)
    return times


def _prompts(mix: Mix, is_first: Bools, system: Ints, message: Ints, output: Ints) -> tuple[Ints, Ints]:
    """Return prompt length and epoch of each turn.

    The conversation grows until the context limit, then restarts with a summary.
    """
    heads = np.array(mix.system_prompts)[system].tolist()
    prompts, epochs = [], []
    said, epoch = 0, 0
    summary = int(mix.context_limit * _SUMMARY_SHARE)
    kept = (output * mix.kept_output).astype(np.int64).tolist()
    for first, head, new, answer in zip(is_first.tolist(), heads, message.tolist(), kept, strict=True):
        if first:
            said, epoch = 0, 0
        if head + said + new > mix.context_limit:
            said, epoch = min(said, summary), epoch + 1
        prompt = min(head + said + new, mix.context_limit)
        prompts.append(prompt)
        epochs.append(epoch)
        said = prompt - head + answer
    return np.array(prompts, np.int64), np.array(epochs, np.int64)


def _whole(values: Floats) -> Ints:
    return np.maximum(1, np.rint(values)).astype(np.int64)


def _normed(mix: Mix) -> list[float]:
    return [weight / sum(mix.system_weights) for weight in mix.system_weights]


def block_ids(mix: Mix, turns: Turns) -> tuple[Ints, Ints]:
    """Return offsets and flat block ids.

    Whole blocks of a system prompt are shared; the rest belongs to the conversation. A conversation only
    grows, so a later turn has the ids of the previous one and more. A last block keeps its id when it fills
    up.
    """
    shared = np.array(mix.system_prompts)[turns.system] // BLOCK_TOKENS
    blocks = -(-turns.prompt // BLOCK_TOKENS)
    shared = np.minimum(shared, blocks)
    system_bases = np.cumsum([0, *(length // BLOCK_TOKENS for length in mix.system_prompts)])
    own = blocks - shared
    _, group = np.unique(np.stack([turns.session, turns.epoch]), axis=1, return_inverse=True)
    group = group.reshape(-1)
    needed = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    np.maximum.at(needed, group, own)
    own_bases = system_bases[-1] + np.cumsum(needed) - needed
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(blocks)])
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], blocks)
    system_part = np.repeat(system_bases[turns.system], blocks) + within
    own_part = np.repeat(own_bases[group] - shared, blocks) + within
    return offsets, np.where(within < np.repeat(shared, blocks), system_part, own_part)
