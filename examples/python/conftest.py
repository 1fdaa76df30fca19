"""Starts greenroom once, on a free port, and gives each test a gateway of its own."""
import contextlib
import fcntl
import os
import re
import signal
import subprocess

import pytest
import requests

GREENROOM = os.environ.get("GREENROOM", "npx greenroom").split()


@pytest.fixture(scope="session")
def server():
    command = [*GREENROOM, "serve", "--port", "0", "--clock", "auto", "--quality", "fast", "--log", "silent"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        yield process.stdout.readline().strip()  # its URL, once it is ready
        os.killpg(process.pid, signal.SIGTERM)  # npx does not pass a signal on, so all of its group gets it


@pytest.fixture
def gateway(server, request):
    gateway = Gateway(server, re.sub(r"\W", "-", request.node.name))
    yield gateway
    assert gateway.mistakes() == []


class Gateway:
    """A namespace, with a clock, tasks and a journal of its own."""

    def __init__(self, server, namespace):
        self.url = f"{server}/ns/{namespace}"
        self.control = f"{self.url}/_greenroom"

    def sleep(self, seconds):
        requests.post(f"{self.control}/clock/sleep", json={"for": seconds * 1000}).raise_for_status()

    @contextlib.contextmanager
    def deadline(self, seconds):
        """Raises TimeoutError in its block when the time has passed. In the main thread, on Linux and macOS."""
        body = {"for": seconds * 1000}
        with requests.post(f"{self.control}/clock/deadline", json=body, stream=True) as opened:
            signal.signal(signal.SIGIO, raise_timeout)
            fcntl.fcntl(opened.raw, fcntl.F_SETOWN, os.getpid())
            fcntl.fcntl(opened.raw, fcntl.F_SETFL, fcntl.fcntl(opened.raw, fcntl.F_GETFL) | os.O_ASYNC)
            yield

    def next(self, operation, **change):
        """Changes the next such request: next("video.poll", fault="hang")."""
        requests.post(f"{self.control}/next", json={"op": operation, **change}).raise_for_status()

    def mistakes(self):
        """What the client did wrong, by the invariants."""
        verdict = requests.get(f"{self.control}/verdict").json()
        return [each["first"]["message"] for each in verdict["invariants"] if each["verdict"] == "fail"]

    def now(self):
        """The virtual time, in seconds."""
        return requests.get(f"{self.control}/clock").json()["now"] / 1000


def raise_timeout(*_):
    raise TimeoutError
