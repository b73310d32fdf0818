# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What examples/OnnxRuntime.py uses of the Python package of this name, for networks with one input and one output. It calls
the C library of npm's package, which the tests have; AVOCET_CLIENTS names their folder."""
import ctypes
import os
import sys
from collections import namedtuple
from ctypes import byref, c_int64, c_size_t, c_void_p
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "hal" / "onnxruntime"), str(TESTS / "compiler" / "onnx")]
import Provider  # noqa: E402
import Runtime  # noqa: E402
from Proto import Tensor  # noqa: E402

Runtime.ENTRIES.update({
    "SessionGetInputTypeInfo": (33, [c_void_p, c_size_t, c_void_p]),
    "SessionGetInputName": (36, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "SessionGetOutputName": (37, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "CastTypeInfoToTensorInfo": (55, [c_void_p, c_void_p]), "GetAllocatorWithDefaultOptions": (78, [c_void_p]),
})
Device = namedtuple("Device", "ep_name")
Input = namedtuple("Input", "name shape")
runtimes = []


def register_execution_provider_library(_, path):
    runtimes.append(Provider.ProviderRuntime(Runtime.library(os.environ["AVOCET_CLIENTS"]), path))


def get_ep_devices():
    return [Device(Provider.NAME.decode()) for _ in runtimes[0].devices()]


class SessionOptions:
    def add_provider_for_devices(self, devices, options):
        assert len(devices) == 1, devices
        self.options = options


class InferenceSession:
    def __init__(self, path, options):
        self.runtime = runtimes[0]
        self.runtime.use(**options.options)
        self.session = self.runtime.session_of_file(path)

    def name(self, function):
        return ctypes.string_at(self.runtime.make(function, self.session, 0,
                                                  self.runtime.make("GetAllocatorWithDefaultOptions")).value).decode()

    def get_inputs(self):
        info = self.runtime.make("CastTypeInfoToTensorInfo", self.runtime.make("SessionGetInputTypeInfo", self.session, 0))
        rank = c_size_t()
        self.runtime.call("GetDimensionsCount", info, byref(rank))
        extents = (c_int64 * rank.value)()
        self.runtime.call("GetDimensions", info, extents, rank)
        return [Input(self.name("SessionGetInputName"), list(extents))]

    def run(self, names, inputs):
        tensors = {name: Tensor("f32", array) for name, array in inputs.items()}
        results = self.runtime.run_session(self.session, tensors, names or [self.name("SessionGetOutputName")])
        return [result.array for result in results]
