"""multiprocessing: locks between processes, and waits for several of them."""

hub = None


def patch_synchronize(module):
    """Locks between processes. A process that has released one states that before time moves, so a retry then is in time.

    Which of several processes gets a lock first is a race. A run that depends on it is approximate.
    """
    cls = module.SemLock
    make = cls._make_methods

    def _make_methods(self):
        make(self)
        native = self._semlock

        def acquire(block=True, timeout=None):
            if native.acquire(False):
                return True
            if not block:
                return False
            hub.is_approximate = True
            while True:
                began = hub.timers.now
                if hub.block(timeout, retry=lambda: not native._is_zero()):
                    return native.acquire(False)
                if native.acquire(False):
                    return True
                if timeout is not None:
                    timeout = max(0, timeout - (hub.timers.now - began) / 1000)

        self.acquire = acquire

    cls._make_methods = _make_methods
    cls.__enter__ = lambda self: self.acquire()


def patch_connection(module):
    """The loop of multiprocessing ends only after its deadline, which a clock that stands still does not pass."""
    selector_class = getattr(module, "_WaitSelector", None)
    if selector_class is None:
        return
    import selectors

    def wait(object_list, timeout=None):
        with selector_class() as selector:
            for each in object_list:
                selector.register(each, selectors.EVENT_READ)
            return [key.fileobj for key, _ in selector.select(timeout)]

    module.wait = wait


def install(the_hub):
    global hub
    hub = the_hub
