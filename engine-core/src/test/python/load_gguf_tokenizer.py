#!/usr/bin/env python3
"""What transformers' own GGUF loader makes of a file's tokenizer, without torch.

    $(python3 tools/pyenv.py transformers) engine-core/src/test/python/load_gguf_tokenizer.py FILE.gguf OUT_DIR NAME

It differs from Gemma's own tokenizer.json in two things: it joins more than 31 spaces in pairs, not from the left, and does not know
U+2581 written twice as an added token. Texts with either are left out.
"""
import pathlib
import sys

import gguf
from transformers.integrations.gguf import gguf_tokenizer_mapping

import make_gguf_tokenizers
import tricky_texts


def main():
    file, out, name = sys.argv[1:]
    fields = {key: field.contents() for key, field in gguf.GGUFReader(file).fields.items()
              if key.startswith("tokenizer.") or key == "general.architecture"}
    known = {name: fields[f"tokenizer.{key}"] for key, name in gguf_tokenizer_mapping.GGUF_TOKENIZER_MAPPING["tokenizer"].items()
             if f"tokenizer.{key}" in fields}
    tokenizer, _ = gguf_tokenizer_mapping.convert_gguf_tokenizer(fields["general.architecture"], known)
    tokenizer.post_processor = make_gguf_tokenizers.around(("<bos>", fields["tokenizer.ggml.bos_token_id"]))
    texts = [text for text in tricky_texts.texts(4000, seed=9) if " " * 32 not in text and "\u2581\u2581" not in text]
    make_gguf_tokenizers.write_cases(pathlib.Path(out) / f"{name}.jsonl", tokenizer, texts, 200_000)
    print(out)


if __name__ == "__main__":
    main()
