package io.kindling.engine.gguf;

/**
 * Regular expressions by which byte-level BPE models cut texts into pieces before merging, as their own {@code tokenizer.json}
 * files write them (for Oniguruma); the same as llama.cpp's src/llama-vocab.cpp lists for the names of {@link PreTokenizers}.
 */
final class SplitPatterns {
    static final String GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

    private static final String CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
    private static final String WORD = "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+";
    private static final String BREAKS_AND_SPACES = "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    private static final String SYMBOLS = "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*";
    private static final String SYMBOLS_AND_SLASH = "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*";

    static final String LLAMA3 = CONTRACTION + "|" + WORD + "|\\p{N}{1,3}" + SYMBOLS + BREAKS_AND_SPACES;
    static final String QWEN2 = CONTRACTION + "|" + WORD + "|\\p{N}" + SYMBOLS + BREAKS_AND_SPACES;
    static final String MINICPM5 = CONTRACTION + "|" + WORD + "|\\p{N}+" + SYMBOLS + BREAKS_AND_SPACES;
    /** Without contractions, so that Turkish suffixes stay whole. */
    static final String UFAKZEKA = WORD + "|\\p{N}" + SYMBOLS + BREAKS_AND_SPACES;

    static final String QWEN35 = CONTRACTION
            + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*"
            + BREAKS_AND_SPACES;
    static final String JAIS2 = CONTRACTION
            + "|"
            + WORD
            + "|\\p{N}{1,3}"
            + SYMBOLS
            + "|\\s*[\\r\\n]+|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)|\\s{32}(?!\\S)"
            + "|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s{1}";
    static final String BAILING = "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}"
            + "| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+";
    static final String SEED_CODER =
            CONTRACTION + "|" + WORD + "|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+" + BREAKS_AND_SPACES;
    static final String EXAONE_MOE = CONTRACTION
            + "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}"
            + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+";

    static final String TEKKEN = cased("", "") + "|\\p{N}" + SYMBOLS_AND_SLASH + BREAKS_AND_SPACES;
    static final String GPT4O = cased("", CONTRACTION + "?") + "|\\p{N}{1,3}" + SYMBOLS_AND_SLASH + BREAKS_AND_SPACES;
    static final String YOUTU = cased("", CONTRACTION + "?") + "|\\p{N}" + SYMBOLS_AND_SLASH + BREAKS_AND_SPACES;
    static final String YOUTU_SCRIPTS = "[\uAC00-\uD7A3\u3131-\u318E]+"
            + "|[\uFF01\u2026\u201C\u201D\u2018\u2019\u2014\uFF1A\uFF1B\uFF0C\u3001-\u303F\uFE30-\uFE4F]+"
            + "|[\u3105-\u312F]+|[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+";
    /** Han characters are pieces of their own. */
    static final String KIMI =
            "[\\p{Han}]+|" + cased("&&[^\\p{Han}]", CONTRACTION + "?") + "|\\p{N}{1,3}" + SYMBOLS + BREAKS_AND_SPACES;

    static final String BLOOM = " ?[^(\\s|.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C)]+";

    static final String BREAK = "[\r\n]";
    static final String IDEOGRAPHS = "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+";
    static final String IDEOGRAPHS_AND_KANA = "[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+";
    private static final String DEEPSEEK_WORDS =
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+";
    static final String DEEPSEEK3 = DEEPSEEK_WORDS + "| ?[\\p{P}\\p{S}]+[\\r\\n]*" + BREAKS_AND_SPACES;
    static final String SPARK = DEEPSEEK_WORDS + "| ?[\\p{P}\\p{S}]+|[\\r\\n]|\\s+(?!\\S)|\\s+";
    static final String DEEPSEEK_PUNCTUATION = "\\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+";
    /** A word of letters that have case. */
    static final String DEEPSEEK_LETTERS = "\\s?["
            + "A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-\u02AF"
            + "\u0370-\u0373\u0376\u0377\u037B-\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03F5"
            + "\u03F7-\u0481\u048A-\u052F\u0531-\u0556\u10A0-\u10C5\u13A0-\u13F5\u13F8-\u13FD\u1C90-\u1CBA"
            + "\u1CBD-\u1CBF\u1D00-\u1D2B\u1D6B-\u1D77\u1D79-\u1D9A\u1E00-\u1F15\u1F18-\u1F1D\u1F20-\u1F45"
            + "\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B\u1F5D\u1F5F-\u1F7D\u1F80-\u1FB4\u1FB6-\u1FBC\u1FBE"
            + "\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-\u1FD3\u1FD6-\u1FDB\u1FE0-\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC"
            + "\u2102\u2107\u210A-\u2113\u2115\u2119-\u211D\u2124\u2126\u2128\u212A-\u212D\u212F-\u2134\u2139"
            + "\u213C-\u213F\u2145-\u2149\u214E\u2183\u2184\u2C00-\u2C7B\u2C7E-\u2CE4\u2CEB-\u2CEE\u2CF2\u2CF3"
            + "\uA640-\uA66D\uA680-\uA69B\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uAB70-\uABBF\uFB00-\uFB06"
            + "\uFB13-\uFB17\uFF21-\uFF3A\uFF41-\uFF5A\uD801\uDC00-\uD801\uDC4F\uD801\uDCB0-\uD801\uDCD3"
            + "\uD801\uDCD8-\uD801\uDCFB\uD803\uDC80-\uD803\uDCB2\uD803\uDCC0-\uD803\uDCF2"
            + "\uD806\uDCA0-\uD806\uDCDF\uD83A\uDD00-\uD83A\uDD43"
            + "]+";

    static final String AFMOE_SCRIPTS =
            "[\u4E00-\u9FFF\u3400-\u4DBF\uF900-\uFAFF\u3040-\u309F\u30A0-\u30FF\uFF65-\uFF9F"
                    + "\u2F00-\u2FDF\u0E40-\u0E7F\u0E80-\u0EFF\u1780-\u17FF\u1000-\u109F\uAA60-\uAA7F\uA9E0-\uA9FF"
                    + "\uAC00-\uD7AF\u1100-\u11FF]+";
    /** Threes of digits, counted from the end of a number. */
    static final String DIGITS_FROM_THE_END = "\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))";

    private SplitPatterns() {}

    /** Words that break before a capital inside them: upper case then lower, or upper case alone. */
    private static String cased(String without, String suffix) {
        String upper = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}" + without + "]";
        String lower = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}" + without + "]";
        String before = "[^\\r\\n\\p{L}\\p{N}]?";
        return before + upper + "*" + lower + "+" + suffix + "|" + before + upper + "+" + lower + "*" + suffix;
    }
}
