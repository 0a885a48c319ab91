#!/usr/bin/env python3
"""Trains small tokenizers of many families and writes what Hugging Face does with texts and ids that are hard to get right.

    $(python3 tools/pyenv.py transformers) engine-core/src/test/python/tokenizer_families.py OUT_DIR

writes OUT_DIR/FAMILY/tokenizer.json, for some with a tokenizer_config.json and the like, and OUT_DIR/FAMILY/cases.jsonl with lines
{"text", "add_special_tokens", "ids"}, {"text", "as_text", "ids"} (special tokens in the text are ordinary text) and
{"ids", "skip_special_tokens", "text"}; prints the families. Values come from transformers' AutoTokenizer where there are settings
beside the tokenizer, else from the package tokenizers.
"""
import json
import os
import pathlib
import random
import sys

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer

CORPUS = [
    "The lighthouse keeper counted the ships that passed in the night, and wrote their names in a book.",
    "It's 12,345.67 metres (or 40,504 feet); don't you think so? I'm sure they've seen it, and we're done!",
    "def add(left, right):\n    return left + right\n\n\nprint(add(1, 22))\t# three\r\n",
    "Der Leuchtturmwärter zählte die Schiffe; größer als gewöhnlich waren sie nicht. Übermäßig!",
    "灯台守は夜に通る船を数えた。船の名前を本に書いた。ハングル 등대지기는 배를 세었다",
    "Смотритель маяка считал корабли, проходившие ночью мимо. مرحبا بالعالم שלום עולם สวัสดีชาวโลก हिन्दी",
    "café naïve coöperate — “quoted” … 100 % of 3.14 isn't 2,718 ﬁ ① ½",
] * 3
TEXTS = [
    "", " ", "   ", "\n", "\n\n\n", "\t", "a", " a", "a ", "The keeper", "the   ships\tand\r\nnames", "naïve café", "e\u0301 vs \u00e9 A\u030a",
    "灯台守は本を", "👩‍👩‍👧 family 👍🏽 🏳️‍🌈 🇩🇪🇫🇷", "zero\u0000byte", "\u0001\u007f\u0085\u200b\u200c\u200d\u2060\ufeff", "\u00a0nbsp\u3000ideo\u2003em\u2028",
    "a\r\nb\rc", "1 12 123 1234 12345 ٣٤٥ ४५६", "<s>hi</s>", "x </s> y", " <|im_end|>  <|im_start|>user\nhi<|im_end|>", "half <|im_", "[CLS] [MASK]x [SEP]",
    "a <mask> b<mask>c", "<pad><unk>", "[UNK] ##ing ##", "<0x0A><0xE2>", "▁under▁line ▁ ▁▁", "Ġbyte Ċ", "<think>x</think> <tool> tool", "tools toolbox",
    "don't DON'T won't I'LL n't 's", " .  , ! ? ' quote '", "İstanbul ıI Ş ß ẞ ſ", "Ǆ ǅ ǆ Σ ς", "ｱｲｳ ＡＢＣ１２３ ガ ｶﾞ", "\u1100\u1161\u11a8 \uac01",
    "\U0001D518\U0001D52B math", "\ufffd \uffff", "\u202ertl\u202c שלום", "สวัสดี नि हिन्दी", "z̷̢̛a̸l̴g̵o", " " * 3000, "ab" * 500, "🤖" * 60,
]
SPECIALS = ["<|im_start|>", "<|im_end|>"]


def special(content: str, **options) -> AddedToken:
    return AddedToken(content, special=True, normalized=False, **options)


def train(tokenizer: Tokenizer, trainer) -> Tokenizer:
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def byte_level(pre=None, normalizer=None, prefix=False) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    whole = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=pre is None)
    tokenizer.pre_tokenizer = whole if pre is None else pre_tokenizers.Sequence([*pre, whole])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    train(tokenizer, trainers.BpeTrainer(vocab_size=440, initial_alphabet=alphabet, show_progress=False))
    tokenizer.add_special_tokens([special("<s>"), special("</s>"), *map(special, SPECIALS)])
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("tool", single_word=True)])
    return tokenizer


def split(pattern: str):
    return pre_tokenizers.Split(Regex(pattern), behavior="isolated")


LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
TEKKEN = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
          r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def llama3() -> Tokenizer:
    tokenizer = byte_level([split(LLAMA3)])
    tokenizer.model.ignore_merges = True
    template = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=12)
    return tokenizer


