"""Renders chat templates exactly as Hugging Face's transformers does: with its own environment, and a clock that stands still."""
import copy
import datetime
import functools

import jinja2
from transformers.utils.chat_template_utils import _compile_jinja_template

NOW = datetime.datetime(2024, 2, 9, 15, 4, 5)

# How Python shows its own objects has addresses in it, or says how jinja2 is built: no part of the language.
INTERNAL = ("object at 0x", "<bound method", "<built-in method", "<Macro", "<function", "<class", "<generator", "<jinja2.", " 0x7", " 0X7", "BlockReference")


ENVIRONMENT = _compile_jinja_template("").environment
ENVIRONMENT.globals["strftime_now"] = NOW.strftime
# transformers builds one environment a template; one for all of them is the same and much faster.
compiled = functools.lru_cache(ENVIRONMENT.from_string)


def render(template, variables):
    """{"rendered"}, or {"error", "line"?} whatever jinja2 or Python throw; None where the text shows Python's internals."""
    try:
        rendered = compiled(template).render(**copy.deepcopy(variables))  # some filters change lists
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        if isinstance(error, jinja2.exceptions.TemplateSyntaxError):
            answer["line"] = error.lineno
        return answer
    return None if any(mark in rendered for mark in INTERNAL) else {"rendered": rendered}
