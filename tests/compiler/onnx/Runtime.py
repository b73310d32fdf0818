# Runtime.py - ONNX Runtime through its C interface
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads libonnxruntime.so.1, which `scripts/setup --clients` unpacks, and runs models on its CPU provider, by default
without optimizations, so that each node computes what its specification says. Functions are entries of the table OrtApi, which
only grows at its end."""
import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from pathlib import Path

import numpy as np

from Proto import NAMES, TYPES, Tensor

API_VERSION = 17  # any that the library knows
# Entry -> position and the types of its arguments.
ENTRIES = {
    "GetErrorMessage": (2, [c_void_p]), "CreateEnv": (3, [c_int, c_char_p, c_void_p]),
    "CreateSessionFromArray": (8, [c_void_p, c_char_p, c_size_t, c_void_p, c_void_p]),
    "Run": (9, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    "CreateSessionOptions": (10, [c_void_p]), "SetSessionLogSeverityLevel": (22, [c_void_p, c_int]),
    "SetSessionGraphOptimizationLevel": (23, [c_void_p, c_int]), "SetIntraOpNumThreads": (24, [c_void_p, c_int]),
    "CreateTensorWithDataAsOrtValue": (49, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_int, c_void_p]),
    "GetTensorMutableData": (51, [c_void_p, c_void_p]), "GetTensorElementType": (60, [c_void_p, c_void_p]),
    "GetDimensionsCount": (61, [c_void_p, c_void_p]), "GetDimensions": (62, [c_void_p, c_void_p, c_size_t]),
    "GetTensorTypeAndShape": (65, [c_void_p, c_void_p]), "CreateCpuMemoryInfo": (69, [c_int, c_int, c_void_p]),
    "ReleaseStatus": (93, [c_void_p]), "ReleaseSession": (95, [c_void_p]), "ReleaseValue": (96, [c_void_p]),
    "ReleaseTensorTypeAndShapeInfo": (99, [c_void_p]),
}
FATAL = 4  # the only messages that it prints
EXTENDED = 2


class Failure(Exception):
    """The runtime refuses a model or its data; the text is its message."""


def library(clients):
    """The library's path, or None if it is not installed."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, "none")
    path = Path(clients) / "onnxruntime-node" / "bin/napi-v6/linux" / machine / "libonnxruntime.so.1"
    return path if path.exists() else None


class Runtime:
    def __init__(self, path, level=0):
        """`level`: of optimizations, EXTENDED for operators on integers between conversions."""
        base = ctypes.CDLL(str(path)).OrtGetApiBase
        base.restype = POINTER(c_void_p)
        get_api = ctypes.CFUNCTYPE(c_void_p, c_uint32)(base()[0])
        self.table = ctypes.cast(get_api(API_VERSION), POINTER(c_void_p))
        self.functions = {name: ctypes.CFUNCTYPE(c_void_p, *types)(self.table[position])
                          for name, (position, types) in ENTRIES.items()}
        self.environment = self.make("CreateEnv", FATAL, b"avocet")
        self.memory = self.make("CreateCpuMemoryInfo", 1, 0)
        self.options = self.make("CreateSessionOptions")
        self.call("SetSessionLogSeverityLevel", self.options, FATAL)
        self.call("SetSessionGraphOptimizationLevel", self.options, level)
        self.call("SetIntraOpNumThreads", self.options, 1)

    def call(self, name, *arguments):
        status = self.functions[name](*arguments)
        if status:
            text = ctypes.string_at(self.functions["GetErrorMessage"](status)).decode(errors="replace")
            self.functions["ReleaseStatus"](status)
            raise Failure(" ".join(text.split()))

    def make(self, name, *arguments):
        """Of functions whose last argument is their result."""
        made = c_void_p()
        self.call(name, *arguments, byref(made))
        return made

    def shape_of(self, value):
        info, element, rank = self.make("GetTensorTypeAndShape", value), c_int(), c_size_t()
        try:
            self.call("GetTensorElementType", info, byref(element))
            self.call("GetDimensionsCount", info, byref(rank))
            extents = (c_int64 * rank.value)()
            self.call("GetDimensions", info, extents, rank.value)
        finally:
            self.functions["ReleaseTensorTypeAndShapeInfo"](info)
        return NAMES[element.value], list(extents)

    def tensor(self, value):
        name, shape = self.shape_of(value)
        count, dtype = int(np.prod(shape)), np.dtype(TYPES[name][1])
        size = (count + 1) // 2 if name in ("i4", "u4") else count * dtype.itemsize
        data = ctypes.string_at(self.make("GetTensorMutableData", value), size) if size else b""
        if name in ("i4", "u4"):
            raise Failure("elements of 4 bits are no results here")
        return Tensor(name, np.frombuffer(data, dtype).reshape(shape))

    def session(self, model):
        return self.make("CreateSessionFromArray", self.environment, model, len(model), self.options)

    def run(self, model, inputs, outputs):
        """`inputs`: {name: Tensor}; `outputs`: names. The results in order."""
        session = self.session(model)
        try:
            return self.run_session(session, inputs, outputs)
        finally:
            self.functions["ReleaseSession"](session)

    def run_session(self, session, inputs, outputs):
        values, results = [], (c_void_p * len(outputs))()
        buffers = [ctypes.create_string_buffer(each.data(), max(len(each.data()), 1)) for each in inputs.values()]
        try:
            for each, buffer in zip(inputs.values(), buffers):
                values.append(self.make("CreateTensorWithDataAsOrtValue", self.memory, buffer, len(each.data()),
                                        (c_int64 * len(each.shape))(*each.shape), len(each.shape), TYPES[each.type][0]))
            self.call("Run", session, None, texts(inputs), (c_void_p * len(values))(*values), len(values),
                      texts(outputs), len(outputs), results)
            return [self.tensor(c_void_p(result)) for result in results]
        finally:
            for value in [*values, *results]:
                self.functions["ReleaseValue"](value)


def texts(names):
    return (c_char_p * len(names))(*(name.encode() for name in names))
