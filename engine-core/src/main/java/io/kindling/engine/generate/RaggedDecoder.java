package io.kindling.engine.generate;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.Session;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.metadata.PositionPlanes;
import io.kindling.engine.optimize.ragged.RaggedModel;
import io.kindling.engine.provider.GrowingTensor;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * Runs a lowered decoder: tokens of many sequences in one pass over paged KV. A sequence gets all pages that it can come to
 * need when it is admitted, and a place for its states, so that nothing that runs is ever preempted or fails for memory; the
 * price is that long limits admit fewer rows at once. Models with states share no prefixes: pages cannot tell what the
 * states were behind them.
 */
final class RaggedDecoder implements Decoder {
    private static final int PAGE = PagedAttention.PAGE_TOKENS;
    private static final int FIRST_PAGES = 64;
    private static final int NO_PLACE = -1;

    private final RaggedModel model;
    private final Session session;
    private final DeviceBinding binding;
    private final PageStore store;
    private final PagePool pool;
    private final StateSlots slots;
    private final PrefixCache cache = new PrefixCache();
    private final boolean sharePrefixes;
    private final long budgetBytes;
    private final long pageBytes;
    private final long placeBytes;
    private final LogitRows logits = new LogitRows();
    private final GrowingTensor ids;
    private final Optional<GrowingTensor> positionIds;
    private final Optional<PositionPlanes> planes;
    private final GrowingTensor blockTable;
    private final GrowingTensor tokenSequence;
    private final GrowingTensor tokenPosition;
    private final GrowingTensor tokenSpan;
    private final GrowingTensor sampleRows;
    private final GrowingTensor sequenceSlot;
    private volatile int peak;

    /**
     * Owns the session from now on.
     *
     * @param maxBatch most sequences at once
     */
    RaggedDecoder(
            RaggedModel model,
            Session session,
            Provider provider,
            long budgetBytes,
            int maxBatch,
            boolean sharePrefixes) {
        this.model = model;
        this.session = session;
        this.sharePrefixes = sharePrefixes && model.states().isEmpty();
        this.budgetBytes = budgetBytes;
        pageBytes = PageStore.pageBytes(model.layers());
        placeBytes = StateSlots.placeBytes(model.states());
        int places = StateSlots.affordable(model.states(), budgetBytes, maxBatch);
        long pages = pageBytes == 0 ? 0 : (budgetBytes - places * placeBytes) / pageBytes;
        pool = new PagePool((int) Math.min(Integer.MAX_VALUE / PAGE, pages), cache);
        binding = session.newBinding();
        store = new PageStore(provider, binding, model.layers());
        slots = new StateSlots(provider, binding, model.states(), places);
        ids = new GrowingTensor(provider.allocator(), inputType(session, model.tokenInput()));
        positionIds =
                model.positionIds().map(name -> new GrowingTensor(provider.allocator(), inputType(session, name)));
        planes = model.positionIds().map(name -> PositionPlanes.of(input(session, name)));
        blockTable = new GrowingTensor(provider.allocator(), DataType.INT32);
        tokenSequence = new GrowingTensor(provider.allocator(), DataType.INT32);
        tokenPosition = new GrowingTensor(provider.allocator(), DataType.INT32);
        tokenSpan = new GrowingTensor(provider.allocator(), DataType.INT32);
        sampleRows = new GrowingTensor(provider.allocator(), DataType.INT64);
        sequenceSlot = new GrowingTensor(provider.allocator(), DataType.INT32);
    }

