#===- _run.py - Runs of a model
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import ctypes
import json
import select
import time

from . import _library, _pictures, _tensor
from ._frames import frame
from ._library import check, library, made, takeText
from ._memory import memoryOf, newMemory
from ._options import Options


class Run(_library.Owner):
    """A model that is ready to run on one device, with its states. One execution at a time; any thread.

    Keyword arguments are options of the C library, such as profile=True, mode="functional" or deadline=5.
    """

    def __init__(self, model, device=None, **options):
        with Options(options) as chosen:
            place = made(library.avocetDeviceOpen, device.encode(), chosen.handle) if device else None
            try:
                handle = made(library.avocetRunCreate, model._owner.handle, place, chosen.handle)
            finally:
                library.avocetDeviceDestroy(place)
        super().__init__(handle, library.avocetRunDestroy)
        self.model = model
        self._bound = {}  # keeps memory alive that the device uses
        self._isLong = True  # until an execution was short
        self._poll = None

    def _handle(self, role, index):
        return made(library.avocetRunTensor, self.handle, role, index)

    def _bind(self, role, index, memory):
        """Lets the device use the memory in place, if it has the form that the device needs."""
        known = self._bound.get((role, index))
        if known is None or known.address != memory.address:
            check(library.avocetTensorBind(self._handle(role, index), memory.address, memory.bytes))
        self._bound[role, index] = memory

    def run(self, inputs, outputs=None):
        """Executes once. `inputs`: arrays by name, or in the order of model.inputs; `outputs` may have arrays to write them to.
        Returns the outputs as arrays by name. Arrays are of numpy, or objects with the buffer protocol (bytes, bytearray,
        array.array, memoryview, mmap): of the type and shape of the tensor, or flat. They are used in place, except for those
        that are not contiguous, and read-only buffers that are no numpy arrays. Without numpy, outputs are memoryviews.
        Ctrl-C ends it; executions of less than 0.1 s end first."""
        self._bindAll(inputs, outputs)
        began = time.perf_counter()
        try:
            if self._isLong:
                check(library.avocetRunStart(self.handle, _library.Completed(), None))
                self._awaitOrCancel()
            else:  # a thread would take longer
                check(library.avocetRunExecute(self.handle))
        except _library.Error as error:
            self._raise(error)
        self._isLong = time.perf_counter() - began > 0.1
        return self._outputs()

    def _raise(self, error):
        """An error of an execution, from the exception of an operator in Python if there is one."""
        if self.model._operators is None:
            raise error
        self.model._operators.raiseFrom(error)

    def _outputs(self):
        return {tensor.name: self._bound[_tensor.OUTPUT, i].value for i, tensor in enumerate(self.model.outputs)}

    def _await(self, seconds=None):
        """Waits for the end of a started execution; signals are handled meanwhile."""
        if self._poll is None:
            descriptor = ctypes.c_int32()
            check(library.avocetRunDescriptor(self.handle, ctypes.byref(descriptor)))
            self._poll = select.poll()
            self._poll.register(descriptor.value, select.POLLIN)
        self._poll.poll(None if seconds is None else max(0, seconds * 1000))
        check(library.avocetRunWait(self.handle, 0))

    def _awaitOrCancel(self):
        try:
            self._await()
        except BaseException:
            try:
                self.cancel()
            except _library.Unsupported:
                raise  # the CPU and services go on to the end of the execution
            else:
                library.avocetErrorDestroy(library.avocetRunWait(self.handle, -1))
            raise

    def start(self, inputs, outputs=None):
        """As run(), but returns at once; wait() returns the outputs. The arrays must not be touched before."""
        self._bindAll(inputs, outputs)
        check(library.avocetRunStart(self.handle, _library.Completed(), None))

    def wait(self, seconds=None):
        """The outputs of the last start(). Error "deadline_exceeded": it still executes after this time. After Ctrl-C it executes
        on; cancel() ends it."""
        try:
            self._await(seconds)
        except _library.Error as error:
            self._raise(error)
        return self._outputs()

    def cancel(self):
        """Asks the execution to end early."""
        check(library.avocetRunCancel(self.handle))

    def _bindAll(self, inputs, outputs):
        for index, array in _byIndex(inputs, self.model.inputs, "input"):
            self._bind(_tensor.INPUT, index, memoryOf(array, self.model.inputs[index]))
        given = dict(_byIndex(outputs or {}, self.model.outputs, "output", isPartial=True))
        for index, tensor in enumerate(self.model.outputs):
            array = given.get(index)
            self._bind(_tensor.OUTPUT, index, newMemory(tensor) if array is None else memoryOf(array, tensor, True))

    def image(self, picture, input=0, **options):
        """A PNG or JPEG file (path or bytes) as an array for an input, given by its name or index. Options: fit="stretch", "crop" or
        "pad", colors="rgb" or "bgr", mean=127.5, scale=1/127.5, each one number or [r, g, b]. Defaults are those of the
        metadata of the .tflite file."""
        index = _indexOf(input, self.model.inputs, "input")
        memory = newMemory(self.model.inputs[index])
        self._bind(_tensor.INPUT, index, memory)
        _pictures.fill(self._handle(_tensor.INPUT, index), picture, _pictures.withNumbers(options))
        return memory.value

    def classes(self, output=0, **options):
        """The best classes of an output of the last execution, the best first (avocet.Class). Options: top=5, labels="FILE"; the
        names are those of the metadata of the .tflite file by default."""
        return _pictures.classesOf(self._handle(_tensor.OUTPUT, _indexOf(output, self.model.outputs, "output")), options)

    def layers(self):
        """The figures of layers of the last execution as a pandas frame; needs the option profile."""
        return frame(self.report())

    def state(self, name):
        """A copy of the value of a state before the next execution."""
        import numpy

        tensor, handle = self._state(name)
        data = ctypes.string_at(library.avocetTensorData(handle), tensor.bytes)
        return numpy.frombuffer(data, tensor.dtype).reshape(tensor.shape).copy()

    def set_state(self, name, value):
        """Gives a state a value (array of its type and shape)."""
        import numpy

        tensor, handle = self._state(name)
        array = numpy.ascontiguousarray(value, tensor.dtype)
        if array.shape != tensor.shape:
            raise ValueError(f"state '{name}' has the shape {tensor.shape}, the value {array.shape}")
        ctypes.memmove(library.avocetTensorData(handle), array.ctypes.data, tensor.bytes)

    def _state(self, name):
        for index, tensor in enumerate(self.model.states):
            if tensor.name == name:
                return tensor, self._handle(_tensor.STATE, index)
        raise KeyError(f"there is no state '{name}'; there are {[tensor.name for tensor in self.model.states]}")

    def reset(self):
        """Gives all states their initial values."""
        check(library.avocetRunReset(self.handle))

    @property
    def cycles(self):
        """Device cycles of the last execution; 0 where the device does not count."""
        return library.avocetRunCycles(self.handle)

    @property
    def copied_bytes(self):
        """Bytes of inputs and outputs that were copied between arrays and the device so far."""
        return library.avocetRunCopiedBytes(self.handle)

    def report(self):
        """Figures of the last execution (run.schema.json); those of layers need the option profile."""
        return json.loads(takeText(made(library.avocetRunReport, self.handle)))

    def trace(self):
        """The last execution for Perfetto, as text; needs the option profile."""
        return takeText(made(library.avocetRunTrace, self.handle))


def _indexOf(which, tensors, role):
    """The index of a tensor that is given by its name or index."""
    names = [tensor.name for tensor in tensors]
    if which in names:
        return names.index(which)
    if isinstance(which, int) and 0 <= which < len(names):
        return which
    raise KeyError(f"there is no {role} {which!r}; there are {names}")


def _byIndex(arrays, tensors, role, isPartial=False):
    """(index, array) of arrays by name or in order; one array stands for the only tensor."""
    if hasattr(arrays, "dtype") or isinstance(arrays, (bytes, bytearray, memoryview)):
        arrays = [arrays]
    if isinstance(arrays, dict):
        names = [tensor.name for tensor in tensors]
        unknown = [name for name in arrays if name not in names]
        if unknown:
            raise KeyError(f"there is no {role} '{unknown[0]}'; there are {names}")
        pairs = [(names.index(name), array) for name, array in arrays.items()]
    else:
        pairs = list(enumerate(arrays))
    if not isPartial and len(pairs) != len(tensors):
        raise ValueError(f"{len(pairs)} arrays were given for {len(tensors)} {role}s {[tensor.name for tensor in tensors]}")
    return pairs
