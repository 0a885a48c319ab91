"""Conversations to render chat templates over: each exercises something that real templates ask about."""

WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "Looks up the weather.\nFor \"one\" place & time.", "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city, e.g. Zürich"},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
            "days": {"type": ["integer", "null"], "description": "How many days", "minimum": 1},
            "detail": {"type": "object", "properties": {"wind": {"type": "boolean"}, "range": {"type": "array", "items": {"type": "number"}}},
                       "required": ["wind"]}},
        "required": ["city"]}, "return": {"type": "string", "description": "A report"}}}
CLOCK = {"type": "function", "function": {
    "name": "clock", "description": "What time is it?", "parameters": {"type": "object", "properties": {}}}}
BARE = {"name": "add", "description": "Adds <numbers>.", "parameters": {"type": "object", "properties": {
    "a": {"type": "number"}, "b": {"anyOf": [{"type": "number"}, {"type": "string"}]}}, "required": ["a", "b"]}}

SYSTEM = {"role": "system", "content": "You are brief.\n"}
USER = {"role": "user", "content": "  What's the \"weather\" in Zürich? 🌦️ <b>&</b>\n"}
ANSWER = {"role": "assistant", "content": "It is sunny.\n"}
THINKING = {"role": "assistant", "content": "<think>\nLet me see.\n</think>\n\nSunny, I think."}
REASONING = {"role": "assistant", "content": "Sunny.", "reasoning_content": "The sky is blue.\n"}
MORE = {"role": "user", "content": "And tomorrow?"}
CALL = {"role": "assistant", "content": None, "tool_calls": [
    {"type": "function", "id": "call12345", "function": {"name": "get_weather", "arguments": {"city": "Zürich", "days": 2, "unit": None, "detail": {"wind": True}}}}]}
TEXT_CALL = {"role": "assistant", "content": "Let me look.", "tool_calls": [
    {"type": "function", "id": "call12345", "function": {"name": "get_weather", "arguments": "{\"city\": \"Zürich\"}"}}]}
TWO_CALLS = {"role": "assistant", "content": "", "tool_calls": [
    {"type": "function", "id": "abcdefgh1", "function": {"name": "get_weather", "arguments": {"city": "Bern"}}},
    {"type": "function", "id": "abcdefgh2", "function": {"name": "clock", "arguments": {}}}]}
RESULT = {"role": "tool", "tool_call_id": "call12345", "name": "get_weather", "content": "{\"sky\": \"clear\", \"degrees\": 21.5}"}
DICT_RESULT = {"role": "tool", "tool_call_id": "call12345", "name": "get_weather", "content": {"sky": "clear", "degrees": 21.5}}
RESULTS = [{"role": "tool", "tool_call_id": "abcdefgh1", "name": "get_weather", "content": "rain"},
           {"role": "tool", "tool_call_id": "abcdefgh2", "name": "clock", "content": [{"type": "text", "text": "12:00"}]}]
PARTS = {"role": "user", "content": [{"type": "text", "text": "Look: "}, {"type": "image"}, {"type": "text", "text": "what is it?"}]}
MEDIA = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x.png"}}, {"type": "video", "video": "v.mp4"}, {"type": "audio"}]}
TEXT_PARTS = {"role": "assistant", "content": [{"type": "text", "text": "A cat.\n"}]}
SYSTEM_PARTS = {"role": "system", "content": [{"type": "text", "text": "Be kind."}]}
DOCUMENTS = [{"title": "One", "text": "First text."}, {"title": "Two", "text": "Second \"text\"."}]

# Names for messages; what else the template sees. "now" is added by the reference.
CONVERSATIONS = {
    "user": ([USER], {"add_generation_prompt": True}),
    "no prompt": ([USER], {}),
    "system": ([SYSTEM, USER], {"add_generation_prompt": True}),
    "turns": ([SYSTEM, USER, ANSWER, MORE], {"add_generation_prompt": True}),
    "ends with answer": ([USER, ANSWER, MORE, ANSWER], {"add_generation_prompt": False}),
    "thinking": ([SYSTEM, USER, THINKING, MORE, THINKING], {"add_generation_prompt": True, "enable_thinking": True, "thinking": True}),
    "no thinking": ([USER, THINKING, MORE], {"add_generation_prompt": True, "enable_thinking": False, "thinking": False}),
    "reasoning": ([USER, REASONING, MORE, REASONING], {"add_generation_prompt": False, "reasoning_effort": "high"}),
    "tools": ([SYSTEM, USER], {"add_generation_prompt": True, "tools": [WEATHER, CLOCK]}),
    "tools without system": ([USER], {"add_generation_prompt": True, "tools": [WEATHER, CLOCK], "builtin_tools": ["wolfram_alpha"]}),
    "bare tools": ([SYSTEM, USER], {"add_generation_prompt": True, "tools": [BARE]}),
    "tool call": ([SYSTEM, USER, CALL, RESULT], {"add_generation_prompt": True, "tools": [WEATHER]}),
    "tool call as text": ([USER, TEXT_CALL, RESULT, ANSWER, MORE], {"add_generation_prompt": True, "tools": [WEATHER]}),
    "two calls": ([SYSTEM, USER, TWO_CALLS, *RESULTS, ANSWER], {"add_generation_prompt": False, "tools": [WEATHER, CLOCK]}),
    "call with reasoning": ([USER, {**CALL, "content": "", "reasoning_content": "I need a tool."}, RESULT, REASONING, MORE],
                            {"add_generation_prompt": True, "tools": [WEATHER], "enable_thinking": True}),
    "result as data": ([USER, CALL, DICT_RESULT], {"add_generation_prompt": True, "tools": [WEATHER], "parallel_tool_calls": False}),
    "parts": ([SYSTEM_PARTS, PARTS, TEXT_PARTS, MEDIA], {"add_generation_prompt": True}),
    "text parts": ([USER, TEXT_PARTS, MORE], {"add_generation_prompt": True, "tools": None}),
    "documents": ([SYSTEM, USER], {"add_generation_prompt": True, "documents": DOCUMENTS, "citation_mode": "fast", "date_string": "26 Jul 2024"}),
    "wrong order": ([ANSWER, USER, USER, SYSTEM], {"add_generation_prompt": True}),
    "unknown role": ([USER, {"role": "critic", "content": "Hm."}], {"add_generation_prompt": True}),
    "without content": ([USER, {"role": "assistant"}, MORE], {"add_generation_prompt": True}),
    "empty": ([], {"add_generation_prompt": True}),
    "developer": ([{"role": "developer", "content": "Answer in verse."}, USER, ANSWER, MORE],
                  {"add_generation_prompt": True, "model_identity": "You are Poet.", "tools_in_user_message": False}),
    "empty texts": ([{"role": "system", "content": ""}, {"role": "user", "content": ""}, {"role": "assistant", "content": ""}],
                    {"add_generation_prompt": True}),
}
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


def cases():
    """Name and variables of each conversation."""
    for name, (messages, others) in CONVERSATIONS.items():
        yield name, {**TOKENS, "messages": messages, **others}
