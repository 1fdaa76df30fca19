"""One thread of the program runs at a time: it has the turn.

A thread that waits gives the turn to the thread whose wait ended first. If no wait has ended, the waiting thread itself leads: it
states to the simulator that nothing can run, and waits for what happens next. So the order of threads is the same in each run, a
program of one thread needs no second one, a fork finds no lock held, and Ctrl-C reaches the thread that it always reaches.
"""
import _thread
import os
from _collections import deque

from .waits import Wait, get_ident

POLLS_PER_TURN = 16


class Turns:
    """Who has the turn. `lead` and `release` are up to the subclass."""

    def begin_turns(self):
        """Begins in this process, with one thread."""
        self.guard = _thread.RLock()  # Finalizers and signal handlers may run while it is held.
        self.main = get_ident()
        self.holder = self.main  # The thread that runs, or the wait of a thread that is about to; None if no thread can.
        self.leader = None
        self.ready, self.parked = deque(), {}
        self.outside = {}  # Threads that block outside of Python, each with the line of the program.
        self.switches = self.polls = 0
        self.wake_read, self.wake_write = os.pipe()
        os.set_blocking(self.wake_read, False)
        os.set_blocking(self.wake_write, False)

    def finish(self, wait, has_passed=False):
        """Ends a wait, once. Returns whether it had not ended."""
        with self.guard:
            if wait.is_over:
                return False
            wait.is_over, wait.has_passed = True, has_passed
            self.release(wait)
            self.ready.append(wait)
            self.kick()
        return True

    def kick(self):
        """Wakes the thread that leads, if another thread, a signal handler or a finalizer ends a wait."""
        if self.leader is not None:
            try:
                os.write(self.wake_write, b"k")
            except OSError:
                pass  # The pipe is full: the thread wakes anyway.

    def park(self, wait):
        """Gives the turn away until this wait is chosen."""
        me = get_ident()
        has_turn = self._begin_park(wait, me)
        try:
            while True:
                if not has_turn:
                    wait.gate.acquire()
                    self.holder = me
                    if wait.is_chosen:
                        return
                has_turn = False
                with self.guard:
                    chosen = self.ready.popleft() if self.ready else None
                    if chosen is not None and chosen is not wait:
                        self._give(chosen)
                if chosen is wait:
                    return
                if chosen is None and not self._let_main_lead(me):
                    self.lead()
                    has_turn = True
        except BaseException:
            self._recover(wait, me)
            raise
        finally:
            self.parked.pop(wait, None)

    def _begin_park(self, wait, me):
        with self.guard:
            self.parked[wait] = None
            self.switches += 1
            if self.holder == me:
                return True
            # A thread that ran next to the one with the turn: it was blocked outside of Python.
            self.outside.pop(me, None)
            if self.holder is None:
                self.holder = me
                return True
            self.kick()
            return False

    def _let_main_lead(self, me):
        """Only the main thread runs signal handlers. If it leads, a signal has had its effect before the next statement."""
        if not self.has_handlers or me == self.main:
            return False
        with self.guard:
            for wait in self.parked:
                if wait.ident == self.main and not wait.is_over:
                    self.holder = wait
                    wait.gate.release()
                    return True
        return False

    def _give(self, wait):
        wait.is_chosen, self.holder = True, wait
        wait.gate.release()

    def _recover(self, wait, me):
        """An exception, such as that of Ctrl-C, ends a wait. The thread still needs its turn."""
        with self.guard:
            if not wait.is_over:
                wait.is_over = wait.is_cancelled = True
                self.release(wait)
                if self.holder not in (me, wait):
                    self.ready.append(wait)
                    self.kick()
        while self.holder not in (me, wait):
            try:
                wait.gate.acquire()
                break
            except BaseException:
                pass
        with self.guard:
            self.holder = me
            if wait in self.ready:
                self.ready.remove(wait)

    def leave(self):
        """This thread ends, or blocks in a way that is no work: another one gets the turn."""
        with self.guard:
            me = get_ident()
            self.outside.pop(me, None)
            if self.holder == me:
                self.pass_on()

    def pass_on(self):
        """Gives the turn to the next thread. If no wait has ended, a thread that waits gets it, to lead."""
        self.holder = None
        if self.ready:
            return self._give(self.ready.popleft())
        waiting = [wait for wait in self.parked if not wait.is_over]
        for wait in sorted(waiting, key=lambda each: each.ident != self.main):
            self.holder = wait
            return wait.gate.release()

    def rejoin(self):
        """Takes part again after `leave`."""
        if self.holder != get_ident():
            self.yield_turn()

    def yield_turn(self):
        """Lets all other threads that can run go first. No time passes."""
        wait = Wait()
        with self.guard:
            wait.is_over = True
            self.ready.append(wait)
            self.kick()
        self.park(wait)

    def poll_failed(self):
        """Counts a look that found nothing. A loop of them may wait for another thread, which must get its turn."""
        self.polls += 1
        if self.polls % POLLS_PER_TURN == 0:
            self.pause()
