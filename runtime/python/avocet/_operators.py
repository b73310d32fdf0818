#===- _operators.py - Operators that Python computes
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import ctypes

from . import _library, _memory, _tensor
from ._library import check, library, made

_INTERNAL = 11
_registered = {}  # functions by name


def operator(name):
    """Decorator: compile() with fallback="cpu" lets the function compute the operators of this name that the target refuses.

        @avocet.operator("Halve")
        def halve(call):
            return call.inputs[0] / 2
    """

    def register(function):
        _registered[name] = function
        return function

    return register


class Call:
    """One call of an operator: `name`, `attributes` (bytes of the file), `inputs` and `outputs` (arrays; those of inputs cannot be
    written), and their descriptions `input_tensors` and `output_tensors` (avocet.Tensor). Arrays must not be kept: copy them. The
    function writes the outputs, or returns an array for the only one, or a sequence with one for each."""

    def __init__(self, handle):
        size = ctypes.c_size_t()
        pointer = library.avocetCallAttributes(handle, ctypes.byref(size))
        self.name = library.avocetCallName(handle).decode(errors="replace")
        self.attributes = ctypes.string_at(pointer, size.value) if pointer else b""
        self._isHeld = []
        self.input_tensors, self.inputs = self._tensors(handle, _tensor.INPUT)
        self.output_tensors, self.outputs = self._tensors(handle, _tensor.OUTPUT)

    def _tensors(self, handle, role):
        handles = [made(library.avocetCallTensor, handle, role, index)
                   for index in range(library.avocetCallTensorCount(handle, role))]
        tensors = tuple(map(_tensor.describe, handles))
        return tensors, tuple(self._array(each, tensor, role) for each, tensor in zip(handles, tensors))

    def _array(self, handle, tensor, role):
        memory = (ctypes.c_char * tensor.bytes).from_address(library.avocetTensorData(handle))
        view = memoryview(memory).cast("B")
        view = view if role == _tensor.OUTPUT else view.toreadonly()
        array, isHeld = _memory.arrayOver(view, tensor)
        self._isHeld.append(isHeld)
        return array

    def _store(self, results):
        """Results that the function has returned."""
        if results is None:
            return
        if len(self.outputs) == 1 and not isinstance(results, (list, tuple)):
            results = (results,)
        if len(results) != len(self.outputs):
            raise ValueError(f"{len(results)} results for the {len(self.outputs)} outputs of '{self.name}'")
        for result, output, tensor in zip(results, self.outputs, self.output_tensors):
            if result is not output:
                given = _memory.memoryOf(result, tensor)
                ctypes.memmove(_memory.addressOf(output), given.address, tensor.bytes)

    def _close(self):
        """The memory of the arrays may end now: none may be in use."""
        self.inputs = self.outputs = ()
        if any([isHeld() for isHeld in self._isHeld]):
            raise ValueError(f"the function for '{self.name}' keeps an array of its call; it must keep a copy")


class Operators:
    """Functions for the options of a compilation. The model keeps it."""

    def __init__(self, functions):
        self._calls = {name: self._callBack(function) for name, function in {**_registered, **(functions or {})}.items()}
        self.raised = None  # by the last function that failed

    def addTo(self, options):
        for name, call in self._calls.items():
            check(library.avocetOptionsSetOperator(options.handle, name.encode(), call, None))

    def _callBack(self, function):
        def compute(_, handle):
            try:
                call = Call(handle)
                call._store(function(call))
                call._close()
                return 0
            except BaseException as error:  # raised by raiseFrom()
                self.raised = error
                text = f"{type(error).__name__}: {error}"
                library.avocetCallSetMessage(handle, text.encode(errors="replace"))
                return _INTERNAL

        return _library.Operator(compute)

    def raiseFrom(self, error):
        """The error of an execution, with the exception of the function that caused it."""
        raised, self.raised = self.raised, None
        if raised is not None and not isinstance(raised, Exception):
            raise raised  # Ctrl-C
        raise error from raised
