package io.kindling.spark;

import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.runtime.ExecutorMetrics;
import io.kindling.spark.runtime.TaskEngines;
import io.kindling.spark.runtime.WarmUp;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Set {@code spark.plugins=io.kindling.spark.KindlingPlugin} to load the models of {@code spark.kindling.warmup} when executors
 * start instead of in their first tasks, to see the engines in Spark's metrics system, and to have models closed when an executor
 * stops. Everything else works without it.
 */
public final class KindlingPlugin implements SparkPlugin {
    @Override
    public DriverPlugin driverPlugin() {
        return new Driver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new Executor();
    }

    /** Checks the settings, and tells executors how to get at the models. */
    private static final class Driver implements DriverPlugin {
        private SparkContext context;
        private WarmUp.Offers offers;

        @Override
        public Map<String, String> init(SparkContext sc, PluginContext plugin) {
            context = sc;
            SessionSettings settings = SessionSettings.of(sc.getConf());
            List<String> models = settings.plan(Map.of(), LocalDateTime.now()).warmUp();
            offers = new WarmUp.Offers(settings, models, context);
            return Map.of(WarmUp.MODELS, String.valueOf(models.size()));
        }

        @Override
        public Object receive(Object message) {
            return offers.offer((Integer) message);
        }
    }

    private static final class Executor implements ExecutorPlugin {
        private static final Logger LOG = LoggerFactory.getLogger(KindlingPlugin.class);

        @Override
        public void init(PluginContext plugin, Map<String, String> extraConf) {
            ExecutorMetrics.register(plugin.metricRegistry());
            int models = Integer.parseInt(extraConf.getOrDefault(WarmUp.MODELS, "0"));
            WarmUp.start(models, number -> (byte[]) plugin.ask(number));
        }

        @Override
        public void shutdown() {
            TaskEngines.closeAll();
            LOG.info("the models of this executor are closed");
        }
    }
}
