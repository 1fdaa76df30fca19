"""What a thread waits with, and the functions of the system that the rest of this package needs unchanged."""
import _thread
import os
import select
import sys
import time

real_sleep, real_monotonic, real_poll, real_read = time.sleep, time.monotonic, select.poll, os.read
start_thread, new_lock, get_ident = _thread.start_new_thread, _thread.allocate_lock, _thread.get_ident
READ, WRITE = select.POLLIN, select.POLLOUT
IS_LINUX = sys.platform == "linux"


class Wait:
    """A wait of one thread.

    `gate` stops the thread. `timer` is the id of its timer, which is due at `due`. `fds` are pairs of a descriptor and its
    events. `masks` are the descriptors behind an event loop, with their events. `retry` ends the wait if it returns True; it is
    called at each message of the simulator.
    """

    __slots__ = ("gate", "ident", "is_over", "is_chosen", "has_passed", "is_cancelled", "timer", "due", "fds", "masks", "retry")

    def __init__(self):
        self.gate = new_lock()
        self.gate.acquire()
        self.ident = get_ident()
        self.is_over = self.is_chosen = self.has_passed = self.is_cancelled = False
        self.timer = self.due = self.masks = self.retry = None
        self.fds = ()


class Alarm:
    """A timer that calls a function, instead of ending a wait."""

    __slots__ = ("call", "timer", "due")

    def __init__(self, call):
        self.call, self.timer, self.due = call, None, None


def ready_now(fd, events):
    """Whether a descriptor has one of the events already."""
    poll = real_poll()
    poll.register(fd, events)
    return bool(poll.poll(0))
