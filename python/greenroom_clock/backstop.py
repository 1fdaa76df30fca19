"""Looks for threads that block where nothing here sees it, such as in a C library, while others could run.

From the second thread on, a real thread looks every now and then at the thread that has the turn. If it sleeps in C, or computes
for long without a wait, it loses the turn, and others run next to it. Looks count, not seconds: a machine that stops the process for a
while changes nothing.
"""
import _thread
import os
import sys

from .places import find_place
from .waits import IS_LINUX, get_ident, real_sleep, start_thread

LOOK_S = 0.01
SLOW_LOOK_S = 0.05
PATIENT_LOOKS = 10  # After this many looks at which it sleeps at the same place, a thread counts as blocked outside of Python.
SPIN_LOOKS = 200  # After this many looks at which it computes without a wait, others run next to it.


class Backstop:
    def __init__(self, hub):
        self.hub, self.has_begun = hub, False
        self.natives = {}  # The ids of threads at the system, by those of Python.

    def begin(self):
        self.natives[get_ident()] = _thread.get_native_id()
        if not self.has_begun:
            self.has_begun = True
            start_thread(self._run, ())

    def _run(self):
        hub, looks, spins, before = self.hub, 0, 0, None
        while True:
            real_sleep(LOOK_S if looks or spins else SLOW_LOOK_S)
            holder = hub.holder
            if hub.leader is not None or not isinstance(holder, int) or not (hub.ready or hub.parked):
                looks = spins = 0
                continue
            is_asleep = self._is_asleep(holder)
            frame = sys._current_frames().get(holder)
            now = (hub.switches, holder, id(frame), frame and frame.f_lasti)
            spins = spins + 1 if before is not None and now[:2] == before[:2] and not is_asleep else 0
            looks = looks + 1 if now == before and is_asleep and hub.ready else 0
            before = now
            if looks >= PATIENT_LOOKS or spins >= SPIN_LOOKS:
                looks = spins = 0
                with hub.guard:
                    if hub.holder == holder and hub.leader is None:
                        hub.outside[holder] = frame and find_place(frame)
                        hub.pass_on()
            frame = None  # Frames keep the values of their variables.

    def _is_asleep(self, ident):
        """Whether the system says that a thread sleeps. Without such a list, its place in the program must decide."""
        native = self.natives.get(ident)
        if native is None or not IS_LINUX:
            return True
        try:
            fd = os.open(f"/proc/self/task/{native}/stat", os.O_RDONLY)
        except OSError:
            return True
        try:
            stat = os.pread(fd, 512, 0)
        finally:
            os.close(fd)
        return stat[stat.rfind(b")") + 2 : stat.rfind(b")") + 3] in b"SD"
