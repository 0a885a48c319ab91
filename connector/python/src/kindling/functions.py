"""The SQL functions of Kindling as PySpark columns.

A model is an alias (``spark.kindling.model.<alias>``, :func:`kindling.register_model`), a URI, or a column of these. Other
arguments are columns or, as in :mod:`pyspark.sql.functions`, names of columns; ``lit`` makes a text of a string. A NULL gives NULL. A row
that fails gives NULL too, unless ``on_error="fail"``; :func:`generate_details` says why it failed.

Options are keyword arguments by the names of the table of options (``docs/options.md``). Their values are Python values, or columns
where each row has its own: ``seed=df.id``. Spark checks names and ranges; here only what has no text form is refused.
"""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from pyspark.sql import Column
from pyspark.sql import functions as sql

if TYPE_CHECKING:
    from pyspark.sql.types import StructType
    from typing_extensions import Unpack

    from kindling._options import Options

__all__ = [
    "chat",
    "classify",
    "count_tokens",
    "embed",
    "extract",
    "extract_json",
    "generate",
    "generate_details",
    "message",
    "render_prompt",
    "run",
    "run_json",
]

ColumnOrName = Union[Column, str]
Schema = Union[str, Mapping[str, object], "StructType"]


def generate(model: ColumnOrName, prompt: ColumnOrName, **options: Unpack[Options]) -> Column:
    """STRING: continues a text, or answers a conversation.

    :param model: an alias or URI, or a column of these
    :param prompt: STRING, or ARRAY of structs with ``role`` and ``content`` (see :func:`message`)

    >>> df.select(generate("smollm2", df.prompt, max_new_tokens=40, stop_strings=["."]))  # doctest: +SKIP
    """
    return _call("generate", model, prompt, options)


def generate_details(model: ColumnOrName, prompt: ColumnOrName, **options: Unpack[Options]) -> Column:
    """STRUCT: as :func:`generate`, with the finish reason, token counts and the error beside the text.

    >>> df.select(generate_details("smollm2", "prompt").alias("d")).select("d.text", "d.error")  # doctest: +SKIP
    """
    return _call("generate_details", model, prompt, options)


def chat(model: ColumnOrName, messages: ColumnOrName, **options: Unpack[Options]) -> Column:
    """STRING: answers a conversation, or a text as a user's message, through the model's chat template.

    >>> df.select(chat("smollm2", df.question, system="Be brief.", max_new_tokens=40))  # doctest: +SKIP
    """
    return _call("chat", model, messages, options)


def render_prompt(model: ColumnOrName, messages: ColumnOrName, **options: Unpack[Options]) -> Column:
    """STRING: what the chat template makes of a conversation, or of a text as a user's message. Loads no weights."""
    return _call("render_prompt", model, messages, options)


def count_tokens(model: ColumnOrName, prompt: ColumnOrName, **options: Unpack[Options]) -> Column:
    """INT: how many tokens :func:`generate` would feed for a text or a conversation. Loads no weights."""
    return _call("count_tokens", model, prompt, options)


def embed(model: ColumnOrName, text: ColumnOrName, **options: Unpack[Options]) -> Column:
    """ARRAY<FLOAT>: the vector that an encoder makes of a text.

    >>> df.select(embed("minilm", df.review, pooling="mean"))  # doctest: +SKIP
    """
    return _call("embed", model, text, options)


def classify(model: ColumnOrName, text: ColumnOrName, **options: Unpack[Options]) -> Column:
    """STRING: the likeliest class of a text."""
    return _call("classify", model, text, options)


def extract(model: ColumnOrName, text: ColumnOrName, schema: Schema, **options: Unpack[Options]) -> Column:
    """STRUCT: the fields of a schema, as the model reads them in a text; a JSON object as STRING without the session extension.

    :param model: an alias or URI, or a column of these
    :param schema: such as ``"name STRING, amount DOUBLE"``, a StructType, or a JSON Schema as dictionary or text; a field
        ``_corrupt_record STRING`` gets answers that ``max_new_tokens`` cut off

    >>> df.select(extract("smollm2", df.review, "name STRING, amount DOUBLE").amount)  # doctest: +SKIP
    """
    return _extract("extract", model, text, schema, options)


def extract_json(model: ColumnOrName, text: ColumnOrName, schema: Schema, **options: Unpack[Options]) -> Column:
    """STRING: as :func:`extract`, as a JSON object."""
    return _extract("extract_json", model, text, schema, options)


