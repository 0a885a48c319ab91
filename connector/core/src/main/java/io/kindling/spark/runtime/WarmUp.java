package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.SessionSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads models when an executor starts, beside its first tasks; these wait for a model that is being loaded. */
public final class WarmUp {
    /** Tells executors how many models there are. */
    public static final String MODELS = "models";

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    private WarmUp() {}

    private record Offer(ModelSource source, GenerationPlan plan) implements Serializable {}

    /** What the driver answers to executors that ask; as bytes, since Spark's own messages do not know the classes of added jars. */
    public static final class Offers {
        private final SessionSettings settings;
        private final List<String> models;
        private final SparkContext context;
        /** Held here, or Spark would clean up what was broadcast. */
        private final Map<Integer, Offer> made = new HashMap<>();

        public Offers(SessionSettings settings, List<String> models, SparkContext context) {
            this.settings = settings;
            this.models = List.copyOf(models);
            this.context = context;
            models.forEach(settings.models()::uri); // a wrong alias ends the application at once
        }

        /** How to get at a model, by its place in the list. */
        public synchronized byte[] offer(int number) {
            Offer offer = made.computeIfAbsent(number, this::make);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(offer);
            } catch (IOException e) {
                throw new KindlingException(ErrorCode.INTERNAL, "cannot describe a model to executors: " + e, e);
            }
            return bytes.toByteArray();
        }

        private Offer make(int number) {
            GenerationPlan plan = settings.plan(Map.of(), LocalDateTime.now());
            String uri = settings.models().uri(models.get(number), plan.distribution());
            return new Offer(
                    ModelDistributor.distribute(uri, plan.distribution(), JavaSparkContext.fromSparkContext(context)),
                    plan);
        }
    }

    /** Asks the driver for a model. */
    public interface Driver {
        byte[] offer(int number) throws Exception;
    }

    /** Begins to load the models in a thread of its own; one that fails is told to the log, and to the task that needs it. */
    public static void start(int models, Driver driver) {
        if (models == 0) {
            return;
        }
        Thread thread = new Thread(
                () -> {
                    for (int number = 0; number < models; number++) {
                        load(number, driver);
                    }
                },
                "kindling-warm-up");
        thread.setDaemon(true);
        thread.setContextClassLoader(WarmUp.class.getClassLoader());
        thread.start();
    }

    private static void load(int number, Driver driver) {
        try {
            Offer offer = (Offer) read(driver.offer(number));
            long start = System.nanoTime();
            TaskEngines.load(offer.source(), offer.plan());
            LOG.info(
                    "model '{}' was loaded in {} ms, ahead of tasks",
                    offer.source().uri(),
                    (System.nanoTime() - start) / 1_000_000);
        } catch (Exception | LinkageError fault) {
            LOG.warn("a model of spark.kindling.warmup was not loaded ahead of tasks", fault);
        }
    }

    private static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass type) throws IOException, ClassNotFoundException {
                try {
                    return Class.forName(type.getName(), false, WarmUp.class.getClassLoader());
                } catch (ClassNotFoundException e) {
                    return super.resolveClass(type);
                }
            }
        }) {
            return in.readObject();
        }
    }
}
