#!/usr/bin/env python3
"""Makes the small tokenizers of the text tests, and what the Python package `tokenizers` does with them.

    $(python3 tools/pyenv.py oracle) engine-core/src/test/python/make_tokenizers.py

writes src/test/resources/io/kindling/engine/text/{bytelevel,bytefallback,wordpiece}.{json,cases.jsonl}. A line of cases is
{"text", "ids", "special_ids"} (encoded without and with automatic special tokens) or {"ids", "decoded", "decoded_special"}
(decoded without and with special tokens).
"""
import json
import pathlib
import random

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = pathlib.Path(__file__).parents[1] / "resources/io/kindling/engine/text"
CORPUS = [
    "The lighthouse keeper counted the ships that passed in the night, and wrote their names in a book.",
    "def add(left, right):\n    return left + right\n\n\nprint(add(1, 22))\n",
    "Der Leuchtturmwärter zählte die Schiffe; größer als gewöhnlich waren sie nicht. Übermäßig!",
    "灯台守は夜に通る船を数えた。船の名前を本に書いた。",
    "Смотритель маяка считал корабли, проходившие ночью мимо.",
    "café naïve coöperate — “quoted” … 100 % of 3.14 isn't 2,718",
] * 4
TEXTS = [
    "", " ", "  ", "\n\n", "a", " a", "a ", "The keeper", "the   ships\tand\r\nnames", "naïve café", "e\u0301 vs \u00e9",
    "灯台守は本を", "👩‍👩‍👧 family 👍🏽", "zero\u0000byte", "<|user|>hello<|end|>", "x <|end|> y", "half <|en", "<think>plain</think>",
    "1 12 123 1234", "don't won't I'll", "ﬁ ligature ①", "mixed Кириллица and 漢字 𝔘𝔫𝔦", "\u200b\u00a0\u3000", " .  , ! ? n't", "▁under▁line",
]


def save(name: str, tokenizer: Tokenizer) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(OUT / f"{name}.json"))
    chance = random.Random(7)
    size = tokenizer.get_vocab_size()
    lines = []
    for text in TEXTS:
        lines.append({
            "text": text,
            "ids": tokenizer.encode(text, add_special_tokens=False).ids,
            "special_ids": tokenizer.encode(text).ids,
        })
    sequences = [line["special_ids"] for line in lines]
    sequences += [[chance.randrange(size) for _ in range(chance.randrange(1, 40))] for _ in range(60)]
    for ids in sequences:
        lines.append({
            "ids": ids,
            "decoded": tokenizer.decode(ids, skip_special_tokens=True),
            "decoded_special": tokenizer.decode(ids, skip_special_tokens=False),
        })
    with open(OUT / f"{name}.cases.jsonl", "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=True) + "\n")


def special(content: str, **options) -> AddedToken:
    return AddedToken(content, special=True, normalized=False, **options)


def byte_level() -> None:
    """Like GPT-2, Llama 3, Qwen: bytes as characters."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens([special("<|begin|>"), special("<|user|>"), special("<|end|>", lstrip=True, rstrip=True)])
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False), AddedToken("große Schiffe")])
    begin = tokenizer.token_to_id("<|begin|>")
    tokenizer.post_processor = processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", begin)])
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=12)
    saved = tokenizer.to_str()
    tokenizer.no_truncation()
    tokenizer.no_padding()
    save("bytelevel", tokenizer)
    # The file keeps its truncation and padding: the product must ignore them, and the expected ids do.
    (OUT / "bytelevel.json").write_text(json.dumps(json.loads(saved), ensure_ascii=False, indent=1), encoding="utf-8")


def byte_fallback() -> None:
    """Like Llama 2, Mistral, Gemma: SentencePiece BPE with byte pieces."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{value:02X}>" for value in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=420, special_tokens=pieces, show_progress=False)
    trained = Tokenizer(models.BPE())
    trained.normalizer = tokenizer.normalizer
    trained.train_from_iterator([text[:40] for text in CORPUS if text.isascii()], trainer)
    content = json.loads(trained.to_str())["model"]
    tokenizer.model = models.BPE(
        vocab=content["vocab"], merges=[tuple(merge) for merge in content["merges"]],
        unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    tokenizer.add_special_tokens([special("<unk>"), special("<s>"), special("</s>")])
    tokenizer.add_tokens([AddedToken("<think>", normalized=False)])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    save("bytefallback", tokenizer)


def word_piece() -> None:
    """Like BERT: lower case, word pieces, clean-up of spaces before punctuation."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=300, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    save("wordpiece", tokenizer)


if __name__ == "__main__":
    byte_level()
    byte_fallback()
    word_piece()
