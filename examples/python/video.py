"""A client of the gateway: submit, poll, download. Tests replace its two notions of time."""
import contextlib
import time

import requests


def no_deadline(seconds):
    return contextlib.nullcontext()


def make_video(prompt, url, key="sk-test", sleep=time.sleep, deadline=no_deadline, timeout=30):
    """Returns the bytes of the video. Tries a request again that took longer than the timeout."""
    headers = {"Authorization": f"Bearer {key}"}

    def send(method, path, **request):
        for tries in (3, 2, 1):
            try:
                with deadline(timeout):
                    response = requests.request(method, url + path, headers=headers, timeout=timeout, **request)
                    response.raise_for_status()
                    return response
            except (TimeoutError, requests.Timeout):
                if tries == 1:
                    raise
            sleep(5)

    body = {"model": "video-1", "prompt": prompt, "duration": 1, "size": "128x96"}
    task = send("POST", "/v1/video/generations", json=body).json()["task_id"]
    while True:
        sleep(5)
        video = send("GET", f"/v1/video/generations/{task}").json()["data"]
        if video["status"] == "FAILURE":
            raise RuntimeError(video["fail_reason"])
        if video["status"] == "SUCCESS":
            return send("GET", f"/v1/videos/{task}/content").content
