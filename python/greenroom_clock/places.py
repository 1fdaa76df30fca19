"""The lines of the program that send a request, such as client.py:42 from client.py:57, for messages about the request."""
import os
import sys

from .link import quote

OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
MAX_LENGTH = 160
MAX_LINES = 4  # Enough to name the caller of a function that sends all requests.

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
    """The lines of the program itself that are running now, innermost first, in JSON. None if there is none.

    @param frame: of another thread.
    """
    frame = frame or sys._getframe(1)
    lines, last_code = [], None
    while frame is not None and len(lines) < MAX_LINES:
        code = frame.f_code
        file = code.co_filename
        name = _names.get(file, file)
        if name is file:
            name = _names[file] = short_name(file)
        # A function that calls itself to repeat a request is no caller of interest.
        if name is not None and code is not last_code:
            last_code = code
            line = f"{name[-MAX_LENGTH:]}:{frame.f_lineno}"
            if line not in lines[-1:]:
                lines.append(line)
        frame = frame.f_back
    if lines:
        return quote(" from ".join(lines))
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
