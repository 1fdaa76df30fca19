"""The simulator for tests, which `greenroom run --virtual-timers -- python3 -m pytest` has started."""
import os

import pytest
import requests


@pytest.fixture
def gateway():
    gateway = Gateway(os.environ["GREENROOM_URL"], os.environ["GREENROOM_KEY"])
    before = gateway.violations()
    yield gateway
    assert gateway.mistakes(before) == []


class Gateway:
    def __init__(self, url, key):
        self.url, self.key = url, key
        self.control = f"{url}/_greenroom"

    def next(self, operation, **change):
        """Changes the next such request: next("video.poll", fault="hang")."""
        requests.post(f"{self.control}/next", json={"op": operation, **change}).raise_for_status()

    def violations(self):
        """How often each invariant was violated until now, in this test and earlier ones."""
        return {each["name"]: each["violations"] for each in self._invariants()}

    def mistakes(self, before):
        """What the client did wrong, by the invariants. `before`: the violations that were there already."""
        new = [each for each in self._invariants() if each["violations"] > before.get(each["name"], 0)]
        return [f"{each['name']}: {each['advice']} First: {each['first']['message']}" for each in new]

    def _invariants(self):
        return requests.get(f"{self.control}/verdict").json()["invariants"]
