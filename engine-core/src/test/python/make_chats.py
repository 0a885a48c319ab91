#!/usr/bin/env python3
"""Conversations over small packages, as `apply_chat_template` of Hugging Face's transformers renders and encodes them.

    $(python3 tools/pyenv.py transformers) engine-core/src/test/python/make_chats.py

writes src/test/resources/io/kindling/engine/text/chats.jsonl: lines {"package", "tokenizer", "files"} and then lines {"package",
"messages", "options"} with "rendered" and "ids", or with "error" where transformers refuses. Options have Kindling's names.
"""
import copy
import datetime
import json
import pathlib
import tempfile

from transformers import AutoTokenizer
from transformers.utils import chat_template_utils

RESOURCES = pathlib.Path(__file__).parents[1] / "resources/io/kindling/engine/text"
NOW = datetime.datetime(2024, 2, 9, 15, 4, 5)

CHAT = (
    "{{ bos_token }}{% for m in messages %}<|user|>{{ m.role }}\n{{ m.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|user|>assistant\n{% endif %}")
TRIMMED = CHAT.replace("m.content }}", "m.content | trim }}")
TOOLS = (
    "{% if tools is not none %}{{ tools | tojson }}\n{% else %}(no tools)\n{% endif %}{% if documents is defined and documents %}"
    "{% for d in documents %}[{{ d.title }}] {{ d.text }}\n{% endfor %}{% endif %}" + CHAT)
SPECIALS = (
    "{{ bos_token }}|{{ eos_token }}|{{ unk_token }}|{{ pad_token }}|{{ sep_token is defined }}|{{ image_token }}|{{ audio_token }}|"
    "{{ messages | length }}")
THINKING = (
    "{% for m in messages %}{{ m.role }}:{% if m.reasoning_content is defined %}<think>{{ m.reasoning_content }}</think>{% endif %}"
    "{% if m.thinking is defined %}({{ m.thinking }}){% endif %}{{ m.content if m.content is defined else 'absent' }}"
    "{% for c in m.tool_calls or [] %}<{{ c.function.name }} {{ c.function.arguments | tojson }}>{% endfor %}"
    "{% if m.role == 'tool' %}#{{ m.tool_call_id }}/{{ m.name }}{% endif %}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>{% endif %}"
    "{% endif %}{{ mood | default('calm') }}")
PARTS = (
    "{% for m in messages %}{{ m.role }}:{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}"
    "{% if p.type == 'text' %}{{ p.text }}{% else %}<{{ p.type }}>{% endif %}{% endfor %}{% endif %}<|end|>\n{% endfor %}")
DATED = "{{ strftime_now('%d %B %Y %H:%M') }} {{ messages[-1].content }}"
BAD = "{% if messages[0].role == 'system' %}{{ raise_exception('no system messages') }}{% endif %}\n{{ messages[0].content.missing.deeper }}"

