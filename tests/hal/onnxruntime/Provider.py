# Provider.py - ONNX Runtime with the execution provider
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers libavocet_onnxruntime.so with an unmodified ONNX Runtime through its C interface, and runs models on sessions
with the provider."""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "compiler" / "onnx")]
import Runtime as runtime  # noqa: E402
from Proto import TYPES  # noqa: E402

NAME = b"AvocetExecutionProvider"
runtime.ENTRIES.update({
    "AddSessionConfigEntry": (130, [c_void_p, c_char_p, c_char_p]), "ReleaseSessionOptions": (100, [c_void_p]),
    "RegisterExecutionProviderLibrary": (301, [c_void_p, c_char_p, c_char_p]),
    "UnregisterExecutionProviderLibrary": (302, [c_void_p, c_char_p]),
    "GetEpDevices": (303, [c_void_p, c_void_p, c_void_p]),
    "SessionOptionsAppendExecutionProvider_V2": (304, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t]),
    "EpDevice_EpName": (312, [c_void_p]),
})


class ProviderRuntime(runtime.Runtime):
    """A runtime with the provider's library."""

    def __init__(self, path, library, level=0):
        super().__init__(path, level)
        self.plain = self.options
        self.call("RegisterExecutionProviderLibrary", self.environment, b"avocet",
                  str(Path(library).resolve()).encode())

    def devices(self):
        """Of our provider."""
        devices, count = POINTER(c_void_p)(), c_size_t()
        self.call("GetEpDevices", self.environment, byref(devices), byref(count))
        return [devices[i] for i in range(count.value)
                if ctypes.string_at(self.functions["EpDevice_EpName"](devices[i])) == NAME]

    def use(self, level=0, only=True, **options):
        """Sessions made from now on use the provider with these options. `only`: no node may stay with the runtime."""
        self.options = self.make("CreateSessionOptions")
        self.call("SetSessionLogSeverityLevel", self.options, runtime.FATAL)
        self.call("SetSessionGraphOptimizationLevel", self.options, level)
        self.call("SetIntraOpNumThreads", self.options, 1)
        if only:
            self.call("AddSessionConfigEntry", self.options, b"session.disable_cpu_ep_fallback", b"1")
        device = (c_void_p * 1)(self.devices()[0])
        keys = runtime.texts(options)
        values = (c_char_p * len(options))(*(str(each).encode() for each in options.values()))
        self.call("SessionOptionsAppendExecutionProvider_V2", self.options, self.environment, device, 1, keys, values,
                  len(options))

    def close(self):
        self.call("UnregisterExecutionProviderLibrary", self.environment, b"avocet")
