"""Sessions that have Kindling, and the models they know by a name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Union

import pyspark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EXTENSIONS = "io.kindling.spark.KindlingExtensions"
_MODEL_SETTING = "spark.kindling.model."


def configure(builder: SparkSession.Builder, jar: Union[str, os.PathLike[str]]) -> SparkSession.Builder:
    """Adds Kindling to a session that is still to be made in this process.

    The same as ``--jars`` of ``spark-submit``, with the setting that PySpark 3.5 needs beside it. It does nothing to a session that
    runs already, and a Spark Connect server takes its jars when it starts. It replaces a ``spark.jars`` of the builder's.

    :param jar: ``kindling.jar``, as a path or URI
    :raises FileNotFoundError: for a path without a file
    """
    place = os.fspath(jar)
    if "://" not in place and not place.startswith("file:"):
        if not os.path.isfile(place):
            raise FileNotFoundError(f"no kindling.jar at {os.path.abspath(place)}; 'mvn package -DskipTests' makes one")
        place = os.path.abspath(place)
    builder = builder.config("spark.jars", place)
    if pyspark.__version__.startswith("3."):
        builder = builder.config("spark.sql.extensions", _EXTENSIONS)
    return builder


def register_model(spark: SparkSession, alias: str, uri: str) -> None:
    """Gives a model a name in a session; nothing is loaded. On Spark Connect the URI is the server's.

    :param alias: what the functions are to call it
    :param uri: a folder, an ``.onnx`` or a ``.gguf`` file, wherever Spark's file systems reach
    """
    spark.conf.set(_MODEL_SETTING + alias, uri)
