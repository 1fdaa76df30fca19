"""Waits in C while another thread sleeps, as a worker with a database driver does."""
import ctypes
import threading
import time

has_begun = threading.Event()
threading.Thread(target=lambda: has_begun.wait() and time.sleep(10)).start()
has_begun.set()
ctypes.CDLL(None).usleep(60_000_000)
