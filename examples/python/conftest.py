"""The simulator for tests, which `greenroom run --virtual-timers -- python3 -m pytest` has started."""
import os

import pytest
import requests


@pytest.fixture
def gateway():
    gateway = Gateway(os.environ["GREENROOM_URL"], os.environ["GREENROOM_KEY"])
    yield gateway
    assert gateway.mistakes() == []


class Gateway:
    def __init__(self, url, key):
        self.url, self.key = url, key
        self.control = f"{url}/_greenroom"

    def next(self, operation, **change):
        """Changes the next such request: next("video.poll", fault="hang")."""
        requests.post(f"{self.control}/next", json={"op": operation, **change}).raise_for_status()

    def mistakes(self):
        """What the client did wrong, by the invariants."""
        verdict = requests.get(f"{self.control}/verdict").json()
        return [each["first"]["message"] for each in verdict["invariants"] if each["verdict"] == "fail"]
