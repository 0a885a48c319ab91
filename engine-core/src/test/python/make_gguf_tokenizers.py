#!/usr/bin/env python3
"""GGUF files with tokenizers alone, as llama.cpp's converters write them, and what the models' own tokenizers do.

    $(python3 tools/pyenv.py transformers) engine-core/src/test/python/make_gguf_tokenizers.py OUT_DIR [REAL.gguf]

writes OUT_DIR/NAME.gguf and OUT_DIR/NAME.jsonl with lines {"text", "ids"}, {"text", "special_ids"} (with automatic special tokens)
and {"ids", "decoded", "decoded_special"} (without and with special tokens).
"""
import io
import json
import pathlib
import random
import sys

import gguf
import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers.models.gemma.tokenization_gemma import GemmaTokenizer
from transformers.models.t5.tokenization_t5 import T5Tokenizer
from transformers.tokenization_utils_base import generate_merges

import tricky_texts

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN35 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
TEKKEN = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
          r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
          r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
KIMI = (r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK3 = ("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
             "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+")
BAILING = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
SEED = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}" "\r\n" r"]+|\s*[\r\n]+|\s+(?!\S)|\s+"
EXAONE_MOE = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?"
              r"|\s*[\r\n]|\s+(?!\S)|\s+")
BLOOM = " ?[^(\\s|[.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c])]+"
JAIS2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
         r"|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}")

IDEOGRAPHS = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
LETTERS_WITH_CASE = (
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af"
    "\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5"
    "\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba"
    "\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45"
    "\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe"
    "\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc"
    "\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
    "\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3"
    "\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06"
    "\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044F\U000104B0-\U000104D3"
    "\U000104D8-\U000104FB\U00010C80-\U00010CB2\U00010CC0-\U00010CF2"
    "\U000118A0-\U000118DF\U0001E900-\U0001E943")


def split(*patterns):
    return [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns] + [
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]


