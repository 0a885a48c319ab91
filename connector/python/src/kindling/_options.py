"""The options by name and type, for type checkers and editors. Made from the declarations in the code by PythonOptionsTest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, Union

from pyspark.sql import Column


class Options(TypedDict, total=False):
    """What each means: docs/options.md."""

    kernels: Union[Literal["auto", "native", "java"], Column, None]
    precision: Union[Literal["exact", "balanced", "fast"], Column, None]
    device: Union[str, Column, None]
    path: Union[Literal["auto", "dense", "ragged"], Column, None]
    threads: Union[int, Column, None]
    optimize: Union[Literal["all", "none"], Column, None]
    disabled_passes: Union[str, Sequence[str], Column, None]
    random_seed: Union[int, str, Column, None]
    max_batch: Union[int, Column, None]
    max_step_tokens: Union[int, Column, None]
    kv_budget_bytes: Union[int, str, Column, None]
    memory_kv: Union[int, str, Column, None]
    prefix_cache: Union[bool, Literal["true", "false"], Column, None]
    deduplicate: Union[bool, Literal["true", "false"], Column, None]
    decode_inline: Union[bool, Literal["true", "false"], Column, None]

    max_new_tokens: Union[int, Column, None]
    temperature: Union[float, Column, None]
    top_k: Union[int, Column, None]
    top_p: Union[float, Column, None]
    min_p: Union[float, Column, None]
    repetition_penalty: Union[float, Column, None]
    seed: Union[int, str, Column, None]
    stop_strings: Union[str, Sequence[str], Column, None]
    stop: Union[str, Sequence[str], Column, None]
    ignore_eos: Union[bool, Literal["true", "false"], Column, None]
    response_format: Union[str, Mapping[str, object], Column, None]
    on_overflow: Union[Literal["error", "truncate_left", "truncate_right"], Column, None]

    pooling: Union[Literal["auto", "mean", "cls", "last_token", "max"], Column, None]
    normalize: Union[bool, Literal["auto", "true", "false"], Column, None]
    max_tokens: Union[int, Column, None]

    chat: Union[bool, Literal["true", "false"], Column, None]
    system: Union[str, Column, None]
    chat_template: Union[str, Column, None]
    add_generation_prompt: Union[bool, Literal["true", "false"], Column, None]
    continue_final_message: Union[bool, Literal["true", "false", "reasoning_content", "thinking", "reasoning"], Column, None]
    enable_thinking: Union[bool, Literal["auto", "true", "false"], Column, None]
    template_kwargs: Union[str, Mapping[str, object], Column, None]
    chat_template_kwargs: Union[str, Mapping[str, object], Column, None]
    tools: Union[str, Sequence[Mapping[str, object]], Column, None]
    documents: Union[str, Sequence[Mapping[str, object]], Column, None]
    special_tokens_in_text: Union[bool, Literal["true", "false"], Column, None]
    template_now: Union[str, Column, None]

    on_error: Union[Literal["null", "fail"], Column, None]
    max_error_fraction: Union[float, Column, None]
    distribution: Union[Literal["auto", "broadcast", "path", "files"], Column, None]
    cache_dir: Union[str, Column, None]
    cache_max_bytes: Union[int, str, Column, None]
    memory_total: Union[int, str, Column, None]
    idle_model_bytes: Union[int, str, Column, None]
    memory_idle: Union[int, str, Column, None]
    memory_idle_seconds: Union[int, Column, None]
    in_flight: Union[int, Column, None]
    warmup: Union[str, Sequence[str], Column, None]
