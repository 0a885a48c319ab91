-- spark-sql --jars connector/target/kindling.jar --conf spark.kindling.model.queues=<classifier folder> -f examples/sql/classify.sql
-- How many new tickets there are for each queue. Run from the repository's root; train_classifier.py makes the classifier.
CREATE OR REPLACE TEMPORARY VIEW new_tickets USING csv OPTIONS (path 'examples/data/new_tickets.csv', header 'true');

CACHE TABLE sorted_tickets AS SELECT id, text, onnx.classify('queues', text) AS queue FROM new_tickets;
SELECT id, queue FROM sorted_tickets ORDER BY id;
SELECT queue, count(*) AS tickets FROM sorted_tickets GROUP BY queue ORDER BY queue;
