#===- _options.py - Keyword arguments as options
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
from . import _library
from ._library import check, library, made


class Options(_library.Owner):
    """The options of one call. Use it in a `with` statement around the call: exceptions of call-backs end the compilation
    and are raised at the end, and so does Ctrl-C."""

    def __init__(self, keywords, progress=None):
        super().__init__(made(library.avocetOptionsCreate), library.avocetOptionsDestroy)
        for name, value in keywords.items():
            for each in value if isinstance(value, (list, tuple)) else (value,):
                if each is not None:
                    self._set(name.replace("_", "-"), each)
        self._raised = None
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
        try:
            return self._raised is not None
        except BaseException as error:  # Ctrl-C in this very function
            self._raised = error
            return True

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()
        if self._raised is not None:
            raise self._raised
