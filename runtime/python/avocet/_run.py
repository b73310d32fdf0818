#===- _run.py - Runs of a model
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import ctypes
import json

from . import _library, _tensor
from ._library import check, library, made, takeText
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
        self._bound = {}  # keeps arrays alive that the device uses

    def _handle(self, role, index):
        return made(library.avocetRunTensor, self.handle, role, index)

    def _bind(self, role, index, array):
        """Lets the device use the array in place, if it has the form that the device needs."""
        import numpy

        tensor = self.model._tensors[role][index]
        if array.dtype != tensor.dtype or array.shape != tensor.shape:
            raise ValueError(f"'{tensor.name}' is {tensor.dtype} {tensor.shape}, the array is {array.dtype} {array.shape}")
        if not array.flags.c_contiguous:
            array = numpy.ascontiguousarray(array)
        known = self._bound.get((role, index))
        if known is None or known.ctypes.data != array.ctypes.data:
            check(library.avocetTensorBind(self._handle(role, index), array.ctypes.data, array.nbytes))
        self._bound[role, index] = array
        return array

    def run(self, inputs, outputs=None):
        """Executes once. `inputs`: arrays by name, or in the order of model.inputs. Returns the outputs as arrays by name;
        `outputs` may have arrays to write them to. Arrays of the right type and shape that are contiguous are not copied."""
        self._bindAll(inputs, outputs)
        check(library.avocetRunExecute(self.handle))
        return {tensor.name: self._bound[_tensor.OUTPUT, i] for i, tensor in enumerate(self.model.outputs)}

    def start(self, inputs, outputs=None):
        """As run(), but returns at once; wait() returns the outputs. The arrays must not be touched before."""
        self._bindAll(inputs, outputs)
        check(library.avocetRunStart(self.handle, _library.Completed(), None))

    def wait(self, seconds=None):
        """The outputs of the last start(). Error "deadline_exceeded": it still executes after this time."""
        check(library.avocetRunWait(self.handle, -1 if seconds is None else int(seconds * 1e9)))
        return {tensor.name: self._bound[_tensor.OUTPUT, i] for i, tensor in enumerate(self.model.outputs)}

    def cancel(self):
        """Asks the execution to end early."""
        check(library.avocetRunCancel(self.handle))

    def _bindAll(self, inputs, outputs):
        import numpy

        for index, array in _byIndex(inputs, self.model.inputs, "input"):
            self._bind(_tensor.INPUT, index, numpy.asarray(array))
        given = dict(_byIndex(outputs or {}, self.model.outputs, "output", isPartial=True))
        for index, tensor in enumerate(self.model.outputs):
            array = given.get(index)
            self._bind(_tensor.OUTPUT, index, numpy.empty(tensor.shape, tensor.dtype) if array is None else _writable(array))

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


def _writable(array):
    if not array.flags.writeable or not array.flags.c_contiguous:
        raise ValueError("arrays for outputs must be writable and contiguous")
    return array


def _byIndex(arrays, tensors, role, isPartial=False):
    """(index, array) of arrays by name or in order; one array stands for the only tensor."""
    if hasattr(arrays, "dtype"):
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
