"""The time of the simulator as this process knows it, and the timers that run on it."""
from .waits import real_monotonic

READS_PER_MS = 1_000  # A loop that waits for a later time must end, so this many reads of the time add a millisecond.
ENDLESS_MS = 10 * 365 * 86_400_000


class Timers:
    """Virtual time in whole milliseconds since 1970, and the owners of timers by the ids that the simulator knows."""

    def __init__(self):
        self.now = self.heard_now = self.heard_at = self.seen = self.reads = 0
        self.rate, self.is_real = 0, False
        self.clear()

    def clear(self):
        """Forgets all timers: those of a parent belong to the parent."""
        self.pending, self.added, self.stopped, self.latest = {}, [], [], 0

    def read(self):
        """The present time. It stands still while the program computes."""
        if self.rate == 0:
            self.reads += 1
            if self.reads % READS_PER_MS == 0:
                self.now += 1
            return self.now
        self.now = max(self.now, self.heard_now + int((real_monotonic() - self.heard_at) * 1000 * self.rate))
        return self.now

    def hear(self, message):
        """Takes the time from a message of the simulator."""
        self.seen, self.rate, self.heard_now = message["n"], message["rate"], message["now"]
        self.heard_at, self.reads = real_monotonic(), 0
        self.now = max(self.now, self.heard_now)

    def go_real(self):
        """The simulator has ended: time passes as it does outside."""
        self.is_real, self.rate, self.heard_now, self.heard_at = True, 1, self.now, real_monotonic()

    def start(self, owner, seconds):
        """Starts a timer for a wait or an alarm. Sums of floats are a little off, so a microsecond is no millisecond more."""
        delay = max(1, -int(-(seconds * 1000 - 1e-3) // 1)) if seconds > 0 else 0
        if delay > ENDLESS_MS:
            return
        if self.rate == 0:
            delay += self.now - self.heard_now
            owner.due = self.heard_now + delay
        else:
            owner.due = self.read() + delay
        self.latest += 1
        owner.timer = self.latest
        self.pending[owner.timer] = owner
        self.added.append((owner.timer, delay))

    def stop(self, owner):
        if self.pending.pop(owner.timer, None) is None:
            return
        for each in self.added:
            if each[0] == owner.timer:
                self.added.remove(each)
                return
        self.stopped.append(owner.timer)

    def take_changes(self):
        """The part of a statement about timers that were started and stopped since the previous statement."""
        text = ""
        if self.added:
            text += ',"set":[' + ",".join(f"[{timer},{delay}]" for timer, delay in self.added) + "]"
        if self.stopped:
            text += f',"clear":{self.stopped}'
        self.added, self.stopped = [], []
        return text

    def seconds_to_first(self):
        """The real seconds until the first timer, when time is real; None if there is no timer."""
        if not self.is_real or not self.pending:
            return None
        return max(0, min(owner.due for owner in self.pending.values()) - self.read()) / 1000

    def find_due(self):
        """The id of a timer that is due, when time is real."""
        if not self.is_real:
            return None
        now = self.read()
        due = sorted((owner.due, timer) for timer, owner in self.pending.items() if owner.due <= now)
        return due[0][1] if due else None
