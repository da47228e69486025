"""Error answers have vLLM's form, and a rejection is told from every other 503."""

import msgspec

from workbench.vllm_dialect import error_message, is_rejection
from workbench.vllm_dialect import http_errors as errors


def as_received(body: errors.ErrorBody) -> object:
    return msgspec.json.decode(msgspec.json.encode(body))


def test_that_a_rejection_has_the_form_that_the_real_server_gave() -> None:
    assert as_received(errors.rejected("max_num_queued_reqs")) == {
        "error": {
            "message": "The engine is currently busy and cannot accept new requests. "
            "Please try again later or on a different instance.",
            "type": "Service Unavailable",
            "param": None,
            "code": 503,
        }
    }


def test_that_both_limits_are_rejections() -> None:
    for reason in ("max_num_queued_reqs", "max_num_queued_tokens"):
        assert is_rejection(as_received(errors.rejected(reason)))


def test_that_other_errors_are_no_rejections() -> None:
    for body in (
        errors.engine_dead(),
        errors.bad_request("no"),
        errors.prompt_too_long(5000, 4096),
        errors.invalid_body("prompt missing"),
        errors.unknown_model("x"),
    ):
        assert not is_rejection(as_received(body))
    assert not is_rejection({"error": {"message": "upstream unavailable", "code": 503}})
    assert not is_rejection({"error": "Unauthorized"})
    assert not is_rejection(None)


def test_that_the_text_of_an_error_is_found_in_every_shape() -> None:
    assert error_message(msgspec.json.decode(errors.UNAUTHORIZED_BODY)) == "Unauthorized"
    assert error_message(as_received(errors.unknown_model("x"))) == "The model `x` does not exist."
    assert error_message({"choices": []}) is None
    assert error_message([1]) is None