DIGITS = pre_tokenizers.Digits(individual_digits=True)
# Steps of the models' own tokenizer.json files, whether they have NFC as normalizer, whether they take whole tokens before merges.
SPLITTINGS = {
    "gpt-2": ([GPT2], False, False),
    "olmo": ([GPT2], True, False),
    "smollm": ([DIGITS, GPT2], False, False),
    "command-r": ([DIGITS, GPT2], True, False),
    "falcon": ([pre_tokenizers.Punctuation("contiguous"), GPT2, pre_tokenizers.Digits(individual_digits=False),
                pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated")], False, False),
    "llama-bpe": (split(LLAMA3), False, True),
    "smaug-bpe": (split(LLAMA3), False, False),
    "qwen2": (split(QWEN2), True, False),
    "hunyuan": (split(QWEN2), False, False),
    "qwen35": (split(QWEN35), True, False),
    "gpt-4o": (split(O200K), False, True),
    "tekken": (split(TEKKEN), False, True),
    "kimi-k2": (split(KIMI), False, False),
    "deepseek-v3": (split(r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", DEEPSEEK3), False, False),
    "deepseek-coder": (split("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", IDEOGRAPHS)[:-1]
                       + [DIGITS, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)], False, False),
    "deepseek-llm": (split("[\r\n]", "\\s?[" + LETTERS_WITH_CASE + "]+", "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+",
                           "\\s+$", IDEOGRAPHS, "\\p{N}+"), False, False),
    "afmoe": (split(r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))", "[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f"
                    "\u2f00-\u2fdf\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af\u1100-\u11ff]+",
                    DEEPSEEK3), False, False),
    "spark2_5": (split(r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", DEEPSEEK3.replace("+[\r\n]*|\\s*[\r\n]+", "+|[\r\n]"),
                       r"\p{N}"), False, False),
    "youtu": (split("[\uac00-\ud7a3\u3131-\u318e]+|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f\ufe30-\ufe4f]+"
                    "|[\u3105-\u312f]+|[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", O200K.replace("{1,3}", "")), False, True),
    "minicpm5": (split(r"\p{N}{1,3}", QWEN2.replace(r"|\p{N}|", r"|\p{N}+|")), False, True),
    "ufakzeka": (split(QWEN2.partition("|[^")[1][1:] + QWEN2.partition("|[^")[2]), False, False),
    "laguna": (split("[^\n]+|[\n]+", QWEN2), False, False),
    "minimax-m2": (split(O200K), False, False),
    "default": (split(r"[\p{P}\$\+<=>\^~\|]+", r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
                      r"\p{N}+", "[0-9][0-9][0-9]"), False, False),
    "bailingmoe": (split(BAILING), False, False),
    "seed-coder": (split(SEED), False, False),
    "exaone-moe": (split(EXAONE_MOE), False, False),
    "bloom": (split(BLOOM), False, False),
    "viking": (split(BLOOM, r"\p{N}"), False, False),
    "superbpe": (split(r"\p{N}+", r"(?=(\d{3})+(?!\d))"), False, False),
    "tiny_aya": (split(r"\d{1,3}(?=(?:\d{3})*\b)", O200K), False, False),
    "jais-2": (split(JAIS2), False, False),
    "chameleon": ([pre_tokenizers.Split(Regex("<sentinel:[0-9]+>"), "isolated"),
                   pre_tokenizers.Split(Regex("(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z"), "isolated"),
                   pre_tokenizers.Split(Regex("([\\t\\n]|    |  )"), "isolated"),
                   DIGITS, pre_tokenizers.Punctuation("isolated"), GPT2], False, False),
}
BEGINS = {"llama-bpe", "tekken", "chameleon"}


def write_gguf(path, model, pre, tokens, types, scores=None, merges=None, ids=(), flags=(), architecture="llama", charsmap=None):
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_tokenizer_model(model)
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    if scores is not None:
        writer.add_token_scores(scores)
    if merges is not None:
        writer.add_token_merges([" ".join(merge) for merge in merges])
    if charsmap is not None:
        writer.add_precompiled_charsmap(charsmap)
    for role, token in dict(ids).items():
        writer.add_uint32(f"tokenizer.ggml.{role}_token_id", token)
    for flag, value in dict(flags).items():
        writer.add_bool(f"tokenizer.ggml.{flag}", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def write_cases(path, tokenizer, texts, vocabulary):
    # As published: in a file. (Reading it rounds scores, which decides ties between equal ways of cutting a text.)
    tokenizer = Tokenizer.from_str(tokenizer.to_str())
    rng = random.Random(3)
    with open(path, "w") as out:
        for text, encoding in zip(texts, tokenizer.encode_batch(texts, add_special_tokens=False)):
            out.write(json.dumps({"text": text, "ids": encoding.ids}) + "\n")
        for text in texts[:40]:
            out.write(json.dumps({"text": text, "special_ids": tokenizer.encode(text).ids}) + "\n")
        sequences = [tokenizer.encode(text).ids for text in texts[::4]]
        sequences += [[rng.randrange(vocabulary) for _ in range(rng.randint(1, 6))] for _ in range(200)]
        for ids in sequences:
            out.write(json.dumps({"ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=True),
                                  "decoded_special": tokenizer.decode(ids, skip_special_tokens=False)}) + "\n")


def around(begin=None, end=None):
    single = ([begin[0]] if begin else []) + ["$A"] + ([end[0]] if end else [])
    return processors.TemplateProcessing(single=" ".join(single), pair=None, special_tokens=[each for each in (begin, end) if each])


def byte_level(out, texts):
    """One vocabulary trained without splitting, so that a wrong split changes the tokens, under every splitting."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trained.train_from_iterator(tricky_texts.corpus(), trainers.BpeTrainer(
        vocab_size=3000, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    state = json.loads(trained.to_str())["model"]
    base = state["vocab"]
    special = [AddedToken(token, normalized=False, special=True) for token in ("<|begin|>", "<|end|>")]
    plain = [AddedToken(token, normalized=False, special=False) for token in ("<think>", " " * 9)]
    for name, (steps, composes, whole) in SPLITTINGS.items():
        original = Tokenizer(models.BPE(vocab=base, merges=[tuple(m) for m in state["merges"]], ignore_merges=whole))
        original.normalizer = normalizers.NFC() if composes else None
        original.pre_tokenizer = pre_tokenizers.Sequence(steps)
        original.decoder = decoders.ByteLevel()
        original.add_special_tokens(special)
        original.add_tokens(plain)
        ids = original.get_vocab()
        begin = ids["<|begin|>"]
        if name in BEGINS:
            original.post_processor = around(("<|begin|>", begin))
        tokens = [token for token, _ in sorted(ids.items(), key=lambda item: item[1])]
        kinds = {**{token.content: CONTROL for token in special}, **{token.content: USER_DEFINED for token in plain}}
        types = [kinds.get(token, NORMAL) for token in tokens]
        # Rows of the embedding that no token has.
        tokens += [f"[PAD{len(tokens) + i}]" for i in range(4)]
        types += [UNUSED] * 4
        write_gguf(out / f"{name}.gguf", "gpt2", name, tokens, types, merges=state["merges"],
                   ids={"bos": begin, "eos": ids["<|end|>"]})
        write_cases(out / f"{name}.jsonl", original, texts if name != "llama-bpe" else texts + [tricky_texts.long_text()], len(tokens))


def sentencepiece_model(kind, **options):
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(tricky_texts.written_corpus()), model_writer=file, model_type=kind, vocab_size=1500, character_coverage=0.98,
        byte_fallback=kind == "bpe", minloglevel=2, hard_vocab_limit=False, num_threads=1, max_sentence_length=100_000, **options)
    return sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())


def pieces(model):
    tokens, types, scores = [], [], []
    for id in range(model.get_piece_size()):
        tokens.append(model.id_to_piece(id))
        scores.append(model.get_score(id))
        types.append(CONTROL if model.is_control(id) else UNKNOWN if model.is_unknown(id) else BYTE if model.is_byte(id) else NORMAL)
    return tokens, types, scores


def sentencepiece_bpe(out, texts):
    """As Llama 2: a space before the text, special tokens. Expected are SentencePiece's own ids where no special token is meant."""
    model = sentencepiece_model("bpe", split_digits=True, normalization_rule_name="identity", remove_extra_whitespaces=False)
    tokens, types, scores = pieces(model)
    vocabulary = {token: id for id, token in enumerate(tokens)}
    original = Tokenizer(models.BPE(
        vocab=vocabulary, merges=generate_merges(vocabulary, dict(zip(tokens, scores))), unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    original.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    original.decoder = decoders.Sequence([
        decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    original.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in ("<unk>", "<s>", "</s>")])
    original.post_processor = around(("<s>", 1))
    write_gguf(out / "sentencepiece.gguf", "llama", "default", tokens, types, scores, ids={"bos": 1, "eos": 2, "unknown": 0})
    write_cases(out / "sentencepiece.jsonl", original, texts + [tricky_texts.long_text()], len(tokens))
    plain = [text for text in texts if text and "<s>" not in text and "</s>" not in text and "\0" not in text]
    with open(out / "sentencepiece.jsonl", "a") as cases:
        for text in plain:
            cases.write(json.dumps({"text": text, "ids": model.encode(text)}) + "\n")


def gemma(out, texts):
    """Tokens of several breaks, spaces and tabulators that the user defined, whose scores and spelling the converter changes."""
    runs = ["\n" * n for n in range(1, 8)] + ["\u2581" * n for n in range(2, 12)] + ["\t" * n for n in range(1, 4)] + ["<table>", "<tool>"]
    model = sentencepiece_model("bpe", split_digits=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
                                add_dummy_prefix=False, user_defined_symbols=runs, control_symbols=["<end_of_turn>", "<unused0>"],
                                pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", eos_piece="<eos>", bos_piece="<bos>")
    tokens, types, scores = pieces(model)
    vocabulary = {token: id for id, token in enumerate(tokens)}
    original = GemmaTokenizer(vocab=vocabulary, merges=generate_merges(vocabulary, dict(zip(tokens, scores)))).backend_tokenizer
    for id, token in enumerate(tokens):
        if token in runs or types[id] == CONTROL or types[id] == UNKNOWN:
            special = token not in runs and token != "<unused0>"
            added = AddedToken(token, normalized=False, special=special)
            original.add_special_tokens([added]) if special else original.add_tokens([added])
    original.post_processor = around(("<bos>", 2))
    written = [token.replace("\u2581", " ") if token in runs else token for token in tokens]
    marked = [USER_DEFINED if token in runs else type for token, type in zip(tokens, types)]
    lost = [-1000.0 if type in (USER_DEFINED, CONTROL) else score for type, score in zip(marked, scores)]
    write_gguf(out / "gemma.gguf", "llama", "default", written, marked, lost, architecture="gemma3",
               ids={"bos": 2, "eos": 1, "unknown": 3, "padding": 0}, flags={"add_bos_token": True, "add_space_prefix": False})
    write_cases(out / "gemma.jsonl", original, texts, len(tokens) - 1)


def unigram(out, texts):
    """As T5: its normalization table, its blanks as placeholders, its end token."""
    model = sentencepiece_model("unigram", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    tokens, types, scores = pieces(model)
    proto = model.serialized_model_proto()
    charsmap = charsmap_of(proto)
    blanks = [f"<extra_id_{n}>" for n in range(99, -1, -1)]
    original = T5Tokenizer(vocab=list(zip(tokens + blanks, scores + [0.0] * 100)), _spm_precompiled_charsmap=charsmap).backend_tokenizer
    write_gguf(out / "unigram.gguf", "t5", "default", tokens + [f"[PAD{n}]" for n in range(1, 101)], types + [UNUSED] * 100,
               scores + [-1000.0] * 100, ids={"eos": 1, "unknown": 2, "padding": 0}, flags={"add_bos_token": False, "add_eos_token": True,
               "add_space_prefix": True, "remove_extra_whitespaces": True}, architecture="t5", charsmap=charsmap)
    write_cases(out / "unigram.jsonl", original, texts + ["fill <extra_id_0> and<extra_id_99> ."], len(tokens) + 100)


def charsmap_of(proto):
    from transformers.utils import sentencepiece_model_pb2_new as schema
    parsed = schema.ModelProto()
    parsed.ParseFromString(proto)
    return parsed.normalizer_spec.precompiled_charsmap


def wordpiece(out, texts):
    original = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    original.normalizer = normalizers.BertNormalizer(lowercase=True)
    original.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # What a file writes as U+2581 and a letter may be either the letter at the start of a word or U+2581 inside one.
    words = (text.replace("\u2581", "") for text in tricky_texts.corpus())
    original.train_from_iterator(words, trainers.WordPieceTrainer(
        vocab_size=2500, special_tokens=special, show_progress=False))
    original.decoder = decoders.WordPiece()
    original.post_processor = around(("[CLS]", 2), ("[SEP]", 3))
    tokens = [token for token, _ in sorted(original.get_vocab().items(), key=lambda item: item[1])]
    written = [token if token in special else token[2:] if token.startswith("##") else "\u2581" + token for token in tokens]
    write_gguf(out / "wordpiece.gguf", "bert", "default", written, [CONTROL if token in special else NORMAL for token in tokens],
               ids={"cls": 2, "bos": 2, "seperator": 3, "unknown": 1, "padding": 0, "mask": 4}, architecture="bert")
    write_cases(out / "wordpiece.jsonl", original, texts, len(tokens))


def real(out, file, texts):
    """A published file: its own tokens and merges under the model's own splitting (digits one by one, then GPT-2's)."""
    fields = gguf.GGUFReader(file).fields
    tokens, types, merges = (fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "token_type", "merges"))
    original = Tokenizer(models.BPE(vocab={token: id for id, token in enumerate(tokens)}, merges=[tuple(m.split(" ")) for m in merges]))
    original.pre_tokenizer = pre_tokenizers.Sequence([DIGITS, GPT2])
    original.decoder = decoders.ByteLevel()
    original.add_special_tokens([
        AddedToken(token, normalized=False, special=True) for token, type in zip(tokens, types) if type == CONTROL])
    write_cases(out / "smollm2.jsonl", original, texts, len(tokens))


def main():
    out = pathlib.Path(sys.argv[1])
    byte_level(out, tricky_texts.texts(500))
    for make in (sentencepiece_bpe, gemma, unigram, wordpiece):
        make(out, tricky_texts.texts(2000, seed=5))
    if len(sys.argv) > 2:
        real(out, sys.argv[2], tricky_texts.texts(2000, seed=6))
    print(out)


if __name__ == "__main__":
    main()
