-- spark-sql --jars connector/target/kindling.jar --conf spark.kindling.model.minilm=<encoder folder> -f examples/sql/nearest.sql
-- The answer of the FAQ that is nearest to each question. Run from the repository's root.
CREATE OR REPLACE TEMPORARY VIEW faq USING csv OPTIONS (path 'examples/data/faq.csv', header 'true');
CREATE OR REPLACE TEMPORARY VIEW questions USING csv OPTIONS (path 'examples/data/questions.csv', header 'true');

-- Each text is encoded once: a cached table keeps its vector, however many it is compared with.
CACHE TABLE faq_vectors AS SELECT topic, answer, onnx.embed('minilm', concat(topic, ': ', answer)) AS vector FROM faq;
CACHE TABLE question_vectors AS SELECT id, question, onnx.embed('minilm', question) AS vector FROM questions;

-- Vectors have length 1, so that the sum of products is the cosine.
CREATE OR REPLACE TEMPORARY VIEW similarities AS
SELECT q.id, q.question, f.topic,
       aggregate(zip_with(q.vector, f.vector, (a, b) -> double(a) * b), 0D, (sum, x) -> sum + x) AS similarity
FROM question_vectors q CROSS JOIN faq_vectors f;

SELECT id, max_by(topic, similarity) AS topic, round(max(similarity), 2) AS similarity FROM similarities GROUP BY id ORDER BY id;
