import json
import os
import time
import traceback

import requests

gateway_url = os.environ.get("GREENROOM_URL", "http://127.0.0.1:4646")
model = "sim-text-1"
session = requests.Session()
session.headers["Authorization"] = "Bearer sk-greenroom"
question = {"role": "user", "content": "What is the weather in Oslo?"}
tools = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]


def post(path, body, **options):
    return session.post(gateway_url + path, json=body, timeout=30, **options)


def chat(content, **fields):
    body = {"model": model, "messages": [{"role": "user", "content": content}], **fields}
    return post("/v1/chat/completions", body, stream=fields.get("stream", False))


def read_stream(response):
    text = ""
    for line in response.iter_lines():
        if line.startswith(b"data: {"):
            choices = json.loads(line[6:])["choices"]
            text += choices[0]["delta"].get("content") or "" if choices else ""
    return text


def plain():
    response = chat("Why do kites fly?")
    response.raise_for_status()
    assert "kite" in response.json()["choices"][0]["message"]["content"].lower()


def streamed():
    whole = chat("Why do kites fly?").json()["choices"][0]["message"]["content"]
    assert read_stream(chat("Why do kites fly?", stream=True)) == whole


def tools_and_the_turn_after():
    body = {"model": model, "messages": [question], "tools": tools}
    message = post("/v1/chat/completions", body).json()["choices"][0]["message"]
    call = message["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
    result = {"role": "tool", "tool_call_id": call["id"], "content": '{"degrees":17}'}
    second = post("/v1/chat/completions", {**body, "messages": [question, message, result]}).json()
    assert "17" in second["choices"][0]["message"]["content"]


def structured_output():
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
        "required": ["name", "age"],
        "additionalProperties": False,
    }
    response_format = {"type": "json_schema", "json_schema": {"name": "person", "strict": True, "schema": schema}}
    answer = chat("Tell me about Ada", response_format=response_format).json()
    person = json.loads(answer["choices"][0]["message"]["content"])
    assert isinstance(person["name"], str) and (person["age"] is None or isinstance(person["age"], int))


def abort():
    response = chat("[[tokens 4000]] Why?", stream=True)
    next(response.iter_lines())
    response.close()
    for _ in range(50):
        entries = session.get(gateway_url + "/_greenroom/journal?operation=chat.complete&last=1", timeout=30).json()
        if entries[0]["outcome"] == "aborted":
            return
        time.sleep(0.1)
    raise AssertionError("The journal has no aborted request")


def error_class():
    for headers, content, status in (({"Authorization": "Bearer wrong"}, "Hello", 401), ({}, "[[error 429]]", 429)):
        body = {"model": model, "messages": [{"role": "user", "content": content}]}
        try:
            post("/v1/chat/completions", body, headers=headers).raise_for_status()
            raise AssertionError("The request was not refused")
        except requests.HTTPError as error:
            assert error.response.status_code == status
            assert error.response.json()["error"]["message"]


def embeddings():
    texts = ["A red fox runs in the snow.", "The red fox ran in deep snow.", "Quarterly tax report"]
    data = post("/v1/embeddings", {"model": "sim-embedding-1", "input": texts}).json()["data"]
    first, similar, other = (item["embedding"] for item in data)
    product = lambda one, two: sum(a * b for a, b in zip(one, two))
    assert abs(product(first, first) - 1) < 1e-3
    assert product(first, similar) > product(first, other)


def video():
    body = {"model": "video-1", "prompt": "a red kite", "size": "320x240", "duration": 1}
    task = post("/v1/video/generations", body).json()["task_id"]
    post("/_greenroom/clock/advance", {"by": "10m"}).raise_for_status()
    assert session.get(f"{gateway_url}/v1/videos/{task}", timeout=30).json()["status"] == "completed"
    content = session.get(f"{gateway_url}/v1/videos/{task}/content", timeout=60).content
    assert content[4:8] == b"ftyp"


steps = [plain, streamed, tools_and_the_turn_after, structured_output, abort, error_class, embeddings, video]
failed = False
for step in steps:
    line = {"step": step.__name__.replace("_", " ")}
    try:
        step()
    except Exception:
        failed = True
        line["error"] = traceback.format_exc()
    print(json.dumps(line), flush=True)
raise SystemExit(1 if failed else 0)
