"""Alarms and waits for signals."""
import _signal

from .clocks import native_like

hub = None


def install(the_hub):
    """Replaces alarms, the real-time interval timer, and waits for signals."""
    global hub
    hub = the_hub
    state = {"alarm": None, "interval": 0.0}
    real_set, real_get = _signal.setitimer, _signal.getitimer

    def left():
        alarm = state["alarm"]
        if alarm is None or alarm.due is None or alarm.timer not in hub.timers.pending:
            return 0.0
        return max(0.001, (alarm.due - hub.timers.now) / 1000)

    def ring():
        state["alarm"] = hub.call_later(state["interval"], ring) if state["interval"] > 0 else None
        _signal.pthread_kill(hub.main, _signal.SIGALRM)

    def start(seconds, interval=0.0):
        before = (left(), state["interval"])
        if state["alarm"] is not None:
            with hub.guard:
                hub.timers.stop(state["alarm"])
        state["interval"] = interval
        state["alarm"] = hub.call_later(seconds, ring) if seconds > 0 else None
        return before

    def alarm(seconds):
        return -int(-start(seconds)[0] // 1)

    def setitimer(which, seconds, interval=0.0):
        return start(seconds, interval) if which == _signal.ITIMER_REAL else real_set(which, seconds, interval)

    def getitimer(which):
        return (left(), state["interval"]) if which == _signal.ITIMER_REAL else real_get(which)

    def outside(real):
        def call(*args):
            hub.leave()
            try:
                return real(*args)
            finally:
                hub.rejoin()

        return call

    def pause():
        """Waits like any other thread. C writes the number of the signal into the pipe that wakes the hub."""
        before = _signal.set_wakeup_fd(hub.wake_write, warn_on_full_buffer=False)
        try:
            hub.block(prepare=hub.pausing.append)
        finally:
            _signal.set_wakeup_fd(before)

    set_handler = _signal.signal

    def signal(number, handler):
        hub.has_handlers |= callable(handler)
        return set_handler(number, handler)

    new = dict(signal=signal, pause=pause, alarm=alarm, setitimer=setitimer, getitimer=getitimer)
    new.update({name: outside(getattr(_signal, name)) for name in ("sigwait", "sigwaitinfo") if hasattr(_signal, name)})
    for name, function in new.items():
        setattr(_signal, name, native_like(function, name, "signal"))
