"""Runs a program in the virtual time of greenroom: python3 virtual_time.py client.py, or python3 virtual_time.py -m module

Written from docs/reference/clock-protocol.md. For programs of one thread that use time.sleep, time.time, time.monotonic and blocking
sockets without TLS, as http.client, urllib and requests do. datetime.now() stays real.
"""
import json
import os
import random
import runpy
import select
import socket
import sys
import time
from urllib.parse import urlsplit

RealSocket, real_monotonic = socket.socket, time.monotonic
ENDED, CLOSED, PAUSED, EXPECTS = 1, 2, 4, 8


class Clock:
    """The connection to the clock. All waits of the program go through it."""

    def __init__(self, url, token=None, namespace=None):
        place = urlsplit(url)
        self.rest = b""
        self.connections = []
        self.set, self.clear = [], []
        self.mark = self.timers = self.requests = self.reads = 0
        self.link = socket.create_connection((place.hostname, place.port or 80))
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = [f"CONNECT {place.path.rstrip('/')}/_greenroom/clock/agent HTTP/1.1", f"Host: {place.netloc}"]
        head += [f"Authorization: Bearer {token}"] if token else []
        head += [f"X-Greenroom-Namespace: {namespace}"] if namespace else []
        self.link.sendall("\r\n".join([*head, "", ""]).encode())
        status = self.read_until(b"\r\n\r\n").decode().splitlines()[0]
        if " 200 " not in status:
            raise ConnectionError(f"{url} refuses this process: {status}")
        self.name = " ".join(sys.argv)
        self.send({"hello": 1, "pid": os.getpid(), "parent": os.getppid(), "name": self.name, "thread": 0})
        self.seed = self.receive()["seed"]

    def send(self, line):
        self.link.sendall(json.dumps(line).encode() + b"\n")

    def read_until(self, end):
        while end not in self.rest:
            received = self.link.recv(65536)
            if not received:
                raise ConnectionError("the simulator has ended")
            self.rest += received
        found, self.rest = self.rest.split(end, 1)
        return found

    def receive(self):
        """Handles the next message of the server."""
        message = json.loads(self.read_until(b"\n"))
        if "error" in message:
            raise ConnectionError(message["error"])
        self.seen, self.now, self.rate = message["n"], message["now"], message["rate"]
        self.heard = real_monotonic()
        return message

    def time(self):
        self.reads += 1
        if self.rate == 0 and self.reads % 1000 == 0:
            self.now += 1  # A loop that waits for a later time must end.
        return self.now / 1000 + self.rate * (real_monotonic() - self.heard)

    def wait(self, seconds=None, connection=None):
        """Waits until the seconds have passed. Returns True if something arrived on the connection before."""
        if connection is not None and select.select([connection], [], [], 0)[0]:
            return True  # This is no wait, so time must not move, such as when the end is read once more.
        timer = None
        if seconds is not None:
            self.timers += 1
            timer = self.timers
            self.set.append([timer, max(0, round(seconds * 1000))])
        self.mark += 1  # The program did something before it came here.
        sources = [self.link] if connection is None else [connection, self.link]
        while True:
            self.state(connection)
            ready = [self.link] if b"\n" in self.rest else select.select(sources, [], [])[0]
            if connection in ready:
                if timer is not None:
                    self.clear.append(timer)
                return True
            fired = self.receive().get("fire")
            if fired is not None and fired == timer:
                return False

    def state(self, connection):
        """Says that this process can do nothing more."""
        listed = [each.describe(each is connection) for each in self.connections]
        self.connections = [each for each in self.connections if each.fileno() >= 0]
        self.send(
            {"seen": self.seen, "mark": self.mark, "set": self.set, "clear": self.clear, "connections": listed}
        )
        self.set, self.clear = [], []


class CountedSocket(RealSocket):
    """A connection that counts its bytes, and waits for them on the clock."""

    def connect(self, address):
        super().connect(address)
        host, port = self.getpeername()[:2]
        self.ports = self.getsockname()[1], port if host == clock.link.getpeername()[0] else 0
        self.received = self.sent = self.order = self.ended = 0
        clock.connections.append(self)

    def sendall(self, data, *flags):
        super().sendall(data, *flags)
        self.sent += memoryview(data).nbytes
        clock.requests += 1
        self.order = clock.requests

    def recv_into(self, buffer, *rest):
        if not clock.wait(self.gettimeout(), self):
            raise TimeoutError("timed out")
        count = super().recv_into(buffer, *rest)
        self.received += count
        self.ended = ENDED if count == 0 else 0
        return count

    def describe(self, expects):
        # A program that sleeps, or waits for another connection, reads no more of this one, such as the body of an error.
        flags = self.ended + (CLOSED if self.fileno() < 0 else EXPECTS if expects else PAUSED)
        return [*self.ports, self.received, self.sent, flags, self.order]


def install(url, token=None, namespace=None):
    global clock
    clock = Clock(url, token, namespace)
    start = clock.now / 1000
    socket.socket = CountedSocket
    time.sleep = clock.wait
    time.time = clock.time
    time.monotonic = time.perf_counter = lambda: clock.time() - start
    random.seed(f"{clock.seed} {clock.name}")


if __name__ == "__main__":
    del sys.argv[0]
    is_module = sys.argv[0] == "-m"
    if is_module:
        del sys.argv[0]
    sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.abspath(sys.argv[0]))
    environment = os.environ.get
    install(environment("GREENROOM_URL"), environment("GREENROOM_CONTROL_TOKEN"), environment("GREENROOM_NAMESPACE"))
    if is_module:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")