    private static ValueInfo input(Session session, String name) {
        return session.inputs().stream()
                .filter(input -> input.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static DataType inputType(Session session, String name) {
        return ((ValueType.TensorType) input(session, name).type())
                .elementType()
                .orElseThrow();
    }

    @Override
    public Optional<DecoderSequence> admit(int[] prompt, int maxTokens) {
        int needed = model.layers().isEmpty() ? 0 : pagesFor(maxTokens);
        if (needed > pool.limit() || slots.isUsed() && slots.limit() == 0) {
            throw new KindlingException(
                    ErrorCode.OUT_OF_MEMORY,
                    "a sequence of " + maxTokens + " tokens needs " + (needed * pageBytes + placeBytes)
                            + " bytes of KV cache and state, the budget is " + budgetBytes
                            + "; raise the KV budget or lower max_new_tokens");
        }
        Paged sequence = new Paged(prompt, needed);
        sequence.shareKnownPages();
        if (!reserve(needed - sequence.pageCount) || !sequence.takePlace()) {
            sequence.close();
            return Optional.empty();
        }
        while (sequence.pageCount < needed) {
            sequence.pages[sequence.pageCount++] = pool.take();
        }
        peak = pool.peak();
        return Optional.of(sequence);
    }

    private static int pagesFor(int tokens) {
        return (tokens + PAGE - 1) / PAGE;
    }

    /** Sees to it that so many pages can be taken; false while others hold them. */
    private boolean reserve(int count) {
        int missing = count - pool.available();
        if (missing <= 0) {
            return true;
        }
        int wanted = pool.created() + missing;
        if (wanted > pool.limit()) {
            return false;
        }
        int roomy = Math.min(pool.limit(), Math.max(wanted, Math.max(FIRST_PAGES, pool.created() * 3 / 2)));
        store.grow(roomy);
        pool.create(roomy);
        return true;
    }

    @Override
    public boolean packsRows() {
        return true;
    }

    @Override
    public void run(List<Slice> slices) {
        int tokens = 0;
        int sampled = 0;
        int blocks = 1;
        for (Slice slice : slices) {
            tokens += slice.count();
            sampled += slice.sample() ? 1 : 0;
            blocks = Math.max(blocks, pagesFor(slice.from() + slice.count()));
        }
        bind(slices, tokens, sampled, blocks);
        binding.run();
        logits.clear();
        Tensor rows = (Tensor) binding.output(model.logits());
        for (int k = 0; k < sampled; k++) {
            logits.append(rows, k);
        }
        for (Slice slice : slices) {
            ((Paged) slice.sequence()).advance(slice.count());
        }
    }

    private void bind(List<Slice> slices, int tokens, int sampled, int blocks) {
        Tensor idTensor = ids.shaped(1, tokens);
        Tensor positionTensor = positionIds
                .map(tensor -> tensor.shaped(planes.orElseThrow().shape(tokens)))
                .orElse(null);
        Tensor table = blockTable.shaped(slices.size(), blocks);
        Tensor sequences = tokenSequence.shaped(tokens);
        Tensor positions = tokenPosition.shaped(tokens);
        Tensor spans = tokenSpan.shaped(tokens);
        Tensor rows = sampleRows.shaped(sampled);
        Tensor places = sequenceSlot.shaped(slices.size(), 2);
        int at = 0;
        int row = 0;
        for (int s = 0; s < slices.size(); s++) {
            Slice slice = slices.get(s);
            Paged sequence = (Paged) slice.sequence();
            for (int b = 0; b < Math.min(blocks, sequence.pageCount); b++) {
                table.ints().put(s * blocks + b, sequence.pages[b]);
            }
            places.ints().put(2 * s, 2 * sequence.place + sequence.side);
            places.ints().put(2 * s + 1, 2 * sequence.place + 1 - sequence.side);
            for (int k = 0; k < slice.count(); k++, at++) {
                int position = slice.from() + k;
                Integers.put(idTensor, at, slice.ids()[position]);
                for (int plane = 0; plane < planes.map(PositionPlanes::count).orElse(0); plane++) {
                    Integers.put(positionTensor, plane * tokens + at, position);
                }
                sequences.ints().put(at, s);
                positions.ints().put(at, position);
                spans.ints().put(at, Math.max(sequence.prompt.length, position + 1));
            }
            if (slice.sample()) {
                rows.longs().put(row++, at - 1);
            }
        }
        binding.bindInput(model.tokenInput(), idTensor);
        model.positionIds().ifPresent(name -> binding.bindInput(name, positionTensor));
        binding.bindInput(RaggedModel.BLOCK_TABLE, table);
        binding.bindInput(RaggedModel.TOKEN_SEQUENCE, sequences);
        binding.bindInput(RaggedModel.TOKEN_POSITION, positions);
        if (model.longFrom().isPresent()) {
            binding.bindInput(RaggedModel.TOKEN_SPAN, spans);
        }
        binding.bindInput(RaggedModel.SAMPLE_ROWS, rows);
        if (slots.isUsed()) {
            binding.bindInput(RaggedModel.SEQUENCE_SLOT, places);
        }
    }

    @Override
    public LogitRows logits() {
        return logits;
    }

    @Override
    public long pagesInUse() {
        return pool.inUse();
    }

    @Override
    public long pagesPeak() {
        return peak;
    }

    @Override
    public void close() {
        binding.close();
        store.close();
        slots.close();
        ids.close();
        positionIds.ifPresent(GrowingTensor::close);
        blockTable.close();
        tokenSequence.close();
        tokenPosition.close();
        tokenSpan.close();
        sampleRows.close();
        sequenceSlot.close();
        session.close();
    }

    /** The pages of one sequence, and which of the slots of its place holds its states. */
    private final class Paged implements DecoderSequence {
        private final int[] prompt;
        private final int[] pages;
        private int pageCount;
        private int length;
        private long lastBlock;
        private int knownBlocks;
        private int place = NO_PLACE;
        private int side;

        Paged(int[] prompt, int pages) {
            this.prompt = prompt;
            this.pages = new int[pages];
            boolean isLong = model.longFrom().isPresent()
                    && prompt.length >= model.longFrom().getAsLong();
            lastBlock = isLong ? PrefixCache.LONG_ROOT : PrefixCache.ROOT;
        }

        private boolean takePlace() {
            if (!slots.isUsed()) {
                return true;
            }
            place = slots.take().orElse(NO_PLACE);
            return place != NO_PLACE;
        }

        /** Takes over cached pages, but leaves at least one token to feed: its logits are wanted. */
        private void shareKnownPages() {
            while (sharePrefixes && (knownBlocks + 1) * PAGE < prompt.length) {
                PrefixCache.Block block = cache.find(lastBlock, prompt, knownBlocks * PAGE, (knownBlocks + 1) * PAGE);
                if (block == null) {
                    return;
                }
                pool.retain(block.page());
                pages[pageCount++] = block.page();
                lastBlock = block.id();
                knownBlocks++;
                length += PAGE;
            }
        }

        /** Counts tokens as fed and offers pages that the prompt has filled. */
        private void advance(int count) {
            length += count;
            side = 1 - side;
            while (sharePrefixes && (knownBlocks + 1) * PAGE <= Math.min(length, prompt.length)) {
                int from = knownBlocks * PAGE;
                lastBlock = cache.add(lastBlock, prompt, from, from + PAGE, pages[knownBlocks])
                        .id();
                knownBlocks++;
            }
        }

        @Override
        public int length() {
            return length;
        }

        /** The last pages first: they are the least likely to be wanted again. */
        @Override
        public void close() {
            while (pageCount > 0) {
                pool.release(pages[--pageCount]);
            }
            if (place != NO_PLACE) {
                slots.release(place);
                place = NO_PLACE;
            }
        }
    }
}
