package io.kindling.engine.generate;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Which KV pages are free, in use and by how many sequences, or kept for their contents though nobody uses them. Knows
 * nothing of memory; {@link PageStore} holds the bytes. Pages are shared only when full, and full pages never change, so
 * that nothing is ever copied on write.
 */
final class PagePool {
    private final int limit;
    private final PrefixCache cache;
    private final Deque<Integer> free = new ArrayDeque<>();

    /** Cached pages that no sequence uses, the longest unused first. */
    private final Set<Integer> idle = new LinkedHashSet<>();

    private int[] references = new int[0];
    private int created;
    private int inUse;
    private int peak;

    PagePool(int limit, PrefixCache cache) {
        this.limit = limit;
        this.cache = cache;
    }

    int limit() {
        return limit;
    }

    /** Pages that exist, in use or not. */
    int created() {
        return created;
    }

    int inUse() {
        return inUse;
    }

    int peak() {
        return peak;
    }

    /** Pages that could be taken without making new ones. */
    int available() {
        return free.size() + idle.size();
    }

    /** Adds free pages up to {@code count} in all. */
    void create(int count) {
        references = Arrays.copyOf(references, count);
        while (created < count) {
            free.addLast(created++);
        }
    }

    /** A page of one's own. There must be one {@link #available}. */
    int take() {
        Integer page = free.pollFirst();
        if (page == null) {
            Iterator<Integer> oldest = idle.iterator();
            page = oldest.next();
            oldest.remove();
            cache.forget(page);
        }
        retain(page);
        return page;
    }

    /** Joins those who use a page. */
    void retain(int page) {
        if (references[page]++ == 0) {
            idle.remove(page);
            inUse++;
            peak = Math.max(peak, inUse);
        }
    }

    void release(int page) {
        if (--references[page] == 0) {
            inUse--;
            if (cache.holds(page)) {
                idle.add(page);
            } else {
                free.addFirst(page);
            }
        }
    }
}
