"""The TCP connections of this process: how many bytes it has read and written, and what it waits for."""
import _socket
from _weakref import ref

from .places import find_place

ENDED, CLOSED, PAUSED, EXPECTS = 1, 2, 4, 8  # The flags of the protocol.
INET = (_socket.AF_INET, _socket.AF_INET6)
native = _socket.socket


class Connection:
    """One connection. `order` is the number of its latest request, and `place` the line of the program that sent it."""

    __slots__ = ("local", "remote", "read", "written", "written_at_read", "is_ended", "is_open", "order", "owner", "place")

    def __init__(self, order):
        self.read = self.written = self.written_at_read = 0
        self.is_ended = self.is_open = False
        self.order, self.place = order, None


def is_loopback(host):
    return host.startswith("127.") or host == "::1" or host.startswith("::ffff:127.")


class Connections:
    """All connections, by descriptor. `transfers` grows with each read and write, also of other descriptors."""

    def __init__(self, hub):
        self.hub, self.open, self.closed, self.count, self.transfers = hub, {}, [], 0, 0

    def forget(self):
        """A fork leaves the connections to the parent."""
        self.open, self.closed = {}, []

    def add(self, sock):
        if sock.family not in INET or sock.type & 0xF != _socket.SOCK_STREAM:
            return
        fd = native.fileno(sock)
        if fd in self.open:
            self.drop(fd)
        self.count += 1
        self.transfers += 1
        made = self.open[fd] = Connection(self.count)

        def collect(_):
            if self.open.get(fd) is made and made.owner is not None:
                self.drop(fd)

        made.owner = ref(sock, collect)
        self._find_ports(made, sock)

    def _find_ports(self, made, sock):
        try:
            peer = native.getpeername(sock)
            made.local = native.getsockname(sock)[1]
        except OSError:
            return False
        link = self.hub.link
        is_near = link and (peer[0] == link.host or is_loopback(peer[0]) and is_loopback(link.host))
        made.remote, made.is_open = peer[1] if is_near else 0, True
        return True

    def drop(self, fd):
        made = self.open.pop(fd, None)
        if made is not None and made.is_open:
            self.closed.append(made)

    def list(self):
        """The connections for a statement, and whether one is about to open. Closed ones are listed once."""
        direct, behind = self.hub.reading()
        parts, is_connecting = [], False
        for fd, made in list(self.open.items()):
            if not made.is_open:
                sock = made.owner and made.owner()
                if sock is None or not self._find_ports(made, sock):
                    is_connecting |= fd in self.hub.watched.waits or fd in behind
                    continue
            flags = ENDED if made.is_ended else 0
            if fd in direct:
                flags |= EXPECTS
            elif fd in behind:
                flags |= EXPECTS if made.written > made.written_at_read else 0
            else:
                flags |= PAUSED
            parts.append(describe(made, flags))
        parts.extend(describe(made, ENDED | CLOSED) for made in self.closed)
        self.closed = []
        return ",".join(parts), is_connecting

    def was_sent(self, fd, count):
        self.transfers += 1
        made = self.open.get(fd)
        if made is not None and count:
            if made.written == made.written_at_read:
                self.count += 1
                made.order, made.place = self.count, find_place() or made.place
            made.written += count

    def was_read(self, fd, count):
        self.transfers += 1
        made = self.open.get(fd)
        if made is not None:
            made.read += count
            made.written_at_read = made.written
            if count == 0:
                made.is_ended = True

    def has_failed(self, fd):
        """A read has raised an error: nothing more arrives."""
        made = self.open.get(fd)
        if made is not None:
            made.is_ended = True


def describe(made, flags):
    place = f",{made.place}" if made.place else ""
    return f"[{made.local},{made.remote},{made.read},{made.written},{flags},{made.order}{place}]"
