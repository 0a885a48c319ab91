package io.kindling.cli;

import io.kindling.engine.Model;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.metadata.DecoderIo;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Prompts of random token ids, none like another; the same ones in each process. */
final class RandomPrompts {
    private final Random random = new Random(20_260_101);
    private final Model model;
    private final int vocabulary;

    private RandomPrompts(Model model, int vocabulary) {
        this.model = model;
        this.vocabulary = vocabulary;
    }

    static RandomPrompts of(Model model) {
        int fallback = 256;
        String logits = model.modelPackage().decoder().map(DecoderIo::logits).orElse("");
        long declared = model.session().outputs().stream()
                .filter(output -> output.name().equals(logits))
                .mapToLong(RandomPrompts::lastDimension)
                .findFirst()
                .orElse(-1);
        return new RandomPrompts(model, declared > 0 ? Math.toIntExact(declared) : fallback);
    }

    private static long lastDimension(ValueInfo port) {
        if (port.type() instanceof TensorType tensor && tensor.shape().isPresent()) {
            int rank = tensor.shape().get().size();
            return rank == 0 ? -1 : tensor.shape().get().get(rank - 1).sizeOrMinusOne();
        }
        return -1;
    }

    List<Integer> next(int length) {
        List<Integer> ids = new ArrayList<>(length);
        while (ids.size() < length) {
            int id = random.nextInt(vocabulary);
            if (model.tokenizer().specialToken(id).isEmpty()) {
                ids.add(id);
            }
        }
        return ids;
    }
}