def deepseek() -> Tokenizer:
    return byte_level([
        split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"),
        split(r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+""")])


def roberta() -> Tokenizer:
    tokenizer = byte_level(prefix=True)
    tokenizer.add_special_tokens([special("<mask>", lstrip=True)])
    ids = {name: tokenizer.token_to_id(name) for name in ("<s>", "</s>")}
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", ids["</s>"]), ("<s>", ids["<s>"]), True, True)
    return tokenizer


def byte_fallback(normalizer, decoder, pre=None) -> Tokenizer:
    """SentencePiece BPE: pieces for what the corpus has in ASCII, bytes for all else."""
    trained = Tokenizer(models.BPE())
    trained.normalizer = normalizer
    if pre is not None:
        trained.pre_tokenizer = pre
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{value:02X}>" for value in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=420, special_tokens=pieces, show_progress=False)
    trained.train_from_iterator([text for text in CORPUS if text.isascii()] + ["größer 灯台守"], trainer)
    content = json.loads(trained.to_str())["model"]
    merges = [tuple(merge) for merge in content["merges"]]
    tokenizer = Tokenizer(models.BPE(content["vocab"], merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre is not None:
        tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoder
    tokenizer.add_special_tokens([special("<unk>"), special("<s>"), special("</s>"), *map(special, SPECIALS)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def sentence_piece_decoder(*last):
    return decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *last])


def llama2() -> Tokenizer:
    return byte_fallback(
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        sentence_piece_decoder(decoders.Strip(" ", 1, 0)))


def mistral() -> Tokenizer:
    pre = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return byte_fallback(None, sentence_piece_decoder(decoders.Strip(" ", 1, 0)), pre)


def gemma() -> Tokenizer:
    pre = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer = byte_fallback(normalizers.Replace(" ", "▁"), sentence_piece_decoder(), pre)
    tokenizer.add_tokens([AddedToken("\n\n", normalized=False), AddedToken("▁▁", normalized=False)])
    return tokenizer


def unigram(normalizer, scheme="always", fallback=False) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    pieces = ["<pad>", "</s>", "<unk>"] + ([f"<0x{value:02X}>" for value in range(256)] if fallback else [])
    trainer = trainers.UnigramTrainer(vocab_size=300 + len(pieces), special_tokens=pieces, unk_token="<unk>", show_progress=False)
    train(tokenizer, trainer)
    if fallback:
        vocab = [tuple(piece) for piece in json.loads(tokenizer.to_str())["model"]["vocab"]]
        tokenizer.model = models.Unigram(vocab, 2, byte_fallback=True)
        tokenizer.decoder = sentence_piece_decoder(decoders.Strip(" ", 1, 0))
    tokenizer.add_special_tokens([special("<pad>"), special("</s>"), special("<unk>"), special("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def albert() -> Tokenizer:
    rules = [normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    return unigram(normalizers.Sequence([*rules, normalizers.Replace(Regex(" {2,}"), " ")]))


def word_piece(normalizer) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    train(tokenizer, trainers.WordPieceTrainer(vocab_size=340, special_tokens=names, show_progress=False))
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


def word_level() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return train(tokenizer, trainers.WordLevelTrainer(vocab_size=80, special_tokens=["<unk>", "<s>", "</s>"], show_progress=False))


def char_bpe() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    return train(tokenizer, trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False))


def ctc() -> Tokenizer:
    tokenizer = word_level()
    tokenizer.decoder = decoders.CTC(pad_token="<unk>", word_delimiter_token="the")
    return tokenizer


def stripped() -> Tokenizer:
    """Stages in an order that no known model has, over tokens and over the text. (The library fails where Strip finds no end.)"""
    tokenizer = word_level()
    tokenizer.decoder = decoders.Sequence([
        decoders.Strip("t", 1, 0), decoders.Replace("a", "bb"), decoders.Fuse(), decoders.Replace("bbn", "n"), decoders.Strip("e", 2, 0)])
    return tokenizer


def regex_decoder() -> Tokenizer:
    tokenizer = word_level()
    tokenizer.decoder = decoders.Sequence([decoders.Replace(Regex("[aeiou]+"), "_"), decoders.Fuse()])
    return tokenizer


def settings(**values) -> dict:
    return {"tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast", **values}}


def token(content: str, **flags) -> dict:
    return {"content": content, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True, **flags}


FAMILIES = {
    "gpt2": (byte_level, {}),
    "llama3": (llama3, {}),
    "qwen2": (lambda: byte_level([split(QWEN2)], normalizers.NFC()), {}),
    "tekken": (lambda: byte_level([split(TEKKEN)]), {}),
    "deepseek": (deepseek, {}),
    "digits": (lambda: byte_level([pre_tokenizers.Digits(individual_digits=True), split(QWEN2)]), {}),
    "roberta": (roberta, {}),
    "llama2": (llama2, {}),
    "mistral": (mistral, {}),
    "gemma": (gemma, {}),
    "t5": (lambda: unigram(normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])), {}),
    "xlmr": (lambda: unigram(normalizers.NFKC(), "first"), {}),
    "unigram_bytes": (lambda: unigram(normalizers.NFKC(), "first", fallback=True), {}),
    "unigram_never": (lambda: unigram(normalizers.NFKC(), "never"), {}),
    "albert": (albert, {}),
    "bert": (lambda: word_piece(normalizers.BertNormalizer()), {}),
    "bert_cased": (lambda: word_piece(normalizers.BertNormalizer(lowercase=False, strip_accents=False)), {}),
    "word_level": (word_level, {}),
    "char_bpe": (char_bpe, {}),
    "ctc": (ctc, {}),
    "stripped": (stripped, {}),
    "regex_decoder": (regex_decoder, {}),
    # settings beside the file: tokens it lacks or has in another form, named ones, and what must change nothing
    "added": (byte_level, settings(
        add_bos_token=True, add_eos_token=True, model_max_length=5, truncation_side="left", padding_side="left",
        clean_up_tokenization_spaces=True, bos_token="<s>", eos_token="<|new_end|>", pad_token="<|im_end|>",
        additional_special_tokens=["<|extra|>", "ships"], added_tokens_decoder={
            "443": token("<|im_end|>", lstrip=True, rstrip=True), "900": token("counted", special=False, single_word=True),
            "901": token("<|turn|>", rstrip=True), "902": token("größer", normalized=True, special=False)})),
    "clean_up": (lambda: word_piece(normalizers.BertNormalizer()), settings(
        clean_up_tokenization_spaces=True, unk_token="[UNK]", mask_token={"__type": "AddedToken", **token("[MASK]", lstrip=True)})),
    "legacy_files": (gemma, {
        **settings(clean_up_tokenization_spaces=True),
        "special_tokens_map.json": {"bos_token": token("<s>"), "eos_token": "<eos>", "additional_special_tokens": ["<|map|>"]},
        "added_tokens.json": {"<|map|>": 999, "keeper": 998}}),
    "split_specials": (llama2, settings(split_special_tokens=True, bos_token="<s>")),
}

# Of the others, the library finds special tokens in plain text too, as they are pieces of the model; we do not.
AS_TEXT = {"gpt2", "llama3", "qwen2", "roberta", "llama2", "mistral", "gemma", "bert"}


def write(folder: pathlib.Path, tokenizer: Tokenizer, files: dict) -> None:
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    if files:
        auto = AutoTokenizer.from_pretrained(folder)
        size = len(auto)
        encode, decode = auto.encode, auto.decode
    else:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        size = tokenizer.get_vocab_size()
        encode = lambda text, add_special_tokens: tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
        decode = tokenizer.decode
    chance = random.Random(7)
    pool = [" ", "  ", "\n", "the", "é", "漢", "12", "'s", ".", " ,", "👍", "\u200d", "▁", *SPECIALS, "<s>", "</s>", "[SEP]", "<mask>", "tool", "größer"]
    texts = TEXTS + ["".join(chance.choice(pool) for _ in range(chance.randrange(1, 20))) for _ in range(40)]
    sequences = []
    with open(folder / "cases.jsonl", "w", encoding="utf-8") as lines:
        for text in texts:
            for automatic in (True, False):
                ids = encode(text, add_special_tokens=automatic)
                print(json.dumps({"text": text, "add_special_tokens": automatic, "ids": ids}), file=lines)
            if len(ids) < 200:
                sequences.append(ids)
            if folder.name in AS_TEXT:
                tokenizer.encode_special_tokens = True
                print(json.dumps({"text": text, "as_text": True, "ids": encode(text, add_special_tokens=True)}), file=lines)
                tokenizer.encode_special_tokens = False
        sequences += [[chance.randrange(size + 1) for _ in range(chance.randrange(40))] for _ in range(80)]
        for ids in sequences:
            for skip in (True, False):
                text = decode(ids, skip_special_tokens=skip)
                print(json.dumps({"ids": ids, "skip_special_tokens": skip, "text": text}), file=lines)


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1])
    for name, (make, files) in FAMILIES.items():
        write(out / name, make(), files)
    print(" ".join(FAMILIES))
