package io.kindling.spark.runtime;

import io.kindling.spark.metrics.Counters;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * The body of the batch operator in SQL: streams the rows of a partition through the engines that functions ask, many at once, and
 * gives them out in their order with the functions' results.
 */
public record BatchedCalls(List<RowCall> calls, Counters counters) implements Serializable {
    public BatchedCalls {
        calls = List.copyOf(calls);
    }

    /** Reads the arguments of calls. */
    @FunctionalInterface
    public interface ArgumentReader {
        /** The arguments of a call, valid until the next one is read; null for a row that does not need it. */
        InternalRow read(int call, InternalRow row);
    }

    /**
     * A row of the input.
     *
     * @param results one for each call, null for those that do not need it
     */
    public record Answered(InternalRow row, Object[] results) {}

    /** @param rows that stay as they are when the next one is read */
    public Iterator<Answered> run(Iterator<InternalRow> rows, ArgumentReader reader) {
        TaskRequests requests = new TaskRequests(counters);
        Iterator<Answered> answered = unanswered(rows, requests);
        int[] submitted = indices(RowCall.Submitted.class);
        if (submitted.length > 0) {
            answered = new InOrder<>(answered, inFlight(submitted), row -> begin(row, submitted, reader, requests));
        }
        for (int call : indices(RowCall.Windowed.class)) {
            RowCall.Windowed windowed = (RowCall.Windowed) calls.get(call);
            answered = new InWindows<>(
                    answered, windowed.window(), window -> answer(window, call, windowed, reader, requests));
        }
        return answered;
    }

    private Iterator<Answered> unanswered(Iterator<InternalRow> rows, TaskRequests requests) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public Answered next() {
                requests.rows(1);
                return new Answered(rows.next(), new Object[calls.size()]);
            }
        };
    }

    private int[] indices(Class<? extends RowCall> kind) {
        return IntStream.range(0, calls.size())
                .filter(call -> kind.isInstance(calls.get(call)))
                .toArray();
    }

    private int inFlight(int[] submitted) {
        return Arrays.stream(submitted)
                .map(call -> ((RowCall.Submitted) calls.get(call)).inFlight())
                .min()
                .orElseThrow();
    }

    private Supplier<Answered> begin(Answered row, int[] submitted, ArgumentReader reader, TaskRequests requests) {
        List<Supplier<Object>> pending = new ArrayList<>(submitted.length);
        for (int call : submitted) {
            InternalRow arguments = reader.read(call, row.row());
            pending.add(
                    arguments == null ? () -> null : ((RowCall.Submitted) calls.get(call)).submit(arguments, requests));
        }
        return () -> {
            for (int i = 0; i < submitted.length; i++) {
                row.results()[submitted[i]] = pending.get(i).get();
            }
            return row;
        };
    }

    private static List<Answered> answer(
            List<Answered> window, int call, RowCall.Windowed windowed, ArgumentReader reader, TaskRequests requests) {
        List<InternalRow> arguments = new ArrayList<>();
        List<Answered> needed = new ArrayList<>();
        for (Answered row : window) {
            InternalRow read = reader.read(call, row.row());
            if (read != null) {
                arguments.add(read.copy());
                needed.add(row);
            }
        }
        List<Object> results = windowed.all(arguments, requests);
        for (int i = 0; i < results.size(); i++) {
            needed.get(i).results()[call] = results.get(i);
        }
        return window;
    }
}
