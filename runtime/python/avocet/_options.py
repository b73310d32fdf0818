#===- _options.py - Keyword arguments as options
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import signal
import threading

from . import _library
from ._library import check, library, made


def _withoutObjects(keywords):
    """Names and values; a Target is the options that it stands for."""
    for name, value in keywords.items():
        yield from value.options().items() if name == "target" and hasattr(value, "options") else ((name, value),)


class Options(_library.Owner):
    """The options of one call. Use it in a `with` statement around the call: exceptions of call-backs end the compilation
    and are raised at the end, and so does Ctrl-C."""

    def __init__(self, keywords, progress=None):
        super().__init__(made(library.avocetOptionsCreate), library.avocetOptionsDestroy)
        for name, value in _withoutObjects(keywords):
            for each in value if isinstance(value, (list, tuple)) else (value,):
                if each is not None:
                    self._set(name.replace("_", "-"), each)
        self._raised = None
        self._handler = None  # of Ctrl-C, outside of the `with` statement
        self._calls = (_library.Progress(self._tell), _library.Cancelled(self._isCancelled))
        self._progress = progress
        if progress:
            check(library.avocetOptionsSetProgress(self.handle, self._calls[0], None))
        check(library.avocetOptionsSetCancelled(self.handle, self._calls[1], None))

    def _set(self, name, value):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        check(library.avocetOptionsSet(self.handle, name.encode(), text.encode()))

    def _tell(self, _, what, done, total):
        try:
            if self._raised is None:
                self._progress(what.decode(errors="replace"), done, total)
        except BaseException as error:  # raised by __exit__
            self._raised = error

    def _isCancelled(self, _):
        return self._raised is not None

    def _onInterrupt(self, number, frame):
        """Ctrl-C. Python may handle it at the first instruction of a call-back, whose exceptions are lost."""
        try:
            self._handler(number, frame)
        except BaseException as error:  # raised by __exit__
            self._raised = error

    def __enter__(self):
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(handler):
            self._handler = handler
            signal.signal(signal.SIGINT, self._onInterrupt)
        return self

    def __exit__(self, kind, error, trace):
        if self._handler:
            signal.signal(signal.SIGINT, self._handler)
            self._handler = None
        self.close()
        if self._raised is not None:
            raise self._raised
