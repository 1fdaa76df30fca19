"""Equal workers take their jobs from one queue: which one gets a job is a race."""
import json
import multiprocessing
import os
import time
from urllib.request import Request, urlopen


def ask(number):
    time.sleep(number)
    headers = {"Authorization": "Bearer " + os.environ["GREENROOM_KEY"], "Content-Type": "application/json"}
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": f"Count to {number}"}]}
    url = os.environ["GREENROOM_URL"] + "/v1/chat/completions"
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=60) as response:
        return bool(json.load(response)["choices"])


if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool:
        print(all(pool.map(ask, range(1, 7), chunksize=1)))
