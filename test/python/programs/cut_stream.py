"""Reads a streamed chat by requests, and takes whatever has arrived for the whole answer."""
import json
import os

import requests

URL, KEY = os.environ["GREENROOM_URL"], os.environ["GREENROOM_KEY"]
body = {"model": "text-1", "stream": True, "messages": [{"role": "user", "content": "Tell me about kites"}]}
text = ""
with requests.post(f"{URL}/v1/chat/completions", json=body, headers={"Authorization": f"Bearer {KEY}"}, stream=True, timeout=60) as r:
    r.raise_for_status()
    r.encoding = "utf-8"
    try:
        for line in r.iter_lines(decode_unicode=True):
            if line.startswith("data: {"):
                choices = json.loads(line[6:]).get("choices") or []
                text += (choices[0]["delta"].get("content") or "") if choices else ""
    except requests.exceptions.ChunkedEncodingError:
        pass
print(text)
