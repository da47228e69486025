"""The log's line a step, in the forms of 0.14 to 0.25 and of 0.26 and later."""

from workbench.vllm_dialect import iteration_of

OLD = (
    "(EngineCore pid=7) INFO 11-29 20:44:59 [core.py:363] Iteration(12): 1 context requests, "
    "64 context tokens, 3 generation requests, 3 generation tokens, iteration elapsed time: 7.25 ms"
)
NEW = (
    "(APIServer pid=7) INFO 11-29 20:44:59 [loggers.py:197] Engine 000: Iteration(12): 1 context requests, "
    "64 context tokens, 3 generation requests, 3 generation tokens, iteration elapsed time: 7.25 ms, "
    "GPU KV cache usage: 12.5%"
)


def test_both_forms_say_what_was_in_the_step() -> None:
    for line, usage in ((OLD, None), (NEW, 0.125)):
        iteration = iteration_of(line)
        assert iteration is not None
        assert (iteration.context_requests, iteration.context_tokens) == (1, 64)
        assert (iteration.generation_requests, iteration.generation_tokens) == (3, 3)
        assert (iteration.elapsed_ms, iteration.kv_usage, iteration.dummy) == (7.25, usage, False)


def test_a_dummy_step_is_seen_in_both_forms() -> None:
    for line in (OLD, NEW):
        iteration = iteration_of(line.replace("7.25 ms", "7.25 ms (dummy)"))
        assert iteration is not None
        assert iteration.dummy
        assert (iteration.kv_usage is None) == (line is OLD)


def test_other_lines_are_none() -> None:
    assert iteration_of("INFO 11-29 20:44:59 [loggers.py:197] Engine 000: Running: 3 reqs") is None
