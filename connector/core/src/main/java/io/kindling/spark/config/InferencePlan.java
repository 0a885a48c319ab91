package io.kindling.spark.config;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * What an operator over tensors does with the columns of its input; made by the driver.
 *
 * @param inputs ports of the graph, in the order of the columns that feed them
 * @param outputs columns to make; none stands for all outputs of the graph, each of the type that it turns out to have
 * @param batchSize most rows of a run; 0 takes the engine's {@code max_batch}
 * @param wholeTensors whether a row's values are whole tensors, whatever the graph says of a batch axis
 */
public record InferencePlan(List<String> inputs, List<Output> outputs, int batchSize, boolean wholeTensors)
        implements Serializable {
    public InferencePlan {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    public InferencePlan withWholeTensors(boolean whole) {
        return new InferencePlan(inputs, outputs, batchSize, whole);
    }

    /**
     * @param port of the graph
     * @param type of the column
     */
    public record Output(String port, DataType type) implements Serializable {}
}
