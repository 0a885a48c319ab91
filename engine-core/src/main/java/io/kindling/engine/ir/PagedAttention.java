package io.kindling.engine.ir;

/**
 * The internal operator {@code kindling::PagedAttention} (since version 1), which the ragged lowering puts in place of
 * attention with a KV cache. It attends over packed tokens of many sequences whose keys and values lie in pages.
 *
 * <p>T tokens of S sequences are packed; the tokens of one sequence stand together, with consecutive ascending positions.
 * The operator first writes the (rotated) key and the value of every token into its page, <em>in place</em> in the page
 * tensors, then lets every token attend to the positions of its own sequence up to and including its own, so that tokens
 * of one prefill chunk see each other causally. Arithmetic is that of {@code com.microsoft::GroupQueryAttention}, to the
 * same bits, whatever the packing: a token's result depends on its sequence alone.
 *
 * <p>Inputs, float meaning the element type of {@code query}:
 *
 * <ol start="0">
 *   <li>{@link #QUERY} float {@code [1, T, num_heads * head]}; with KEY and VALUE absent, packed query, key and value
 *       {@code [1, T, (num_heads + 2 * kv_num_heads) * head]}
 *   <li>{@link #KEY} float {@code [1, T, kv_num_heads * head]}, or absent
 *   <li>{@link #VALUE} float {@code [1, T, kv_num_heads * head]}, or absent
 *   <li>{@link #KEY_PAGES} float {@code [pages, kv_num_heads, head, 16]}, read and written: keys lie transposed, so that
 *       the scores of a page's 16 positions are one vector, accumulated over the head in ascending order without sums
 *       across lanes
 *   <li>{@link #VALUE_PAGES} float {@code [pages, kv_num_heads, 16, head]}, read and written
 *   <li>{@link #BLOCK_TABLE} int32 {@code [S, blocks]}: position p of sequence s lies in slot {@code p % 16} of page
 *       {@code BLOCK_TABLE[s][p / 16]}; entries behind a sequence's last token are undefined
 *   <li>{@link #TOKEN_SEQUENCE} int32 {@code [T]}: the row of the block table
 *   <li>{@link #TOKEN_POSITION} int32 {@code [T]}: the position within the sequence, from 0
 *   <li>{@link #COS_CACHE} float {@code [positions, rotary / 2]}, with {@code do_rotary} only
 *   <li>{@link #SIN_CACHE} as COS_CACHE
 *   <li>{@link #HEAD_SINK} float {@code [num_heads]}, optional: a logit a head that takes part in the softmax sum only
 * </ol>
 *
 * <p>Output 0: float {@code [1, T, num_heads * head]}.
 *
 * <p>Attributes have the names, meanings and defaults of {@code com.microsoft::GroupQueryAttention}: {@code num_heads},
 * {@code kv_num_heads}, {@code scale} (0: one over the root of the head size), {@code softcap} (0: none),
 * {@code local_window_size} (−1: none; w: a token sees itself and the w − 1 before it), {@code do_rotary},
 * {@code rotary_interleaved}, {@code smooth_softmax}.
 */
public final class PagedAttention {
    public static final String DOMAIN = "kindling";
    public static final String OP_TYPE = "PagedAttention";

    /** Opset version of {@link #DOMAIN} that lowered models import. */
    public static final long OPSET = 1;

    /** Tokens of one page. */
    public static final int PAGE_TOKENS = 16;

    public static final int QUERY = 0;
    public static final int KEY = 1;
    public static final int VALUE = 2;
    public static final int KEY_PAGES = 3;
    public static final int VALUE_PAGES = 4;
    public static final int BLOCK_TABLE = 5;
    public static final int TOKEN_SEQUENCE = 6;
    public static final int TOKEN_POSITION = 7;
    public static final int COS_CACHE = 8;
    public static final int SIN_CACHE = 9;
    public static final int HEAD_SINK = 10;

    private PagedAttention() {}
}
