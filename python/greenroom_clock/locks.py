"""Locks and queues between threads, whose waits are on the clock."""
from _collections import deque

from .waits import get_ident, new_lock

hub = None


class Lock:
    """threading.Lock. Whoever releases it hands it to the thread that waits longest."""

    __slots__ = ("_held", "_waits", "__weakref__")

    def __init__(self):
        self._held, self._waits = new_lock(), None

    def acquire(self, blocking=True, timeout=-1):
        if timeout != -1 and not blocking:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if self._held.acquire(False):
            return True
        if not blocking or timeout == 0:
            hub.poll_failed()
            return False
        mine = []

        def prepare(wait):
            if self._held.acquire(False):
                return True
            mine.append(wait)
            if self._waits is None:
                self._waits = deque()
            self._waits.append(wait)
            return False

        try:
            has_passed = hub.block(None if timeout == -1 else timeout, prepare=prepare)
        except BaseException:
            if mine and not mine[0].is_cancelled and not mine[0].has_passed:
                self.release()  # It was handed over before the interrupt.
            raise
        if has_passed:
            with hub.guard:
                try:
                    self._waits.remove(mine[0])
                except ValueError:
                    pass
        return not has_passed

    def release(self):
        with hub.guard:
            while self._waits:
                if hub.finish(self._waits.popleft()):
                    return
            self._held.release()

    def locked(self):
        return self._held.locked()

    def _at_fork_reinit(self):
        self._held, self._waits = new_lock(), None

    acquire_lock, release_lock, locked_lock = acquire, release, locked

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()

    def __repr__(self):
        return f"<{'locked' if self.locked() else 'unlocked'} Lock at {id(self):#x}>"


class RLock:
    """threading.RLock"""

    __slots__ = ("_block", "_owner", "_count", "__weakref__")

    def __init__(self):
        self._block, self._owner, self._count = Lock(), None, 0

    def acquire(self, blocking=True, timeout=-1):
        me = get_ident()
        if self._owner == me:
            self._count += 1
            return True
        if not self._block.acquire(blocking, timeout):
            return False
        self._owner, self._count = me, 1
        return True

    __enter__ = acquire

    def release(self):
        if self._owner != get_ident():
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if not self._count:
            self._owner = None
            self._block.release()

    def __exit__(self, *_):
        self.release()

    def locked(self):
        return self._count > 0

    def _at_fork_reinit(self):
        self._block._at_fork_reinit()
        self._owner, self._count = None, 0

    def _acquire_restore(self, state):
        self._block.acquire()
        self._count, self._owner = state

    def _release_save(self):
        if self._count == 0:
            raise RuntimeError("cannot release un-acquired lock")
        state, self._count, self._owner = (self._count, self._owner), 0, None
        self._block.release()
        return state

    def _is_owned(self):
        return self._owner == get_ident()

    def _recursion_count(self):
        return self._count if self._is_owned() else 0

    def __repr__(self):
        return f"<{'locked' if self._count else 'unlocked'} RLock owner={self._owner} count={self._count} at {id(self):#x}>"


class SimpleQueue:
    """queue.SimpleQueue. A finalizer may put an item at any time."""

    Empty = None

    def __init__(self):
        self._items, self._waits = deque(), deque()

    def put(self, item, block=True, timeout=None):
        with hub.guard:
            self._items.append(item)
            while self._waits:
                if hub.finish(self._waits.popleft()):
                    return

    put_nowait = put

    def get(self, block=True, timeout=None):
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        left = timeout
        while True:
            try:
                return self._items.popleft()
            except IndexError:
                pass
            if not block or left == 0:
                hub.poll_failed()
                raise self.Empty
            began = hub.timers.now

            def prepare(wait):
                if self._items:
                    return True
                self._waits.append(wait)
                return False

            if hub.block(left, prepare=prepare) and not self._items:
                raise self.Empty
            if left is not None:
                left = max(0, left - (hub.timers.now - began) / 1000)

    def get_nowait(self):
        return self.get(False)

    def empty(self):
        return not self._items

    def qsize(self):
        return len(self._items)

    __class_getitem__ = classmethod(lambda cls, item: cls)


def install(the_hub):
    global hub
    hub = the_hub
