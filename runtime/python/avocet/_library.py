#===- _library.py - The functions of libavocet.so.0
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import ctypes
import os

from ._errors import Error, Reason, Unsupported

_NAME = "libavocet.so.0"
_CODES = ("ok", "invalid_argument", "not_found", "data_loss", "unsupported", "resource_exhausted", "failed_precondition",
          "deadline_exceeded", "aborted", "device_fault", "device_lost", "internal")

_handle, _size, _text, _int = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int32
_result = ctypes.POINTER(ctypes.c_void_p)
Progress = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _text, ctypes.c_uint32, ctypes.c_uint32)
Cancelled = ctypes.CFUNCTYPE(_int, ctypes.c_void_p)
Completed = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _int)
Operator = ctypes.CFUNCTYPE(_int, ctypes.c_void_p, ctypes.c_void_p)

# Function -> its result and its parameters, as in avocet.h.
_FUNCTIONS = {
    "avocetVersion": (_text, ()),
    "avocetErrorCode": (_int, (_handle,)),
    "avocetErrorMessage": (_text, (_handle,)),
    "avocetErrorReasonCount": (_size, (_handle,)),
    "avocetErrorReason": (_text, (_handle, _size, _int)),
    "avocetErrorJson": (_text, (_handle,)),
    "avocetErrorDestroy": (None, (_handle,)),
    "avocetOptionsCreate": (_handle, (_result,)),
    "avocetOptionsSet": (_handle, (_handle, _text, _text)),
    "avocetOptionsSetProgress": (_handle, (_handle, Progress, _handle)),
    "avocetOptionsSetCancelled": (_handle, (_handle, Cancelled, _handle)),
    "avocetOptionsSetOperator": (_handle, (_handle, _text, Operator, _handle)),
    "avocetOptionsDestroy": (None, (_handle,)),
    "avocetCallName": (_text, (_handle,)),
    "avocetCallTensorCount": (_size, (_handle, _int)),
    "avocetCallTensor": (_handle, (_handle, _int, _size, _result)),
    "avocetCallAttributes": (_handle, (_handle, ctypes.POINTER(_size))),
    "avocetCallSetMessage": (None, (_handle, _text)),
    "avocetNetworkOpen": (_handle, (_text, _result)),
    "avocetNetworkCreate": (_handle, (_handle, _size, _text, _result)),
    "avocetNetworkCheck": (_handle, (_handle, _handle)),
    "avocetNetworkCompile": (_handle, (_handle, _handle, _result)),
    "avocetNetworkExplain": (_handle, (_handle, _handle, _result)),
    "avocetNetworkReport": (_handle, (_handle, _handle, _result)),
    "avocetNetworkDestroy": (None, (_handle,)),
    "avocetTensorName": (_text, (_handle,)),
    "avocetTensorType": (_int, (_handle,)),
    "avocetTensorRank": (_size, (_handle,)),
    "avocetTensorShape": (ctypes.POINTER(_int), (_handle,)),
    "avocetTensorBytes": (_size, (_handle,)),
    "avocetTensorScaleCount": (_size, (_handle,)),
    "avocetTensorScales": (ctypes.POINTER(ctypes.c_float), (_handle,)),
    "avocetTensorZeroPoints": (ctypes.POINTER(_int), (_handle,)),
    "avocetTensorAxis": (_int, (_handle,)),
    "avocetTensorData": (_handle, (_handle,)),
    "avocetTensorBind": (_handle, (_handle, _handle, _size)),
    "avocetTensorReadImage": (_handle, (_handle, _text, _handle)),
    "avocetTensorDecodeImage": (_handle, (_handle, _handle, _size, _handle)),
    "avocetTensorClasses": (_handle, (_handle, _handle, _result)),
    "avocetTargetList": (_handle, (_result,)),
    "avocetTargetDescribe": (_handle, (_handle, _result)),
    "avocetModelOpen": (_handle, (_text, _handle, _result)),
    "avocetModelSave": (_handle, (_handle, _text)),
    "avocetModelName": (_text, (_handle,)),
    "avocetModelTarget": (_text, (_handle,)),
    "avocetModelPredictedCycles": (ctypes.c_uint64, (_handle,)),
    "avocetModelTensorCount": (_size, (_handle, _int)),
    "avocetModelTensor": (_handle, (_handle, _int, _size, _result)),
    "avocetModelDestroy": (None, (_handle,)),
    "avocetDeviceOpen": (_handle, (_text, _handle, _result)),
    "avocetDeviceList": (_handle, (_handle, _result)),
    "avocetDeviceDestroy": (None, (_handle,)),
    "avocetRunCreate": (_handle, (_handle, _handle, _handle, _result)),
    "avocetRunTensor": (_handle, (_handle, _int, _size, _result)),
    "avocetRunExecute": (_handle, (_handle,)),
    "avocetRunStart": (_handle, (_handle, Completed, _handle)),
    "avocetRunWait": (_handle, (_handle, ctypes.c_int64)),
    "avocetRunDescriptor": (_handle, (_handle, ctypes.POINTER(_int))),
    "avocetRunCancel": (_handle, (_handle,)),
    "avocetRunReset": (_handle, (_handle,)),
    "avocetRunCycles": (ctypes.c_uint64, (_handle,)),
    "avocetRunCopiedBytes": (ctypes.c_uint64, (_handle,)),
    "avocetRunReport": (_handle, (_handle, _result)),
    "avocetRunTrace": (_handle, (_handle, _result)),
    "avocetRunDestroy": (None, (_handle,)),
    "avocetReportText": (_handle, (_handle,)),
    "avocetReportSize": (_size, (_handle,)),
    "avocetReportDestroy": (None, (_handle,)),
}


