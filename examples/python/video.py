"""A client of the gateway to copy: submit, poll, download. It knows nothing of greenroom."""
import hashlib
import os
import time
from email.utils import parsedate_to_datetime

import requests


class Refused(Exception):
    """The gateway refused a request. 429 and 5xx may pass; 401 or 404 stay the same."""

    def __init__(self, response):
        super().__init__(f"the gateway returned {response.status_code}")
        self.is_temporary = response.status_code == 429 or response.status_code >= 500
        after, sent = response.headers.get("Retry-After", "0"), response.headers.get("Date")
        self.retry_after = int(after) if after.isdigit() else seconds_between(sent, after)


def seconds_between(start, end):
    return (parsedate_to_datetime(end) - parsedate_to_datetime(start)).total_seconds()


def send(method, url, key, timeout=30, **request):
    headers = {"Authorization": f"Bearer {key}"}
    response = requests.request(method, url, headers=headers, timeout=timeout, **request)
    if not response.ok:
        raise Refused(response)
    return response


def retry(attempt, can_retry=lambda error: getattr(error, "is_temporary", True), times=5):
    """Waits longer after each failure, and at least as long as Retry-After says."""
    for failures in range(1, times + 1):
        try:
            return attempt()
        except (Refused, requests.RequestException) as error:
            if failures == times or not can_retry(error):
                raise
            time.sleep(max(1.25 * 2**failures, getattr(error, "retry_after", 0)))


def submit(prompt, url, key):
    """Submits again only what was refused. A response that got lost may stand for a task that you pay for."""
    body = {"model": "video-1", "prompt": prompt, "duration": 1, "size": "128x96"}
    return retry(
        lambda: send("POST", f"{url}/v1/video/generations", key, json=body).json()["task_id"],
        lambda error: getattr(error, "is_temporary", False),
    )


def follow(task, url, key, timeout=30, patience=600):
    """Waits for the end of a task."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        time.sleep(5)
        poll = lambda: send("GET", f"{url}/v1/video/generations/{task}", key, timeout).json()["data"]
        video = retry(poll)
        if video["status"] == "FAILURE":
            raise RuntimeError(video.get("fail_reason") or "the video failed without a reason")
        if video["status"] == "SUCCESS":
            return
    raise TimeoutError(f"gave up after {patience} s")


def download(task, url, key):
    return retry(lambda: verify(send("GET", f"{url}/v1/videos/{task}/content", key)))


def verify(response):
    """Verifies a download: its entity tag is its SHA-256."""
    digest = response.headers.get("ETag", "").strip('"')
    if response.content[4:8] != b"ftyp" or digest not in ("", hashlib.sha256(response.content).hexdigest()):
        raise requests.exceptions.ContentDecodingError("the video arrived damaged")
    return response.content


def make_video(prompt, url, key, timeout=30):
    """Returns the bytes of the video."""
    task = submit(prompt, url, key)
    follow(task, url, key, timeout)
    return download(task, url, key)


if __name__ == "__main__":
    print(len(make_video("a red kite", os.environ["GREENROOM_URL"], os.environ["GREENROOM_KEY"])), "bytes")
