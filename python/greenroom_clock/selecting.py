"""select, poll, epoll and kqueue: waits for one of several descriptors. Event loops are built on them."""
import select

from . import spins
from .poller import real_epoll, real_kqueue
from .waits import READ, WRITE, real_poll

hub = None
real_select = select.select
ALL = select.POLLIN | select.POLLPRI | select.POLLOUT


def number(fd):
    return fd if isinstance(fd, int) else fd.fileno()


def wait_for(fds, seconds):
    """Waits for any (descriptor, events). Without time, only connections need a wait: data may be on its way."""
    if seconds == 0 and not any(fd in hub.connections.open for fd, _ in fds):
        return
    hub.block(seconds, fds=tuple(fds))


def to_masks(read, write, error):
    """The events of each descriptor in the lists of select."""
    masks = {}
    for each, events in ((read, READ), (write, WRITE), (error, select.POLLPRI)):
        for one in each:
            fd = number(one)
            masks[fd] = masks.get(fd, 0) | events
    return masks


def new_select(read, write, error, timeout=None):
    if timeout is not None and timeout < 0:
        raise ValueError("timeout must be non-negative")
    read, write, error = list(read), list(write), list(error)
    found = real_select(read, write, error, 0)
    if timeout == 0 or any(found):
        hub.poll_failed()
    if any(found):
        if timeout != 0:
            spins.was_ready(list(to_masks(*found).items()), to_masks(read, write, error).items())
        return found
    masks = to_masks(read, write, error)
    wait_for(masks.items(), timeout)
    return real_select(read, write, error, 0)


class Poll:
    """select.poll"""

    def __init__(self):
        self._poll, self._masks = real_poll(), {}

    def register(self, fd, eventmask=ALL):
        self._poll.register(fd, eventmask)
        self._masks[number(fd)] = eventmask

    def modify(self, fd, eventmask):
        self._poll.modify(fd, eventmask)
        self._masks[number(fd)] = eventmask

    def unregister(self, fd):
        self._poll.unregister(fd)
        self._masks.pop(number(fd), None)

    def poll(self, timeout=None):
        found = self._poll.poll(0)
        if found or timeout == 0:
            hub.poll_failed()
        if found:
            if timeout != 0:
                spins.was_ready(found, self._masks.items())
            return found
        wait_for(self._masks.items(), None if timeout is None or timeout < 0 else timeout / 1000)
        return self._poll.poll(0)


class _Loop:
    """What epoll and kqueue share: the hub waits for their own descriptor."""

    def __init__(self, real):
        self._real, self._masks = real, {}

    def _wait(self, seconds):
        hub.block(seconds, fds=((self._real.fileno(), READ),), masks=self._masks)

    def fileno(self):
        return self._real.fileno()

    @property
    def closed(self):
        return self._real.closed

    def close(self):
        self._real.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Epoll(_Loop):
    """select.epoll"""

    def __init__(self, sizehint=-1, flags=0):
        super().__init__(real_epoll(sizehint, flags))

    @classmethod
    def fromfd(cls, fd):
        made = cls.__new__(cls)
        _Loop.__init__(made, real_epoll.fromfd(fd))
        return made

    def register(self, fd, eventmask=ALL):
        self._real.register(fd, eventmask)
        self._masks[number(fd)] = eventmask

    def modify(self, fd, eventmask):
        self._real.modify(fd, eventmask)
        self._masks[number(fd)] = eventmask

    def unregister(self, fd):
        self._masks.pop(number(fd), None)
        self._real.unregister(fd)

    def poll(self, timeout=None, maxevents=-1):
        found = self._real.poll(0, maxevents)
        if found or timeout == 0:
            hub.poll_failed()
            if timeout != 0:
                spins.was_ready(found, self._masks.items())
            return found
        self._wait(None if timeout is None or timeout < 0 else timeout)
        return self._real.poll(0, maxevents)


class Kqueue(_Loop):
    """select.kqueue"""

    def __init__(self):
        super().__init__(real_kqueue())

    @classmethod
    def fromfd(cls, fd):
        made = cls.__new__(cls)
        _Loop.__init__(made, real_kqueue.fromfd(fd))
        return made

    def control(self, changelist, max_events, timeout=None):
        changes = None if changelist is None else list(changelist)
        for each in changes or ():
            events = WRITE if each.filter == select.KQ_FILTER_WRITE else READ if each.filter == select.KQ_FILTER_READ else 0
            before = self._masks.get(each.ident, 0)
            self._masks[each.ident] = before & ~events if each.flags & select.KQ_EV_DELETE else before | events
        found = self._real.control(changes, max_events, 0)
        if found or max_events == 0:
            return found
        if timeout == 0:
            hub.poll_failed()
            return found
        self._wait(timeout)
        return self._real.control(None, max_events, 0)


def patch_selectors(module):
    """Selectors round up to a whole millisecond. Sums of floats would often be a millisecond too long."""
    for name in ("EpollSelector", "PollSelector", "DevpollSelector"):
        cls = getattr(module, name, None)
        if cls is not None and ("select" in vars(cls) or name == "PollSelector"):
            cls.select = without_rounding(cls.select)


def without_rounding(real):
    def new_selector_select(self, timeout=None):
        if timeout is not None and timeout > 0:
            timeout = (max(1, -int(-(timeout * 1000 - 1e-3) // 1)) - 0.5) / 1000
        return real(self, timeout)

    return new_selector_select


def install(the_hub):
    global hub
    hub = the_hub
    select.select, select.poll = new_select, Poll
    if real_epoll:
        select.epoll = Epoll
    if real_kqueue:
        select.kqueue = Kqueue
