"""Kindling in PySpark: text generation, embeddings and inference with ONNX models.

The functions are in :mod:`kindling.functions`::

    import kindling
    from kindling import functions as onnx

    kindling.register_model(spark, "smollm2", "file:///models/smollm2")
    df.select(onnx.generate("smollm2", df.prompt, max_new_tokens=40))

:class:`Resume` runs long jobs that may be stopped. They need ``kindling.jar`` in the session: ``spark-submit --jars kindling.jar`` or :func:`configure`.
"""

from kindling.resume import Report, Resume
from kindling.session import configure, register_model

__all__ = ["Report", "Resume", "configure", "register_model"]
