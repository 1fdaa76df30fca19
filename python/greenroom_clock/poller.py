"""Lists ready descriptors in the order in which they became ready. The number -PID stands for the end of a child process."""
import select

from .waits import READ, WRITE

real_epoll, real_kqueue = getattr(select, "epoll", None), getattr(select, "kqueue", None)


class EpollPoller:
    """For Linux."""

    def __init__(self):
        self.epoll = real_epoll()
        self.register, self.modify, self.unregister = self.epoll.register, self.epoll.modify, self.epoll.unregister
        self.close = self.epoll.close

    def poll(self, seconds):
        return self.epoll.poll(-1 if seconds is None else seconds)


class KqueuePoller:
    """For macOS and BSD."""

    def __init__(self):
        self.queue, self.masks = real_kqueue(), {}
        self.close = self.queue.close

    def _change(self, fd, kind, flags, more=0):
        self.queue.control([select.kevent(abs(fd), kind, flags, more)], 0, 0)

    def register(self, fd, events):
        if fd in self.masks:
            raise FileExistsError
        if fd < 0:
            self._change(fd, select.KQ_FILTER_PROC, select.KQ_EV_ADD | select.KQ_EV_ONESHOT, select.KQ_NOTE_EXIT)
        else:
            if events & ~WRITE:
                self._change(fd, select.KQ_FILTER_READ, select.KQ_EV_ADD)
            if events & WRITE:
                self._change(fd, select.KQ_FILTER_WRITE, select.KQ_EV_ADD)
        self.masks[fd] = events

    def modify(self, fd, events):
        self.unregister(fd)
        self.register(fd, events)

    def unregister(self, fd):
        events = self.masks.pop(fd, 0)
        kinds = [select.KQ_FILTER_PROC] if fd < 0 else []
        if fd >= 0 and events & ~WRITE:
            kinds.append(select.KQ_FILTER_READ)
        if fd >= 0 and events & WRITE:
            kinds.append(select.KQ_FILTER_WRITE)
        for kind in kinds:
            try:
                self._change(fd, kind, select.KQ_EV_DELETE)
            except OSError:
                pass  # The descriptor was closed, or the process has ended: the kernel has dropped it.

    def poll(self, seconds):
        found = []
        for event in self.queue.control(None, 64, seconds):
            if event.filter == select.KQ_FILTER_PROC:
                found.append((-event.ident, READ))
            elif event.ident in self.masks:
                mask = WRITE if event.filter == select.KQ_FILTER_WRITE else READ
                found.append((event.ident, mask | (select.POLLHUP if event.flags & select.KQ_EV_EOF else 0)))
        return found


def is_supported():
    return bool(real_epoll or real_kqueue)


def new_poller():
    return EpollPoller() if real_epoll else KqueuePoller()


class Watched:
    """The waits for each descriptor."""

    def __init__(self, poller):
        self.poller, self.waits = poller, {}

    def add(self, wait, fds):
        """Watches descriptors for a wait. Returns False if one is always ready, as a regular file is."""
        wait.fds = fds
        for fd, events in fds:
            waits = self.waits.get(fd)
            if waits is None:
                self.waits[fd] = [(wait, events)]
                try:
                    self.poller.register(fd, events)
                except FileExistsError:
                    pass
                except PermissionError:
                    del self.waits[fd]
                    return False
                except BaseException:  # It is closed, and the program gets the error.
                    del self.waits[fd]
                    raise
            else:
                waits.append((wait, events))
                try:
                    self.poller.modify(fd, all_events(waits))
                except OSError:  # The descriptor was closed, and is another one now.
                    self.waits[fd] = [(wait, events)]
                    self.poller.register(fd, events)
        return True

    def remove(self, wait, keep):
        """Ends the watch of a wait. @param keep: the descriptors that stay registered, which are those of children."""
        for fd, _ in wait.fds:
            waits = [each for each in self.waits.get(fd, ()) if each[0] is not wait]
            try:
                if waits:
                    self.waits[fd] = waits
                    self.poller.modify(fd, all_events(waits))
                elif self.waits.pop(fd, None) is not None and fd not in keep:
                    self.poller.unregister(fd)
            except (OSError, ValueError):
                pass  # Closed meanwhile.
        wait.fds = ()

    def find(self, fd, mask):
        """The waits that an event ends."""
        return [wait for wait, wanted in self.waits.get(fd, ()) if mask & (wanted | ~(READ | WRITE))]


def all_events(waits):
    events = 0
    for _, each in waits:
        events |= each
    return events
