"""Texts on which tokenizers go wrong: tricky ones by hand, then seeded random ones."""
import random

PIECES = [
    "'s", "'S", "'RE", " 're", "\u2019s", "'ll", "hello", "Hello", "WORLD", "helloWorld", "XMLHttpRequest", " the", " of", "a",
    "\u00e9", "e\u0301", "\u00f1", "n\u0303", "\u212b", "\ufb01", "\u00df", "\u0130", "\u01c5", "\u4e2d\u6587", "\u65e5\u672c\u8a9e", "\u30ab\u3099",
    "\ud55c\uad6d\uc5b4", "\u1112\u1161\u11ab", "\u3131", "\u05e9\u05dc\u05d5\u05dd", "\u0939\u093f\u0928\u094d\u0926\u0940", "\u0e44\u0e17\u0e22",
    "\u1780\u17b6\u1793\u17cb", "\u043d\u0435\u0449\u043e", "\U0001f44d\U0001f3fd", "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f1fa\U0001f1f8",
    "\U00010428", "1", "12", "123", "1234", "1234567", "3.14", "\u0663\u0664\u0665\u0666", "\u00b2", "\u00bd", "\u2167", "\u0967\u0968",
    " ", " ", "  ", "   ", "    ", "\t", "\t\t", "\n", "\n\n", "\r\n", "\r", "\n \n", " \n", "\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff",
    "\u0085", "\u2028", "\u0000", "\u0007", ".", ",", "!", "?", "...", "?!", "--", "====", "```", "\"", "\u201c", "\uff0c", "\u3002", "\u060c",
    "(", ")", "[", "]", "{", "}", "<", ">", "/", "//", "\\", "|", "_", "#", "$", "\u20ac", "%", "^", "&", "*", "+", "~", "`",
    "<s>", "</s>", "<|end|>", " <|end|> ", "<think>", "<tool>", "\u2581", "\u2581\u2581", "\u0120", "[PAD7]", "<0x0A>", "<sentinel:12>",
    "IMGIMGABCZ", "http://a.b/c?d=e", "def f(x):\n    return x\n", "<table>", " " * 9, " " * 33, "\n" * 17, "=" * 40,
]
BY_HAND = [
    "", "a", " a", "a ", "  a", "\r\na", "Hello World", "I'Ve a'lL we'RE", "<|end|>user\n  hi<|end|>\n", "<s> a</s> b", " " * 100, "\n" * 100,
    "x" + " " * 31 + "y", "x" + " " * 32 + "y", "\t" * 40, "1" * 50, "ab" * 100, "\U0001f44d" * 20,
]


def texts(count: int, seed: int = 1) -> list:
    rng = random.Random(seed)
    found = BY_HAND + PIECES
    while len(found) < count:
        kind = rng.random()
        if kind < 0.8:
            found.append("".join(rng.choice(PIECES) for _ in range(rng.randint(1, 12))))
        else:
            ranges = [(32, 127), (0, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x20000)]
            found.append("".join(chr(rng.randrange(*rng.choice(ranges))) for _ in range(rng.randint(1, 16))))
    return found


def long_text() -> str:
    """About 100 kB."""
    return ("The quick brown fox 12345 jumps over \u65e5\u672c\u8a9e.  It's 3.14 \n" * 2000)[:100_000]


def corpus() -> list:
    """What the tests' vocabularies are trained on."""
    return ["".join(part) for part in zip(texts(3000, 7), texts(3000, 8))] + [
        "The lighthouse keeper counted the ships that passed in the night, and wrote their names in 12 books.",
        "Der Leuchtturmw\u00e4rter z\u00e4hlte die Schiffe; gr\u00f6\u00dfer als gew\u00f6hnlich waren sie nicht.",
    ] * 50


def written_corpus() -> list:
    """The part of the corpus without random characters, of which there are too many for a small vocabulary."""
    known = set("".join(PIECES)) | {chr(code) for code in range(32, 127)} | set("\u00e4\u00f6")
    return [text for text in corpus() if set(text) <= known - {"\0"}]
