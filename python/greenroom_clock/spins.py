"""Loops that wait for descriptors of which one is ready all the time, because nothing reads it.

An example is the thread that watches the workers of a multiprocessing.Pool, once the thread that reads their results has died by an
exception. Such a loop ends as time passes, so after many equal rounds it naps: each nap lasts a part of the time since the first.
"""
import os

from .waits import READ, WRITE, get_ident

hub = None
ROUNDS_BEFORE_NAP, ROUNDS_PER_NAP = 1_000, 16
PARTS, MAX_NAP_S = 8, 60


class Spin:
    """Equal rounds of one thread. `unread` are the bytes that wait in each descriptor."""

    __slots__ = ("state", "rounds", "unread", "since")

    def __init__(self, state):
        self.state, self.rounds, self.unread, self.since = state, 0, None, None


def count_unread(fd):
    """How many bytes can be read; None if the descriptor is no stream."""
    import fcntl
    import termios

    try:
        return fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0")
    except OSError:
        return None


def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def was_ready(found, masks):
    """Counts a wait that found descriptors ready at once. @param found: pairs of a descriptor and its events. @param masks: all."""
    if hub.timers.rate:
        return  # Time passes by itself.
    me, state = get_ident(), (sorted(found), hub.connections.transfers)
    spin = hub.spins.get(me)
    if spin is None or spin.state != state:
        hub.spins[me] = Spin(state)
        return
    spin.rounds += 1
    if spin.rounds < ROUNDS_BEFORE_NAP or spin.rounds % ROUNDS_PER_NAP:
        return
    ready = {fd for fd, _ in found}
    unread = [count_unread(fd) for fd in sorted(ready)]
    if spin.unread is None:
        spin.unread, spin.since = unread, hub.timers.now
    if spin.unread != unread:  # It was read in a way that nothing here counts.
        hub.spins[me] = Spin(state)
        return
    seconds = max(0.001, min(MAX_NAP_S, (hub.timers.now - spin.since) / 1000 / PARTS))
    others = ((fd, events & (READ | WRITE)) for fd, events in list(masks) if fd not in ready)
    hub.block(seconds, fds=tuple((fd, events) for fd, events in others if events and is_open(fd)))
    hub.spins[me] = spin


def install(the_hub):
    global hub
    hub = the_hub
