"""A client of the gateway to copy: submit, poll, download. Tests replace its two notions of time."""
import contextlib
import hashlib
import time
from email.utils import parsedate_to_datetime

import requests


def no_deadline(seconds):
    return contextlib.nullcontext()


class Refused(Exception):
    """The gateway refused a request. 429 and 5xx may pass; 401 or 404 stay the same."""

    def __init__(self, response):
        super().__init__(f"the gateway returned {response.status_code}")
        self.is_temporary = response.status_code == 429 or response.status_code >= 500
        after, sent = response.headers.get("Retry-After", "0"), response.headers.get("Date")
        self.retry_after = int(after) if after.isdigit() else seconds_between(sent, after)


def seconds_between(start, end):
    return (parsedate_to_datetime(end) - parsedate_to_datetime(start)).total_seconds()


def make_video(prompt, url, key="sk-test", sleep=time.sleep, deadline=no_deadline, timeout=30, patience=600):
    """Returns the bytes of the video. Raises an error if it takes longer than the patience, in seconds."""
    headers = {"Authorization": f"Bearer {key}"}
    waited = 0

    def wait(seconds):
        nonlocal waited
        waited += seconds
        if waited > patience:
            raise TimeoutError(f"gave up after {patience} s")
        sleep(seconds)

    def send(method, path, **request):
        with deadline(timeout):
            response = requests.request(method, url + path, headers=headers, timeout=timeout, **request)
        if not response.ok:
            raise Refused(response)
        return response

    def retry(attempt, can_retry=lambda error: getattr(error, "is_temporary", True)):
        """Waits longer after each failure, and at least as long as Retry-After says."""
        for failures in range(1, 6):
            try:
                return attempt()
            except (Refused, requests.RequestException, TimeoutError) as error:
                if failures == 5 or not can_retry(error):
                    raise
                wait(max(1.25 * 2**failures, getattr(error, "retry_after", 0)))

    # Submits again only what was refused. A response that got lost may stand for a task that you pay for.
    body = {"model": "video-1", "prompt": prompt, "duration": 1, "size": "128x96"}
    task = retry(
        lambda: send("POST", "/v1/video/generations", json=body).json()["task_id"],
        lambda error: getattr(error, "is_temporary", False),
    )

    while True:
        wait(5)
        video = retry(lambda: send("GET", f"/v1/video/generations/{task}").json()["data"])
        if video["status"] == "FAILURE":
            raise RuntimeError(video.get("fail_reason") or "the video failed without a reason")
        if video["status"] == "SUCCESS":
            return retry(lambda: whole(send("GET", f"/v1/videos/{task}/content")))


def whole(response):
    """Verifies a download: its entity tag is its SHA-256."""
    digest = response.headers.get("ETag", "").strip('"')
    if response.content[4:8] != b"ftyp" or digest not in ("", hashlib.sha256(response.content).hexdigest()):
        raise requests.exceptions.ContentDecodingError("the video arrived damaged")
    return response.content
