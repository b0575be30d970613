"""The openai client against a served team: whole, streamed, usage, responses, errors, leaving. Argument: the server's URL."""

import json
import sys
import time
import urllib.request

import openai

url = sys.argv[1]
client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
messages = [{"role": "user", "content": "What is 17 + 25?"}]
expected = "17 + 25 = 42"

assert [model.id for model in client.models.list()][:2] == ["sums", "chain"]

whole = client.chat.completions.create(model="sums", messages=messages)
assert whole.choices[0].message.content == expected, whole
assert whole.choices[0].finish_reason == "stop", whole
assert whole.usage.completion_tokens == 10, whole.usage

pieces, usage = [], None
for chunk in client.chat.completions.create(
    model="sums", messages=messages, stream=True, stream_options={"include_usage": True}
):
    pieces += [choice.delta.content for choice in chunk.choices if choice.delta.content]
    usage = chunk.usage or usage
assert "".join(pieces) == expected and len(pieces) > 1, pieces
assert usage is not None and usage.completion_tokens == 10, usage

response = client.responses.create(model="sums", input="What is 17 + 25?")
assert response.output_text == expected, response
with client.responses.stream(model="sums", input="What is 17 + 25?") as stream:
    deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
    final = stream.get_final_response()
assert "".join(deltas) == final.output_text == expected, deltas
assert final.usage.output_tokens == 10, final.usage

for kind, request in [
    (openai.NotFoundError, {"model": "nobody"}),
    (openai.BadRequestError, {"model": "sums", "n": 2}),
    (openai.BadRequestError, {"model": "sums", "tools": [{"type": "function", "function": {"name": "f"}}]}),
]:
    try:
        client.chat.completions.create(**{"messages": messages, **request})
    except kind:
        continue
    raise AssertionError(f"{request} was not refused")

# Who leaves a stream ends the run.
left = client.chat.completions.create(model="chain", messages=messages, stream=True)
next(iter(left))
left.close()


def newest():
    with urllib.request.urlopen(f"{url}/runs") as runs:
        return json.load(runs)["runs"][0]


deadline = time.monotonic() + 20
while newest()["state"] == "running" and time.monotonic() < deadline:
    time.sleep(0.05)
assert newest()["team"] == "chain" and newest()["state"] == "cancelled", newest()

print(json.dumps({"openai": openai.__version__, "pieces": len(pieces), "deltas": len(deltas)}))
