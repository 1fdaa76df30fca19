"""Pipes that this process reads: the output of children, and its own standard input."""
import os
import sys

from .waits import READ, ready_now

hub = None


def new_pipe_class():
    """A class that waits on the clock before it reads. `io` is imported only when it is needed."""
    import io

    class Pipe(io.FileIO):
        """The end of a pipe that this process reads."""

        def _wait(self):
            hub.connections.transfers += 1
            fd = self.fileno()
            if not ready_now(fd, READ) and os.get_blocking(fd):
                hub.block(fds=((fd, READ),))

        def readinto(self, buffer):
            self._wait()
            return super().readinto(buffer)

        def read(self, size=-1):
            if size is None or size < 0:
                return self.readall()
            self._wait()
            return super().read(size)

        def readall(self):
            parts = []
            while True:
                self._wait()
                part = super().read(65536)
                if not part:
                    return b"".join(parts) if parts or part is not None else None
                parts.append(part)

    return Pipe


def replace_stdin():
    """Standard input, if it is a pipe: jobs may arrive there one by one."""
    import stat

    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return
    if sys.stdin is None or not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return
    import io

    old = sys.stdin
    buffer = io.BufferedReader(new_pipe_class()(0, "rb", closefd=False))
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(buffer, old.encoding, old.errors, line_buffering=old.line_buffering)


def install(the_hub):
    global hub
    hub = the_hub
    replace_stdin()
