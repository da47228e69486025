"""Makes a random two-layer Llama and its tokenizer. Runs inside the vLLM environment, not the program's.

python tiny_model.py FOLDER TEXTS
"""

import sys
from pathlib import Path

VOCABULARY = 2048
POSITIONS = 8192
_SPECIAL_TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
_CHAT_TEMPLATE = "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}\n{% endfor %}assistant: "


def main(folder: Path, texts: Path) -> None:
    """Write model and tokenizer (3.3 MB, 820 k parameters) to `folder`, trained on the files in `texts`."""
    folder.mkdir(parents=True, exist_ok=True)
    _tokenizer(folder, texts)
    _model(folder)


def _tokenizer(folder: Path, texts: Path) -> None:
    from tokenizers import ByteLevelBPETokenizer  # noqa: PLC0415  # only the vLLM environment has it
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415  # only the vLLM environment has it

    bpe = ByteLevelBPETokenizer()
    files = sorted(str(path) for path in texts.iterdir() if path.is_file())
    bpe.train(
        files, vocab_size=VOCABULARY, special_tokens=list(_SPECIAL_TOKENS.values()), show_progress=False
    )
    bpe.save(str(folder / "bpe.json"))
    wrapped = PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "bpe.json"), model_max_length=POSITIONS, **_SPECIAL_TOKENS
    )
    wrapped.chat_template = _CHAT_TEMPLATE
    wrapped.save_pretrained(folder)
    (folder / "bpe.json").unlink()


def _model(folder: Path) -> None:
    import torch  # noqa: PLC0415  # only the vLLM environment has it
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415  # only the vLLM environment has it

    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=POSITIONS,
        bos_token_id=0,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
