# SPDX-License-Identifier: MIT
"""How a program may end: every profiler that is still open then makes its report, once."""
from __future__ import annotations

import atexit
import os
import sys
from _thread import RLock  # threading, signal and typing are imported when they are needed: they take milliseconds

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

opened: dict[int, Any] = {}  # by id(): profilers that a program has forgotten stay open until its end
_lock = RLock()
ends = False  # the program does


def close_all(status: int | None = None) -> None:
    """Closes all profilers of this process. Failures are messages here: nobody is left to catch an exception."""
    global ends
    ends = True
    with _lock:
        for profiler in list(opened.values()):
            try:
                if status is not None:
                    profiler.set_exit_status(status)
                profiler.close()
            except BaseException as error:  # Ctrl-C, too: the others have a report to make
                print(f"stepwatch: {str(error) or type(error).__name__}", file=sys.stderr)


def _at_exit() -> None:
    # What the interpreter has just printed, and ends with; in a session, what somebody has seen and gone on after.
    error = None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)
    close_all(None if error is None else 130 if isinstance(error, KeyboardInterrupt) else 1)


def _forked() -> None:
    global _lock
    while opened:
        _core.forked(opened.popitem()[1])
    _lock = RLock()  # another thread of the parent may hold the old one


def _exit(status: int, leave: Any = os._exit) -> None:
    """Closes the profilers of this process, then ends it."""
    close_all(status)
    leave(status)


def catch_signals() -> None:
    """Sinks of Python need the interpreter, which the library's own handler of a signal would hold up."""
    import signal
    import threading

    def on_signal(number: int, frame: Any) -> None:
        close_all(128 + number)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    for number in (signal.SIGTERM, signal.SIGHUP) if threading.current_thread() is threading.main_thread() else ():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, on_signal)


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_forked)
os._exit = _exit  # type: ignore[assignment]
