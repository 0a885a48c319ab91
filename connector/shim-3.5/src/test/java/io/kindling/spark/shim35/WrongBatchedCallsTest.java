package io.kindling.spark.shim35;

import io.kindling.spark.WrongCallsTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With the rules all that holds without them, and what literals say is refused before any row is read. */
class WrongBatchedCallsTest extends WrongCallsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "onnx.generate('fakee', q) | onnx.generate: no model is named 'fakee', did you mean 'fake'? & set are fake, gone",
                "onnx.count_tokens('fakee', q) | onnx.count_tokens: no model is named 'fakee', did you mean 'fake'?",
                "onnx.render_prompt('fake', q, map('sytem', 'x')) | onnx.render_prompt: unknown option 'sytem', did you mean 'system'?",
                "onnx.run('fakee', struct(id)) | onnx.run: no model is named 'fakee', did you mean 'fake'?",
                "onnx.generate('gone', q) | onnx.generate: model 'file:///nowhere/model' does not exist & give the URI of a folder",
                "onnx.generate('/nowhere/at/all', q) | onnx.generate: model '/nowhere/at/all' does not exist & give the URI of a folder",
                "onnx.embed('', q) | onnx.embed: the name of the model is empty & give an alias or a URI",
                "onnx.generate('fake', q, map('max_new_token', 1)) | unknown option 'max_new_token', did you mean 'max_new_tokens'?",
                "onnx.generate('fake', q, map('max_new_tokens', 'x')) | 'max_new_tokens' must be an integer from 1 to & not 'x'",
                "onnx.extract('fake', q, 'name STRNG') | the schema 'name STRNG' is not a list of fields & 'name STRING, amount DOUBLE'",
                "onnx.generate(model => 'fake', prompt => q) | by their places & leave out 'model =>'"
            })
    void literalsThatCannotBe(String call, String contained) {
        refused("SELECT " + call + " FROM questions", contained);
    }
}
