package io.kindling.spark.runtime;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * The Hadoop settings of a driver that differ from Hadoop's defaults; executors add them to theirs.
 *
 * @param entries key to value
 */
public record HadoopSettings(Map<String, String> entries) implements Serializable {
    public HadoopSettings {
        entries = Map.copyOf(entries);
    }

    public static HadoopSettings of(Configuration configuration) {
        Map<String, String> entries = new LinkedHashMap<>();
        for (Map.Entry<String, String> entry : configuration) {
            String[] sources = configuration.getPropertySources(entry.getKey());
            if (sources == null || sources.length == 0 || !sources[sources.length - 1].endsWith("-default.xml")) {
                entries.put(entry.getKey(), entry.getValue());
            }
        }
        return new HadoopSettings(entries);
    }

    Configuration configuration() {
        Configuration configuration = new Configuration();
        entries.forEach(configuration::set);
        return configuration;
    }
}
