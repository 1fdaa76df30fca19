"""The child processes of this one. Each takes part in the clock itself, or time waits until it ends."""
import os

from .waits import READ


class Children:
    """Running children by process id, each with a descriptor that becomes readable when the child ends."""

    def __init__(self, hub):
        self.hub, self.handles = hub, {}

    def forget(self):
        """A fork leaves the children to the parent."""
        for fd in self.handles.values():
            if fd >= 0:
                os.close(fd)

    def began(self, pid):
        """Time waits for this child from now on."""
        hub = self.hub
        if hub.is_over or pid <= 0:
            return
        try:
            # -PID where no descriptor can stand for a process: see the poller.
            fd = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -pid
            with hub.guard:
                hub.poller.register(fd, READ)
                self.handles[pid] = fd
        except OSError:
            pass  # It has ended, or the system is too old.

    def has(self, fd):
        return fd in self.handles.values()

    def ended(self, fd):
        hub = self.hub
        with hub.guard:
            for pid, each in list(self.handles.items()):
                if each == fd:
                    del self.handles[pid]
                    hub.poller.unregister(fd)
                    for wait, _ in list(hub.watched.waits.get(fd, ())):
                        hub.finish(wait)
                    hub.watched.waits.pop(fd, None)
                    if fd >= 0:
                        os.close(fd)
                    hub.mark += 1

    def wait_for(self, pid, seconds=None):
        """Waits for the end of a child. Returns False if the time has passed before."""
        self.hub.look()
        fd = self.handles.get(pid)
        return fd is None or not self.hub.block(seconds, fds=((fd, READ),))

    def wait_for_any(self):
        """Waits until one of the children that run now has ended."""
        before = len(self.handles)
        self.hub.look()
        if before and len(self.handles) == before:
            self.hub.block(fds=tuple((fd, READ) for fd in self.handles.values()))
