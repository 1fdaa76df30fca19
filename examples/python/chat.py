"""Reads a streamed chat to its end, and asks again if it breaks off."""
import json
import os
import time
from email.utils import parsedate_to_datetime

import requests

ATTEMPTS, TIMEOUT_S = 5, 30


class Temporary(Exception):
    """A failure that may pass. `after` is how long the gateway wants to be left alone, in seconds."""

    def __init__(self, reason, after=0):
        super().__init__(reason)
        self.after = after


def ask(question, url, key):
    """Returns the answer. Raises an error if it is incomplete."""
    for failures in range(1, ATTEMPTS + 1):
        try:
            return read_answer(question, url, key)
        except (Temporary, requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError, ValueError) as error:
            if failures == ATTEMPTS:
                raise
            time.sleep(max(1.25 * 2**failures, getattr(error, "after", 0)))


def read_answer(question, url, key):
    body = {"model": "sim-text-1", "stream": True, "messages": [{"role": "user", "content": question}]}
    headers = {"Authorization": f"Bearer {key}"}
    with requests.post(f"{url}/v1/chat/completions", json=body, headers=headers, stream=True, timeout=TIMEOUT_S) as response:
        if response.status_code == 429 or response.status_code >= 500:
            raise Temporary(f"the gateway returned {response.status_code}", seconds_to_wait(response))
        response.raise_for_status()
        text, reason = "", None
        for data in read_events(response):
            if data == b"[DONE]":
                break
            event = json.loads(data)
            if "error" in event:
                raise Temporary(event["error"]["message"])
            for choice in event.get("choices") or []:
                text += choice["delta"].get("content") or ""
                reason = choice.get("finish_reason") or reason
    if reason is None:
        raise Temporary("the stream ended before the answer did")
    if reason != "stop":
        raise RuntimeError(f"the answer is incomplete: {reason}")
    return text


def read_events(response):
    """The data of each event: its lines that begin with "data:", up to an empty one."""
    data = []
    for line in read_lines(response):
        if line.startswith(b"data:"):
            data.append(line[6:] if line[5:6] == b" " else line[5:])
        elif line == b"" and data:
            yield b"\n".join(data)
            data = []


def read_lines(response):
    """Lines that end with LF, CR LF, or CR. One that ends with CR waits for what follows, which may be the LF."""
    rest = b""
    for piece in response.iter_content(None):
        lines = (rest + piece).splitlines(keepends=True)
        rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
        for line in lines:
            yield line.rstrip(b"\r\n")
    yield rest.rstrip(b"\r\n")


def seconds_to_wait(response):
    after = response.headers.get("Retry-After", "0")
    if after.isdigit():
        return int(after)
    return (parsedate_to_datetime(after) - parsedate_to_datetime(response.headers["Date"])).total_seconds()


if __name__ == "__main__":
    print(ask("Why do kites fly?", os.environ["GREENROOM_URL"], os.environ["GREENROOM_KEY"]))