CONFIG = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|begin|>", "eos_token": "<|end|>"}
PACKAGES = {
    "chat": ("bytelevel", {"tokenizer_config.json": {**CONFIG, "chat_template": CHAT}}),
    "trimmed": ("bytelevel", {"tokenizer_config.json": CONFIG, "chat_template.jinja": TRIMMED}),
    "fallback": ("bytefallback", {"tokenizer_config.json": {
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "chat_template": CHAT}}),
    "named": ("bytelevel", {"tokenizer_config.json": {**CONFIG, "chat_template": [
        {"name": "default", "template": CHAT}, {"name": "tool_use", "template": TOOLS}, {"name": "parts", "template": PARTS}]}}),
    "files": ("bytelevel", {
        "tokenizer_config.json": {**CONFIG, "chat_template": "not this one"}, "chat_template.jinja": TRIMMED,
        "additional_chat_templates/tool_use.jinja": TOOLS, "additional_chat_templates/dated.jinja": DATED}),
    "nodefault": ("bytelevel", {"tokenizer_config.json": CONFIG, "additional_chat_templates/one.jinja": CHAT, "additional_chat_templates/two.jinja": PARTS}),
    "one_tools": ("bytelevel", {"tokenizer_config.json": CONFIG, "chat_template.jinja": TOOLS}),
    "thinking": ("bytelevel", {"tokenizer_config.json": CONFIG, "chat_template.jinja": THINKING}),
    "parts": ("bytelevel", {"tokenizer_config.json": CONFIG, "chat_template.jinja": PARTS}),
    "bad": ("bytelevel", {"tokenizer_config.json": CONFIG, "chat_template.jinja": BAD}),
    "none": ("bytelevel", {"tokenizer_config.json": CONFIG}),
    "specials": ("bytelevel", {
        "tokenizer_config.json": {
            **CONFIG, "unk_token": {"__type": "AddedToken", "content": "<|user|>", "special": True}, "image_token": "<think>",
            "extra_special_tokens": {"audio_token": "</think>"}},
        "special_tokens_map.json": {"pad_token": {"content": "<|end|>"}, "eos_token": "<|user|>"}, "chat_template.jinja": SPECIALS}),
    "specials_listed": ("bytefallback", {
        "tokenizer_config.json": {**CONFIG, "added_tokens_decoder": {"1": {"content": "<s>", "special": True}}},
        "special_tokens_map.json": {"eos_token": "<|user|>", "bos_token": "<|user|>"}, "chat_template.jinja": SPECIALS}),
}


def user(content, **more):
    return {"role": "user", "content": content, **more}


def answer(content, **more):
    return {"role": "assistant", "content": content, **more}


TOOL = {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {
    "type": "object", "properties": {"a": {"type": "number"}, "é": {"type": "string"}}, "required": ["a"]}}}
TALK = [{"role": "system", "content": "Be brief."}, user("The keeper\u00e9 "), answer("  counted the ships  "), user("灯台守 👩‍👩‍👧")]
OPEN = [user("Name a ship."), answer("The ship is called  ")]
CALLS = [
    user("1 + 2?"),
    {"role": "assistant", "content": None, "reasoning_content": "add them", "tool_calls": [
        {"type": "function", "id": "c1", "function": {"name": "add", "arguments": {"b": 2.5, "a": [1, None, True], "é": "日本"}}}]},
    {"role": "tool", "tool_call_id": "c1", "name": "add", "content": "3"},
    answer("3", thinking="easy", extra={"z": 1, "a": 2}),
    answer("3", reasoning="easy"),
]
MANY = [user([{"type": "text", "text": "look "}, {"type": "image"}, {"type": "text", "text": " here "}])]

