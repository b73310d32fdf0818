#===- _memory.py - Memory of the caller as tensors
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import ctypes
import sys
import weakref

# The formats of the buffer protocol, by the name of the numpy type.
_FORMATS = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "int64": "ql", "float16": "e",
            "float32": "f", "bool": "?"}


class Memory:
    """Memory of one tensor: its address and size, what the caller has of it, and what keeps it alive."""

    def __init__(self, value, address, bytes, keeper=None):
        self.value, self.address, self.bytes, self._keeper = value, address, bytes, keeper


def memoryOf(value, tensor, isWritten=False):
    """Memory of an array, of an object with the buffer protocol, or of lists. It is that of the object where it can be."""
    if not hasattr(value, "__array_interface__"):
        try:
            return _ofBuffer(memoryview(value), value, tensor, isWritten)
        except TypeError:
            if isWritten:
                raise
    return _ofArray(value, tensor, isWritten)


def newMemory(tensor):
    """Memory for an output: a numpy array, or a memoryview where numpy is not installed."""
    if _hasNumpy():
        import numpy

        return memoryOf(numpy.empty(tensor.shape, tensor.dtype), tensor, True)
    view = memoryview(bytearray(tensor.bytes))
    try:
        view = view.cast(_FORMATS[tensor.dtype][0], tensor.shape)
    except ValueError:
        pass  # older versions of Python have no float16: its bytes
    return memoryOf(view, tensor, True)


def arrayOver(view, tensor):
    """A numpy array, or a memoryview where numpy is not installed, over the bytes of a tensor, which `view` gives. And a function
    that says whether an array over these bytes is in use; a memoryview ends with it."""
    if _hasNumpy():
        import numpy

        whole = numpy.asarray(view)  # all other arrays over the bytes keep it
        return whole.view(tensor.dtype).reshape(tensor.shape), _isAlive(weakref.ref(whole))
    try:
        array = view.cast(_FORMATS[tensor.dtype][0], tensor.shape)
    except ValueError:
        array = view[:]  # older versions of Python have no float16: its bytes
    return array, _isHeld(array)


def _isAlive(reference):
    return lambda: reference() is not None


def _isHeld(array):
    def release():
        try:
            array.release()
        except BufferError:
            return True
        return False

    return release


def addressOf(array):
    """Of the first byte of a writable array or memoryview."""
    return array.ctypes.data if hasattr(array, "ctypes") else ctypes.addressof(ctypes.c_char.from_buffer(array))


def _hasNumpy():
    if "numpy" in sys.modules:
        return sys.modules["numpy"] is not None
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True


def _ofArray(value, tensor, isWritten):
    import numpy

    array = numpy.asarray(value)
    if array.dtype != tensor.dtype or array.shape != tensor.shape:
        raise ValueError(f"'{tensor.name}' is {tensor.dtype} {tensor.shape}, the array is {array.dtype} {array.shape}")
    if isWritten and not (array.flags.writeable and array.flags.c_contiguous):
        raise ValueError("arrays for outputs must be writable and contiguous")
    array = numpy.ascontiguousarray(array) if array.shape else array
    return Memory(array, array.ctypes.data, array.nbytes, array)


def _ofBuffer(view, value, tensor, isWritten):
    form = view.format.lstrip("@=<")
    isOfType = form in _FORMATS[tensor.dtype]
    isFlat = view.ndim == 1 and view.nbytes == tensor.bytes and (isOfType or form in "bBc")
    if not isFlat and not (isOfType and view.shape == tensor.shape):
        raise ValueError(f"'{tensor.name}' is {tensor.dtype} {tensor.shape}; the buffer has {view.nbytes} bytes, the format "
                         f"'{view.format}' and the shape {view.shape}; give one of this form, or one of its {tensor.bytes} bytes")
    if isWritten and (view.readonly or not view.c_contiguous):
        raise ValueError("buffers for outputs must be writable and contiguous")
    kind = ctypes.c_char * view.nbytes
    # The bytes of objects that cannot be written have no address in Python.
    isInPlace = view.c_contiguous and not view.readonly
    keeper = kind.from_buffer(view) if isInPlace else kind.from_buffer_copy(view.tobytes())
    return Memory(value, ctypes.addressof(keeper), view.nbytes, keeper)
