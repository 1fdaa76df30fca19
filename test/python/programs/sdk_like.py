"""Speaks as the SDKs of OpenAI and Anthropic do, by httpx: retries with jitter, time-outs, and streams of events."""
import email.utils
import json
import random
import time

import httpx


class APIError(Exception):
    """An error that may pass: of a connection, in a stream, or of a gateway that has no time."""


class Refused(Exception):
    """A refusal that stays the same, such as 401."""


class Client:
    def __init__(self, base_url, headers, max_retries=2):
        timeout = httpx.Timeout(600, connect=5)
        self.http = httpx.Client(base_url=base_url, headers=headers, timeout=timeout)
        self.max_retries = max_retries

    def post(self, path, body, stream=False):
        for left in range(self.max_retries, -1, -1):
            request = self.http.build_request("POST", path, json=body)
            try:
                response = self.http.send(request, stream=stream)
            except httpx.TransportError as error:
                if left == 0:
                    raise APIError(str(error)) from error
                self.sleep(left, None)
                continue
            if response.is_success:
                return response
            response.read()
            can_pass = response.status_code in (408, 409, 429) or response.status_code >= 500
            if left == 0 or not can_pass:
                raise (APIError if can_pass else Refused)(f"{response.status_code} {response.text[:200]}")
            self.sleep(left, response)

    def sleep(self, left, response):
        after = self.retry_after(response) if response is not None else None
        if after is not None and 0 < after <= 60:
            return time.sleep(after)
        delay = min(0.5 * 2 ** (self.max_retries - left), 8)
        time.sleep(delay * (1 - 0.25 * random.random()))

    def retry_after(self, response):
        text = response.headers.get("retry-after")
        if text is None:
            return None
        try:
            return float(text)
        except ValueError:
            return email.utils.mktime_tz(email.utils.parsedate_tz(text)) - time.time()

    def events(self, path, body):
        """The events of a stream, as pairs of name and data."""
        response = self.post(path, {**body, "stream": True}, stream=True)
        try:
            name, data = None, []
            for line in response.iter_lines():
                line = line.rstrip("\n")
                if line.startswith("event:"):
                    name = line[6:].strip()
                elif line.startswith("data:"):
                    data.append(line[5:].strip())
                elif line == "" and data:
                    text = "\n".join(data)
                    if text == "[DONE]":
                        return
                    value = json.loads(text)
                    if isinstance(value, dict) and value.get("error"):
                        raise APIError(str(value["error"]))
                    yield name, value
                    name, data = None, []
        except httpx.TransportError as error:
            raise APIError(str(error)) from error
        finally:
            response.close()


def patiently(attempt, times=4):
    """Tries again when a stream breaks off, and waits longer each time."""
    for count in range(1, times + 1):
        try:
            return attempt()
        except (APIError, ValueError):
            if count == times:
                raise
            time.sleep(2**count)
