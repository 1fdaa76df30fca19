"""Asks twice at a time, as a program with the package of Anthropic and a pool of threads would."""
import os
from concurrent.futures import ThreadPoolExecutor

from sdk_like import APIError, Client, patiently

headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
client = Client(os.environ["ANTHROPIC_BASE_URL"], headers)


def stream(question):
    body = {"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": [{"role": "user", "content": question}]}
    text, reason, is_over = "", None, False
    for name, event in client.events("/v1/messages", body):
        if name == "content_block_delta":
            text += event["delta"].get("text", "")
        elif name == "message_delta":
            reason = event["delta"].get("stop_reason") or reason
        is_over |= name == "message_stop"
    if not is_over:
        raise APIError("the stream ended before the answer did")
    if reason != "end_turn":
        raise SystemExit(f"the answer is incomplete: {reason}")
    return text


with ThreadPoolExecutor(2) as pool:
    questions = ["Tell me about kites", "And about boats?"]
    print(" | ".join(pool.map(lambda question: patiently(lambda: stream(question)), questions)))
