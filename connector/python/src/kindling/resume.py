"""Long jobs that can be stopped at any time and go on later."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
from pyspark.sql import functions as sql
from pyspark.errors import AnalysisException

_DONE = "__kindling_done"
_CHUNK = "__kindling_chunk"
_ATTEMPT = "mapreduce.job.application.attempt.id"
_MAY_PASS = ("OUT_OF_MEMORY", "DEVICE_UNAVAILABLE", "CANCELLED", "IO", "INTERNAL")
_NOTHING_WRITTEN = ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")


@dataclass(frozen=True)
class Report:
    """What a run did."""

    found: int
    """rows that the output had already"""
    written: int
    """rows that were added"""
    left: int
    """rows that failed of something that may pass; the next run tries them again"""


@dataclass(frozen=True)
class Resume:
    """Runs a job in chunks, each appended as a Spark job of its own; a later run does only what the output lacks.

    Every row needs a key that no other row has; the output then has each key once, also where an earlier run was killed at any point,
    if one run at a time writes it. Rows that failed of something that may pass are not written and so tried again; other errors are
    final and are written as they are. The same as ``io.kindling.spark.Resume``, on
    Spark Connect too.

    >>> replies = Resume("id", path="/data/replies", details="d", attempts=3)  # doctest: +SKIP
    >>> replies.run(tickets, lambda rows: rows.withColumn("d", onnx.generate_details("smollm2", "text")))  # doctest: +SKIP
    """

    key: str
    """column that names rows, in the input and in the output"""
    path: Optional[str] = None
    """folder to append files to; this or ``table``"""
    table: Optional[str] = None
    """table of the catalog to append to; the first run makes it"""
    format: str = "parquet"
    """of the files"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """of the format, for writing and for reading back"""
    chunks: int = 16
    """in how many parts an input is done; what a stopped run loses is at most one of them"""
    details: Optional[str] = None
    """struct column of the result with the field ``error_code``, by which rows are tried again"""
    attempts: int = 1
    """most tries of a row in one run"""

    def __post_init__(self) -> None:
        if (self.path is None) == (self.table is None):
            raise ValueError("give a path or a table for the output")
        if self.chunks < 1 or self.attempts < 1:
            raise ValueError(f"chunks is {self.chunks} and attempts {self.attempts}, expected 1 or more")

    def run(self, rows: DataFrame, job: Callable[[DataFrame], DataFrame]) -> Report:
        """Does the rows that the output lacks.

        :param job: makes results of rows; what it returns has the key column
        :raises ValueError: for keys that are NULL or not unique
        """
        self._check_keys(rows)
        self._set_tasks_apart(rows.sparkSession)
        before = self._count(rows.sparkSession)
        for _ in range(self.attempts):
            todo = self._pending(rows).select(self._chunk()).distinct().collect()
            if not todo:
                break
            for row in todo:
                self._append(self._finished(job(self._pending(rows).where(self._chunk() == row[0]))))
        return Report(before, self._count(rows.sparkSession) - before, self._pending(rows).count())

    @staticmethod
    def _set_tasks_apart(spark: SparkSession) -> None:
        """Lets Hadoop's committer publish no ended tasks of a killed application, which all have attempt 0; as Java's ``OwnTasks``."""
        if spark.conf.get(_ATTEMPT, None) is None:
            spark.conf.set(_ATTEMPT, str(random.randrange(1, 2**31 - 1)))

    def _check_keys(self, rows: DataFrame) -> None:
        counts = rows.groupBy(self._key().alias(_DONE)).count()
        bad = counts.where(sql.col(_DONE).isNull() | (sql.col("count") > 1)).first()
        if bad is not None and bad[0] is None:
            raise ValueError(f"key column '{self.key}' has NULLs; every row needs a key")
        if bad is not None:
            raise ValueError(f"key '{bad[0]}' of column '{self.key}' names {bad[1]} rows; every row needs a key of its own")

    def _key(self) -> Column:
        """As text, since some formats know nothing else."""
        return sql.col(self.key).cast("string")

    def _chunk(self) -> Column:
        return sql.pmod(sql.xxhash64(self._key()), sql.lit(self.chunks)).alias(_CHUNK)

    def _pending(self, rows: DataFrame) -> DataFrame:
        done = self._done(rows.sparkSession)
        return rows if done is None else rows.join(done, self._key() == sql.col(_DONE), "left_anti")

    def _done(self, spark: SparkSession) -> Optional[DataFrame]:
        """The keys that the output has; nothing before the first chunk."""
        reader = spark.read.options(**self.options)
        if self.table is not None:
            written = reader.table(self.table) if spark.catalog.tableExists(self.table) else None
        else:
            try:
                written = reader.format(self.format).load(self.path)
                written = written if written.columns else None
            except AnalysisException as error:
                if not any(condition in str(error) for condition in _NOTHING_WRITTEN):
                    raise
                written = None
        return None if written is None else written.select(self._key().alias(_DONE))

    def _count(self, spark: SparkSession) -> int:
        done = self._done(spark)
        return 0 if done is None else done.count()

    def _finished(self, results: DataFrame) -> DataFrame:
        """Without the rows that are to be tried again."""
        if self.details is None:
            return results
        passing = sql.col(self.details).getField("error_code").isin(*_MAY_PASS)
        return results.where(~sql.coalesce(passing, sql.lit(False)))

    def _append(self, results: DataFrame) -> None:
        if self.table is None:
            self._writer(results).format(self.format).save(self.path)
            return
        if not results.sparkSession.catalog.tableExists(self.table):
            # Spark makes no table of a folder that has files, as a run that is killed while it makes one with rows leaves it.
            self._writer(results.limit(0)).saveAsTable(self.table)
        self._writer(results).saveAsTable(self.table)

    def _writer(self, results: DataFrame) -> DataFrameWriter:
        return results.write.options(**self.options).mode("append")
