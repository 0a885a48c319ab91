package io.kindling.engine.cpu.simd;

import java.util.ArrayList;
import java.util.List;

/** The native kernels of one instruction set. */
record KernelSet(long address, String level) {
    /** System property that caps the instruction set. */
    static final String LEVEL_PROPERTY = "kindling.native.level";

    /** Whether products of float32 are computed on tiles, into which operands have to be turned. */
    boolean tiles() {
        return level.equals("amx");
    }

    /** All sets this processor runs, plainest first. The library must be loaded. */
    static List<KernelSet> all() {
        List<KernelSet> sets = new ArrayList<>();
        for (long set = Native.kernelSet(0); set != 0; set = Native.kernelSet(sets.size())) {
            sets.add(new KernelSet(set, Native.levelOf(set)));
        }
        return sets;
    }

    /** The best set, or the one named; {@code scalar} names the plainest. Null when there is none of that name. */
    static KernelSet choose(List<KernelSet> sets, String level) {
        if (level.isEmpty()) {
            return sets.get(sets.size() - 1);
        }
        if (level.equals("scalar")) {
            return sets.get(0);
        }
        return sets.stream()
                .filter(set -> set.level().equals(level))
                .findFirst()
                .orElse(null);
    }
}
