"""Asks twice as a program with the package of OpenAI would: once streamed, once plain."""
import os

from sdk_like import APIError, Client, patiently

client = Client(os.environ["OPENAI_BASE_URL"], {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"})
model = "gpt-4o"


def stream():
    messages = [{"role": "user", "content": "Tell me about kites"}]
    text, reason = "", None
    for _, chunk in client.events("/chat/completions", {"model": model, "messages": messages}):
        for choice in chunk.get("choices") or []:
            text += choice["delta"].get("content") or ""
            reason = choice.get("finish_reason") or reason
    if reason is None:
        raise APIError("the stream ended before the answer did")
    if reason != "stop":
        raise SystemExit(f"the answer is incomplete: {reason}")
    return text


def ask():
    messages = [{"role": "user", "content": "And about boats?"}]
    choices = client.post("/chat/completions", {"model": model, "messages": messages}).json()["choices"]
    if not choices:
        raise APIError("the answer has no choice")
    choice = choices[0]
    if choice["finish_reason"] != "stop":
        raise SystemExit(f"the answer is incomplete: {choice['finish_reason']}")
    return choice["message"]["content"]


print(patiently(stream), "|", patiently(ask))
