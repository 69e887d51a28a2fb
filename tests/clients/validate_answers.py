"""Validates the answers of a server against OpenAI's API description: validate_answers.py ADDRESS [OPENAPI.json].

Without a file, openai_answers.json is used, which was written from that description. Exit status 0 if every answer is
valid.
"""
import json
import pathlib
import sys
import urllib.error
import urllib.request

import jsonschema

address = sys.argv[1]
source = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "openai_answers.json"
document = json.loads(source.read_text())


def nullable(schema):
    """OpenAI's file still uses "nullable", which current JSON Schema no longer has."""
    if isinstance(schema, list):
        return [nullable(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: nullable(value) for name, value in schema.items()}
    return {"anyOf": [inner, {"type": "null"}]} if schema.get("nullable") is True else inner


document = {"components": {"schemas": nullable(document["components"]["schemas"])}}
schemas = document["components"]["schemas"]
wrong, checked = [], 0


def validator(name):
    return jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": document["components"]})


def check(name, answer, what):
    global checked
    checked += 1
    for error in validator(name).iter_errors(answer):
        deep = min(error.context, key=lambda one: len(one.context or ()), default=error)
        wrong.append(f"{what}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]} ({deep.message[:200]})")


def events():
    """Schemas of stream events by their type."""
    found = {}
    for name, schema in schemas.items():
        kind = schema.get("properties", {}).get("type", {})
        for value in kind.get("enum", [kind["const"]] if "const" in kind else []):
            if isinstance(value, str) and value.startswith("response.") and "sequence_number" in schema.get("required", []):
                found[value] = name
    return found


def ask(path, body=None):
    request = urllib.request.Request(address + path, headers={"Authorization": "Bearer secret"})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def stream(path, body):
    for line in ask(path, body | {"stream": True}).splitlines():
        if line.startswith("data: ") and line != "data: [DONE]":
            yield json.loads(line[6:])


tool = {"name": "weather", "parameters": {"type": "object", "properties": {"place": {"enum": ["Oslo"]}}, "required": ["place"]}}
chat = {"model": "pilot", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 24}
chats = {
    "plain": {},
    "logprobs": {"logprobs": True, "top_logprobs": 2},
    "two": {"n": 2},
    "tools": {"tools": [{"type": "function", "function": tool}], "tool_choice": "required", "max_tokens": 60},
}
responses = {
    "plain": {},
    "tools": {"tools": [{"type": "function", **tool, "strict": True}], "tool_choice": "required", "max_output_tokens": 60},
}
check("ListModelsResponse", json.loads(ask("/v1/models")), "models")
check("Model", json.loads(ask("/v1/models/pilot")), "model")
for what, more in chats.items():
    check("CreateChatCompletionResponse", json.loads(ask("/v1/chat/completions", chat | more)), f"chat {what}")
    for chunk in stream("/v1/chat/completions", chat | more | {"stream_options": {"include_usage": True}}):
        check("CreateChatCompletionStreamResponse", chunk, f"chat {what} streamed")
for more in ({}, {"logprobs": 2}, {"echo": True}):
    check("CreateCompletionResponse", json.loads(ask("/v1/completions", {"prompt": "Once", "max_tokens": 6} | more)), "completion")
check("CreateEmbeddingResponse", json.loads(ask("/v1/embeddings", {"input": ["a", "b"]})), "embeddings")
known = events()
for what, more in responses.items():
    body = {"model": "pilot", "input": "Hello", "max_output_tokens": 12} | more
    check("Response", json.loads(ask("/v1/responses", body)), f"response {what}")
    for event in stream("/v1/responses", body):
        check(known[event["type"]], event, event["type"])
for path, body in (("/v1/chat/completions", {"messages": []}), ("/v1/responses", {"previous_response_id": "a", "input": "b"}), ("/nothing", None)):
    check("ErrorResponse", json.loads(ask(path, body)), f"error of {path}")
for line in sorted(set(wrong)):
    print(line)
print(f"{checked} answers and events against {source.name}: {len(wrong)} do not fit")
sys.exit(1 if wrong else 0)