def run(model: str, *inputs: Union[ColumnOrName, Mapping[str, ColumnOrName]], **options: Unpack[Options]) -> Column:
    """STRUCT: what any graph makes of a row's inputs, one field an output. Spark reads the model's ports when the query is analysed.

    :param model: an alias or URI
    :param inputs: columns in the order of the graph's inputs, or one dictionary of columns by the inputs' names

    >>> df.select(run("churn", df.features).probabilities)  # doctest: +SKIP
    >>> df.select(run("churn", {"x": df.features}).label)  # doctest: +SKIP
    """
    columns = [_struct(given) if isinstance(given, Mapping) else _column(given) for given in inputs]
    return sql.call_function("onnx.`" + model.replace("`", "``") + "`.run", *columns, *_map(options))


def run_json(model: ColumnOrName, inputs: Union[ColumnOrName, Mapping[str, ColumnOrName]], **options: Unpack[Options]) -> Column:
    """STRING: as :func:`run`, as a JSON object; the model may differ from row to row.

    :param model: an alias or URI, or a column of these
    :param inputs: a STRUCT, or a dictionary of columns by the inputs' names
    """
    return _call("run_json", model, _struct(inputs) if isinstance(inputs, Mapping) else inputs, options)


def message(role: str, content: ColumnOrName) -> Column:
    """STRUCT: one message of a conversation, to be put into ``pyspark.sql.functions.array``.

    :param role: ``system``, ``user``, ``assistant``, or what else the model's template knows
    :param content: STRING

    >>> conversation = array(message("system", lit("Be brief.")), message("user", df.question))  # doctest: +SKIP
    """
    return sql.struct(sql.lit(role).alias("role"), _column(content).alias("content"))


def _extract(
    function: str, model: ColumnOrName, text: ColumnOrName, schema: Schema, options: Mapping[str, Any]
) -> Column:
    if isinstance(schema, Mapping):
        fields = json.dumps(schema, ensure_ascii=False)
    else:
        fields = schema if isinstance(schema, str) else schema.simpleString()
    return sql.call_function("onnx." + function, _model(model), _column(text), sql.lit(fields), *_map(options))


def _model(model: ColumnOrName) -> Column:
    return sql.lit(model) if isinstance(model, str) else _column(model)


def _call(function: str, model: ColumnOrName, argument: ColumnOrName, options: Mapping[str, Any]) -> Column:
    return sql.call_function("onnx." + function, _model(model), _column(argument), *_map(options))


def _map(options: Mapping[str, Any]) -> list[Column]:
    """The last argument of a call with options, else nothing."""
    given = [(name, _text(name, value)) for name, value in options.items() if value is not None]
    return [sql.create_map(*[part for name, text in given for part in (sql.lit(name), text)])] if given else []


def _struct(fields: Mapping[str, ColumnOrName]) -> Column:
    return sql.struct(*[_column(column).alias(name) for name, column in fields.items()])


def _column(argument: ColumnOrName) -> Column:
    if isinstance(argument, str):
        return sql.col(argument)
    if _is_column(argument):
        return argument
    raise TypeError(f"a column or the name of one is needed, not {argument!r}; lit() makes a column of a value")


def _text(name: str, value: Any) -> Column:
    """An option's value as Spark reads it; all values of a map have one type, which is STRING."""
    if _is_column(value):
        column: Column = value
        return column.cast("string")
    if isinstance(value, str):
        return sql.lit(value)
    if isinstance(value, bool):
        return sql.lit("true" if value else "false")
    if isinstance(value, numbers.Integral):
        return sql.lit(str(int(value)))
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return sql.lit(repr(float(value)))
    if isinstance(value, (Mapping, Sequence)) and not isinstance(value, (bytes, bytearray)):
        try:
            return sql.lit(json.dumps(value, ensure_ascii=False))
        except (TypeError, ValueError) as error:
            raise TypeError(f"option {name}: {value!r} cannot be written as JSON: {error}") from error
    raise TypeError(
        f"option {name}: a string, number, boolean, list, dictionary or column is needed, not {value!r}"
    )


def _is_column(value: object) -> bool:
    # Columns of Spark Connect are a class of their own in Spark 3.5.
    return isinstance(value, Column) or type(value).__name__ == "Column"