CASES = [
    *[(package, TALK, options) for package in ("chat", "trimmed", "fallback", "named", "files") for options in (
        {}, {"add_generation_prompt": False}, {"tools": [TOOL]}, {"documents": [{"title": "T", "text": "x"}], "tools": [TOOL]})],
    ("one_tools", TALK, {}), ("one_tools", TALK, {"tools": [TOOL, TOOL]}), ("one_tools", TALK, {"documents": [{"title": "T", "text": "é"}]}),
    ("named", MANY, {"chat_template": "parts"}), ("named", TALK, {"chat_template": "default", "tools": [TOOL]}),
    ("named", TALK, {"chat_template": "{{ messages[0].content }}{{ eos_token }}"}),
    ("chat", TALK, {"chat_template": "{{ messages | length }}"}),
    ("nodefault", TALK, {}), ("nodefault", TALK, {"chat_template": "one"}), ("nodefault", TALK, {"tools": [TOOL]}),
    ("none", TALK, {}), ("none", TALK, {"chat_template": CHAT}),
    ("files", TALK, {"chat_template": "dated", "template_now": NOW.isoformat()}),
    ("chat", [], {}), ("bad", TALK, {}), ("bad", [user("x")], {}), ("chat", TALK, {"chat_template": "{% if %}"}),
    ("thinking", CALLS, {}), ("thinking", CALLS, {"enable_thinking": False}), ("thinking", CALLS, {"enable_thinking": True}),
    ("thinking", CALLS, {"template_kwargs": {"mood": "gay", "enable_thinking": False}}),
    ("chat", TALK, {"template_kwargs": {"bos_token": "<|user|>"}}),
    ("specials", [user("x")], {}), ("specials_listed", [user("x")], {}), ("specials", [user("x")], {"template_kwargs": {"pad_token": "p"}}),
    ("parts", MANY, {}), ("chat", MANY, {}),
    *[(package, messages, {"continue_final_message": True}) for package in ("chat", "trimmed", "fallback", "parts") for messages in (
        OPEN, TALK, [user("Go."), answer("")], [user("Go."), answer(" \n ")], [user("Go."), answer("twice twice")],
        [user("Go."), answer("nbsp\u00a0\u0085")])],
    ("parts", MANY, {"continue_final_message": True}),
    ("parts", [user("a"), {"role": "assistant", "content": [{"type": "image"}]}], {"continue_final_message": True}),
    ("chat", [user("a"), {"role": "assistant", "content": None}], {"continue_final_message": True}),
    ("chat", [user("a"), {"role": "assistant"}], {"continue_final_message": True}),
    ("chat", OPEN, {"continue_final_message": "reasoning_content"}),
    ("thinking", CALLS[:1] + [answer("", reasoning_content="so far ")], {"continue_final_message": "reasoning_content"}),
    ("thinking", CALLS[:1] + [answer("", reasoning="so far")], {"continue_final_message": "reasoning"}),
    ("thinking", CALLS[:1] + [answer("x", thinking="so far")], {"continue_final_message": "thinking"}),
    ("chat", OPEN, {"continue_final_message": True, "chat_template": "{{ messages[0].content }}"}),
    ("chat", OPEN, {"continue_final_message": True, "chat_template": "{{ messages[-1].content | upper }}"}),
    ("chat", OPEN, {"continue_final_message": True, "chat_template": "{{ messages[-1].content }}{{ messages[-1].content }}"}),
    ("chat", OPEN, {"continue_final_message": True, "chat_template": "{{ messages[-1].content.strip() }} \n"}),
]


class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


def apply(tokenizer, messages, options):
    given = copy.deepcopy(options)
    variables = given.pop("template_kwargs", {})
    given.pop("template_now", None)  # the clock above
    given.setdefault("add_generation_prompt", not given.get("continue_final_message"))
    return tokenizer.apply_chat_template(copy.deepcopy(messages), **given, **variables, tokenize=False), tokenizer.apply_chat_template(
        copy.deepcopy(messages), **given, **variables, tokenize=True, return_dict=False)


def main():
    chat_template_utils.datetime = Clock
    tokenizers = {}
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, (tokenizer, files) in PACKAGES.items():
            files = {path: content if isinstance(content, str) else json.dumps(content) for path, content in files.items()}
            folder = pathlib.Path(scratch, name)
            folder.mkdir()
            (folder / "tokenizer.json").write_text((RESOURCES / f"{tokenizer}.json").read_text("utf-8"), "utf-8")
            for path, content in files.items():
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_text(content, "utf-8")
            tokenizers[name] = AutoTokenizer.from_pretrained(folder)
            lines.append({"package": name, "tokenizer": tokenizer, "files": files})
    for package, messages, options in CASES:
        line = {"package": package, "messages": messages, "options": options}
        try:
            line["rendered"], line["ids"] = apply(tokenizers[package], messages, options)
        except Exception as refused:  # whatever Python throws is a refusal
            line["error"] = f"{type(refused).__name__}: {refused}"[:100]
        lines.append(line)
    (RESOURCES / "chats.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    print(len(CASES), "cases,", sum("error" in line for line in lines), "errors")


if __name__ == "__main__":
    main()