def _open():
    """The library of the installation that this package is a part of, else where the dynamic linker looks."""
    folder = os.path.dirname(os.path.abspath(__file__))
    for _ in range(6):
        folder = os.path.dirname(folder)
        path = os.path.join(folder, _NAME)
        if os.path.exists(path):
            return ctypes.CDLL(path)
    try:
        return ctypes.CDLL(_NAME)
    except OSError as error:
        raise ImportError(f"{_NAME} cannot be loaded: {error}; install Avocet, or add its lib folder to LD_LIBRARY_PATH") from error


library = _open()
for _name, (_restype, _argtypes) in _FUNCTIONS.items():
    try:
        _function = getattr(library, _name)
    except AttributeError:
        raise ImportError(f"{_NAME} is older than this package: it has no {_name}(); install both from one release") from None
    _function.restype, _function.argtypes = _restype, _argtypes


def version():
    """Release and commit of the library, such as "0.1.0 (0123456789ab)"."""
    return library.avocetVersion().decode()


def check(error):
    """Raises what a call has returned."""
    if not error:
        return
    try:
        code = _CODES[library.avocetErrorCode(error)]
        reasons = [Reason(*(library.avocetErrorReason(error, i, field).decode(errors="replace") for field in range(9)))
                   for i in range(library.avocetErrorReasonCount(error))]
        message = library.avocetErrorMessage(error).decode(errors="replace")
        json = library.avocetErrorJson(error).decode(errors="replace")
    finally:
        library.avocetErrorDestroy(error)
    raise (Unsupported if code == "unsupported" else Error)(code, message, reasons, json)


def made(function, *arguments):
    """Calls a function whose last parameter is the place of its result, and returns the result."""
    handle = ctypes.c_void_p()
    check(function(*arguments, ctypes.byref(handle)))
    return handle.value


def takeText(report):
    """The text of a report, which ends."""
    try:
        return ctypes.string_at(library.avocetReportText(report), library.avocetReportSize(report)).decode(errors="replace")
    finally:
        library.avocetReportDestroy(report)


class Owner:
    """The owner of a handle, which ends with it."""

    def __init__(self, handle, destroy):
        self.handle = handle
        self._destroy = destroy

    def close(self):
        handle, self.handle = self.handle, None
        if handle:
            self._destroy(handle)

    def __del__(self):
        if getattr(self, "handle", None):
            self.close()
