"""The line of the program that sends a request, such as client.py:42, for messages about the request."""
import os
import sys

from .link import quote

OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
MAX_LENGTH = 160

start_folder = os.getcwd() + os.sep
_names = {}  # By the file of the code: its short name, or None for code that is not the program's.
_callers = None  # A variable of the context, for libraries that send from a task of their own.


def short_name(file):
    """The file as seen from the folder in which the program started, which is the same on each machine."""
    if file.startswith("<") or any(each in file for each in PACKAGES):
        return None
    path = os.path.abspath(file)
    if path.startswith(OWN) or path.startswith(LIBRARY):
        return None
    return path[len(start_folder) :] if path.startswith(start_folder) else os.path.basename(path)


def find_place(frame=None):
    """The innermost line of the program itself that is running now, in JSON. None if there is none.

    @param frame: of another thread.
    """
    frame = frame or sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        name = _names.get(file, file)
        if name is file:
            name = _names[file] = short_name(file)
        if name is not None:
            return quote(f"{name[-MAX_LENGTH:]}:{frame.f_lineno}")
        frame = frame.f_back
    return _callers.get() if _callers is not None else None


def remember_callers(cls, name):
    """Lets a method that begins a request note who called it, because another task sends the request."""
    global _callers
    from contextvars import ContextVar

    _callers = _callers or ContextVar("greenroom_caller", default=None)
    call = getattr(cls, name)

    async def noted(self, *args, **named):
        place = find_place()
        if place is not None:
            _callers.set(place)
        return await call(self, *args, **named)

    setattr(cls, name, noted)
