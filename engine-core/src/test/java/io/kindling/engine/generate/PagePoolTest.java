package io.kindling.engine.generate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PagePoolTest {
    private static final int[] IDS = java.util.stream.IntStream.range(0, 64).toArray();

    private final PrefixCache cache = new PrefixCache();
    private final PagePool pool = new PagePool(8, cache);

    @Test
    void releasedPagesAreTakenAgain() {
        pool.create(2);
        int first = pool.take();
        pool.take();
        assertThat(pool.available()).isZero();
        pool.release(first);
        assertThat(pool.take()).isEqualTo(first);
        assertThat(pool.peak()).isEqualTo(2);
    }

    @Test
    void sharedPageIsFreeOnlyWhenAllHaveLeft() {
        pool.create(1);
        int page = pool.take();
        pool.retain(page);
        pool.release(page);
        assertThat(pool.available()).isZero();
        pool.release(page);
        assertThat(pool.available()).isEqualTo(1);
    }

    @Test
    void cachedPagesAreKeptUntilTheLongestUnusedIsNeeded() {
        pool.create(2);
        int first = pool.take();
        int second = pool.take();
        long block = cache.add(PrefixCache.ROOT, IDS, 0, 16, first).id();
        cache.add(block, IDS, 16, 32, second);
        pool.release(second);
        pool.release(first);
        assertThat(pool.available()).isEqualTo(2);
        assertThat(cache.find(block, IDS, 16, 32).page()).isEqualTo(second);
        assertThat(pool.take()).isEqualTo(second);
        assertThat(cache.find(block, IDS, 16, 32)).isNull();
        assertThat(cache.find(PrefixCache.ROOT, IDS, 0, 16).page()).isEqualTo(first);
    }

    @Test
    void equalTokensBehindOtherBeginningsAreOtherBlocks() {
        long block = cache.add(PrefixCache.ROOT, IDS, 0, 16, 0).id();
        assertThat(cache.find(block, IDS, 0, 16)).isNull();
        assertThat(cache.find(PrefixCache.ROOT, IDS, 1, 17)).isNull();
    }

    @Test
    void knownBlockKeepsItsPage() {
        PrefixCache.Block known = cache.add(PrefixCache.ROOT, IDS, 0, 16, 3);
        assertThat(cache.add(PrefixCache.ROOT, IDS, 0, 16, 5)).isEqualTo(known);
        assertThat(cache.holds(5)).isFalse();
    }
}
