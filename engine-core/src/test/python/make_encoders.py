"""Text encoders with a tokenizer, and what ONNX Runtime makes of texts with them, one text at a time, unpadded.

    make_encoders.py FOLDER

Writes FOLDER/embedder (a sentence-transformers package: last_hidden_state, mean pooling, normalised, at most 12 tokens), FOLDER/quantised
(the same with dynamically quantised states), FOLDER/classifier and FOLDER/tagger (logits; three labels, softmax and independent), and FOLDER/expected.json:
[{"text", "ids", "truncated", "states", "quantised", "logits"}].
"""
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

WIDTH, LIMIT = 8, 12
TEXTS = ["one", "a cat sat", "", "the dog ran over the hill and the cat sat on the mat while one dog ran", "dog dog", "Ünïcode çat 東京"]
random = np.random.default_rng(7)


def tokenizer():
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=80, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    made.train_from_iterator(TEXTS * 3, trainer)
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return made


def graph(size, classes, quantised=False):
    """States that depend on all tokens that are not masked, and on their places; logits from their mean."""
    states = "states" if quantised else "last_hidden_state"
    weights = {"table": (size, WIDTH), "places": (64, WIDTH), "head": (WIDTH, 3)}
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("Gather", ["places", "position_ids"], ["where"]),
        helper.make_node("Add", ["words", "where"], ["embedded"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        helper.make_node("Mul", ["embedded", "column"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "middle"], ["sum"], keepdims=1),
        helper.make_node("ReduceSum", ["column", "middle"], ["count"], keepdims=1),
        helper.make_node("Div", ["sum", "count"], ["mean"]),
        helper.make_node("Add", ["embedded", "mean"], ["mixed"]),
        helper.make_node("Tanh", ["mixed"], [states]),
    ]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", WIDTH])]
    if quantised:
        nodes += [
            helper.make_node("DynamicQuantizeLinear", ["states"], ["bytes", "scale", "zero"]),
            helper.make_node("MatMulInteger", ["bytes", "codes", "zero"], ["sums"]),
            helper.make_node("Cast", ["sums"], ["floats"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["floats", "scale"], ["last_hidden_state"]),
        ]
    if classes:
        nodes += [
            helper.make_node("Squeeze", ["mean", "middle"], ["text"]),
            helper.make_node("MatMul", ["text", "head"], ["logits"]),
        ]
        outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])]
    constants = [numpy_helper.from_array(random.standard_normal(shape).astype(np.float32), name) for name, shape in weights.items()]
    constants += [numpy_helper.from_array(np.array([axis], np.int64), name) for name, axis in (("last", -1), ("middle", 1))]
    if quantised:
        constants.append(numpy_helper.from_array(random.integers(-9, 9, (WIDTH, WIDTH), np.int8), "codes"))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "position_ids")
    ]
    made = helper.make_graph(nodes, "encoder", inputs, outputs, constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def write(folder, model, tokens, **files):
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    tokens.save(str(folder / "tokenizer.json"))
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_json", ".json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))


def main():
    root = pathlib.Path(sys.argv[1])
    tokens = tokenizer()
    embedder = graph(tokens.get_vocab_size(), False)
    classifier = graph(tokens.get_vocab_size(), True)
    for name, model in (("embedder", embedder), ("quantised", graph(tokens.get_vocab_size(), False, quantised=True))):
        write(
            root / name,
            model,
            tokens,
            modules_json=[
                {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
            ],
            **{"1_Pooling__config_json": {"word_embedding_dimension": WIDTH, "pooling_mode_mean_tokens": True}},
            sentence_bert_config_json={"max_seq_length": LIMIT, "do_lower_case": False},
        )
    labels = {"0": "calm", "1": "glad", "2": "sad"}
    write(root / "classifier", classifier, tokens, config_json={"id2label": labels, "max_position_embeddings": LIMIT})
    write(
        root / "tagger",
        classifier,
        tokens,
        config_json={"id2label": labels, "problem_type": "multi_label_classification", "max_position_embeddings": LIMIT},
    )
    tokens.enable_truncation(LIMIT)
    expected = []
    sessions = [onnxruntime.InferenceSession(str(root / name / "model.onnx")) for name in ("embedder", "quantised", "classifier")]
    for text in TEXTS:
        encoding = tokens.encode(text)
        ids = encoding.ids
        row = np.array([ids], np.int64)
        feed = {"input_ids": row, "attention_mask": np.ones_like(row), "position_ids": np.arange(len(ids))[None, :]}
        states, quantised, logits = (session.run(None, feed)[0][0] for session in sessions)
        expected.append({
            "text": text,
            "ids": ids,
            "truncated": bool(encoding.overflowing),
            "states": states.tolist(),
            "quantised": quantised.tolist(),
            "logits": logits.tolist(),
        })
    (root / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main()
