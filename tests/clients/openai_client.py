"""Tests a server with OpenAI's Python client: openai_client.py ADDRESS. Exit status 0 if everything works."""
import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="secret", max_retries=0)
ASK = [{"role": "user", "content": "What is the capital of France?"}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "string", "enum": ["Oslo", "Rome"]}},
            "required": ["place"],
        },
    },
}
done = 0


def case(function):
    global done
    function()
    done += 1
    return function


@case
def models():
    assert [one.id for one in client.models.list()] == ["pilot"]
    assert client.models.retrieve("pilot").id == "pilot"


@case
def chat():
    reply = client.chat.completions.create(model="pilot", messages=ASK, max_tokens=8)
    assert reply.choices[0].message.role == "assistant" and reply.choices[0].message.content
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert reply.system_fingerprint


@case
def chat_stream():
    whole = client.chat.completions.create(model="pilot", messages=ASK, max_tokens=8)
    text, usage = "", None
    for chunk in client.chat.completions.create(
        model="pilot", messages=ASK, max_tokens=8, stream=True, stream_options={"include_usage": True}
    ):
        if chunk.choices:
            text += chunk.choices[0].delta.content or ""
        usage = chunk.usage or usage
    assert text == whole.choices[0].message.content
    assert usage.completion_tokens == whole.usage.completion_tokens
    assert usage.prompt_tokens_details.cached_tokens == usage.prompt_tokens - 1


@case
def logprobs():
    reply = client.chat.completions.create(model="pilot", messages=ASK, max_tokens=4, logprobs=True, top_logprobs=3)
    content = reply.choices[0].logprobs.content
    assert "".join(one.token for one in content).strip() == reply.choices[0].message.content.strip()
    assert all(len(one.top_logprobs) == 3 and one.logprob <= 0 for one in content)


@case
def completion():
    reply = client.completions.create(model="pilot", prompt=["Once upon a time", "The sea"], max_tokens=6, n=2)
    assert [one.index for one in reply.choices] == [0, 1, 2, 3]
    streamed = client.completions.create(model="pilot", prompt="Once upon a time", max_tokens=6, stream=True)
    assert "".join(one.choices[0].text for one in streamed) == reply.choices[0].text


@case
def schema():
    form = {
        "type": "json_schema",
        "json_schema": {
            "name": "n",
            "schema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}},
                "required": ["n"],
            },
        },
    }
    reply = client.chat.completions.create(model="pilot", messages=ASK, max_tokens=60, response_format=form)
    assert 1 <= json.loads(reply.choices[0].message.content)["n"] <= 9


@case
def tools():
    reply = client.chat.completions.create(
        model="pilot", messages=ASK, max_tokens=80, tools=[WEATHER], tool_choice="required"
    )
    call = reply.choices[0].message.tool_calls[0]
    assert call.function.name == "weather" and json.loads(call.function.arguments)["place"] in ("Oslo", "Rome")
    history = ASK + [
        reply.choices[0].message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": call.id, "content": "rain"},
    ]
    assert client.chat.completions.create(model="pilot", messages=history, tools=[WEATHER], tool_choice="none").choices
    pieces = ""
    for chunk in client.chat.completions.create(
        model="pilot", messages=ASK, max_tokens=80, tools=[WEATHER], stream=True,
        tool_choice={"type": "function", "function": {"name": "weather"}},
    ):
        for one in (chunk.choices[0].delta.tool_calls or []) if chunk.choices else []:
            pieces += one.function.arguments or ""
    assert json.loads(pieces) == json.loads(call.function.arguments)


@case
def responses():
    whole = client.responses.create(model="pilot", input=ASK, max_output_tokens=8)
    assert whole.id.startswith("resp_") and whole.output[0].id.startswith("msg_") and whole.output_text
    text = ""
    for event in client.responses.create(model="pilot", input=ASK, max_output_tokens=8, stream=True):
        if event.type == "response.output_text.delta":
            text += event.delta
    assert text == whole.output_text == event.response.output_text
    after = client.responses.create(model="pilot", input="And then?", previous_response_id=whole.id, max_output_tokens=8)
    assert after.previous_response_id == whole.id and after.usage.input_tokens > whole.usage.input_tokens
    assert client.responses.retrieve(whole.id).output_text == whole.output_text
    client.responses.delete(whole.id)
    try:
        client.responses.create(model="pilot", input="And then?", previous_response_id=whole.id)
        raise AssertionError("a response that was deleted was gone on from")
    except openai.BadRequestError as problem:
        assert problem.code == "previous_response_not_found"
    flat = {"type": "function", **WEATHER["function"]}
    called = client.responses.create(model="pilot", input=ASK, tools=[flat], tool_choice="required", max_output_tokens=80)
    call = called.output[0]
    assert call.type == "function_call" and json.loads(call.arguments)["place"] in ("Oslo", "Rome")
    answer = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    assert client.responses.create(model="pilot", input=[*ASK, call.model_dump(), answer], max_output_tokens=8).output


@case
def embeddings():
    plain = client.embeddings.create(model="pilot", input=["a house", "the sea"], encoding_format="float").data
    packed = client.embeddings.create(model="pilot", input=["a house", "the sea"]).data  # base64 by itself
    for a, b in zip(plain, packed):
        assert abs(sum(x * x for x in a.embedding) - 1) < 1e-4
        assert max(abs(x - y) for x, y in zip(a.embedding, b.embedding)) < 1e-6


def refused(kind, **arguments):
    try:
        client.chat.completions.create(**({"model": "pilot", "messages": ASK} | arguments))
    except kind as problem:
        assert problem.body["message"] and "type" in problem.body
        return
    raise AssertionError(f"{arguments} was not refused")


@case
def errors():
    refused(openai.BadRequestError, temperature=9)
    refused(openai.BadRequestError, messages=[])
    refused(openai.BadRequestError, extra_body={"mirostat": 2})
    refused(openai.NotFoundError, model="other")
    try:
        openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="wrong", max_retries=0).models.list()
    except openai.AuthenticationError:
        return
    raise AssertionError("a wrong key was taken")


print(f"openai {openai.__version__}: {done} cases")
