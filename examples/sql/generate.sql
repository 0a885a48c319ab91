-- spark-sql --jars connector/target/kindling.jar --conf spark.kindling.model.smollm2=<model folder> -f examples/sql/generate.sql
-- Run from the repository's root.
CREATE OR REPLACE TEMPORARY VIEW questions USING json OPTIONS (path 'examples/data/prompts.jsonl');

-- onnx.generate continues a text as it is, so the text ends where an answer begins
SELECT id, onnx.generate('smollm2', concat(question, ' It is'), map('max_new_tokens', 12)) AS answer
FROM questions WHERE topic = 'geography' ORDER BY id;

-- How an answer ended, and what it cost
SELECT id, d.finish_reason, d.prompt_tokens, d.generated_tokens, d.error
FROM (SELECT id, onnx.generate_details('smollm2', question, map('max_new_tokens', 4)) AS d
      FROM questions WHERE topic = 'language')
ORDER BY id;
