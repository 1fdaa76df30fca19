"""An asyncio client to copy: several videos at a time, by httpx."""
import asyncio
import hashlib
import os
from email.utils import parsedate_to_datetime

import httpx

TIMEOUT_S, PATIENCE_S, ATTEMPTS = 30, 600, 6


def seconds_to_wait(response):
    after = response.headers.get("Retry-After", "0")
    if after.isdigit():
        return int(after)
    return (parsedate_to_datetime(after) - parsedate_to_datetime(response.headers["Date"])).total_seconds()


async def send(client, method, path, parse, can_repeat=True, **request):
    """Sends a request, and again after what may pass. @param parse: reads the response, or raises a ValueError."""
    for failures in range(1, ATTEMPTS + 1):
        after = 0
        try:
            response = await asyncio.wait_for(client.request(method, path, **request), TIMEOUT_S)
            if response.is_success:
                return parse(response)
            if response.status_code != 429 and response.status_code < 500:
                response.raise_for_status()
            after = seconds_to_wait(response)
        except (httpx.TransportError, asyncio.TimeoutError, ValueError):
            if not can_repeat:
                raise
        await asyncio.sleep(max(1.25 * 2**failures, after))
    raise RuntimeError(f"{method} {path} failed {ATTEMPTS} times")


def verify(response):
    digest = response.headers.get("ETag", "").strip('"')
    if response.content[4:8] != b"ftyp" or digest not in ("", hashlib.sha256(response.content).hexdigest()):
        raise ValueError("the video arrived damaged")
    return response.content


async def make_video(client, prompt):
    body = {"model": "video-1", "prompt": prompt, "duration": 1, "size": "128x96"}
    # A response that got lost may stand for a task that you pay for.
    task = await send(client, "POST", "/v1/video/generations", lambda r: r.json()["task_id"], can_repeat=False, json=body)
    while True:
        await asyncio.sleep(5)
        video = await send(client, "GET", f"/v1/video/generations/{task}", lambda r: r.json()["data"])
        if video["status"] == "FAILURE":
            raise RuntimeError(video.get("fail_reason") or "the video failed without a reason")
        if video["status"] == "SUCCESS":
            return await send(client, "GET", f"/v1/videos/{task}/content", verify)


async def main(prompts):
    headers = {"Authorization": f"Bearer {os.environ['GREENROOM_KEY']}"}
    async with httpx.AsyncClient(base_url=os.environ["GREENROOM_URL"], headers=headers, timeout=TIMEOUT_S, follow_redirects=True) as client:
        made = [asyncio.wait_for(make_video(client, prompt), PATIENCE_S) for prompt in prompts]
        videos = await asyncio.gather(*made, return_exceptions=True)  # One that fails leaves the others.
    failed = [repr(video) for video in videos if not isinstance(video, bytes)]
    if failed:
        raise SystemExit("\n".join(failed))
    print([len(video) for video in videos], "bytes")


if __name__ == "__main__":
    asyncio.run(main(["a red kite", "a paper boat"]))
