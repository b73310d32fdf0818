# Provider.py - ONNX Runtime with the execution provider
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers libavocet_onnxruntime.so with an unmodified ONNX Runtime through its C interface, and runs models on sessions
with the provider."""
import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "compiler" / "onnx")]
import Runtime as runtime  # noqa: E402
from Proto import TYPES  # noqa: E402

NAME = b"AvocetExecutionProvider"
runtime.ENTRIES.update({
    "EnableProfiling": (14, [c_void_p, c_char_p]), "CreateSession": (7, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "CreateTensorAsOrtValue": (48, [c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "RunWithBinding": (133, [c_void_p, c_void_p, c_void_p]), "CreateIoBinding": (134, [c_void_p, c_void_p]),
    "ReleaseIoBinding": (135, [c_void_p]), "BindInput": (136, [c_void_p, c_char_p, c_void_p]),
    "BindOutput": (137, [c_void_p, c_char_p, c_void_p]), "GetKeyValue": (297, [c_void_p, c_char_p]),
    "ReleaseKeyValuePairs": (300, [c_void_p]), "AllocatorGetStats": (319, [c_void_p, c_void_p]),
    "EpDevice_MemoryInfo": (374, [c_void_p, c_int]), "GetSharedAllocator": (376, [c_void_p, c_void_p, c_void_p]),
    "AddSessionConfigEntry": (130, [c_void_p, c_char_p, c_char_p]), "ReleaseSessionOptions": (100, [c_void_p]),
    "RegisterExecutionProviderLibrary": (301, [c_void_p, c_char_p, c_char_p]),
    "UnregisterExecutionProviderLibrary": (302, [c_void_p, c_char_p]),
    "GetEpDevices": (303, [c_void_p, c_void_p, c_void_p]),
    "SessionOptionsAppendExecutionProvider_V2": (304, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t]),
    "EpDevice_EpName": (312, [c_void_p]),
    "GetModelCompatibilityForEpDevices": (388, [c_void_p, c_size_t, c_char_p, c_void_p]),
    "Session_GetEpGraphAssignmentInfo": (407, [c_void_p, c_void_p, c_void_p]),
    "EpAssignedSubgraph_GetEpName": (408, [c_void_p, c_void_p]),
    "EpAssignedSubgraph_GetNodes": (409, [c_void_p, c_void_p, c_void_p]),
    "EpAssignedNode_GetOperatorType": (412, [c_void_p, c_void_p]),
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

    def use(self, level=0, only=True, config=None, **options):
        """Sessions made from now on use the provider with these options. `only`: no node may stay with the runtime. `config`:
        further entries of the session."""
        self.options = self.make("CreateSessionOptions")
        self.call("SetSessionLogSeverityLevel", self.options, runtime.FATAL)
        self.call("SetSessionGraphOptimizationLevel", self.options, level)
        self.call("SetIntraOpNumThreads", self.options, 1)
        self.call("AddSessionConfigEntry", self.options, b"session.record_ep_graph_assignment_info", b"1")
        for key, value in (config or {}).items():
            self.call("AddSessionConfigEntry", self.options, key.encode(), str(value).encode())
        if only:
            self.call("AddSessionConfigEntry", self.options, b"session.disable_cpu_ep_fallback", b"1")
        device = (c_void_p * 1)(self.devices()[0])
        keys = runtime.texts(options)
        values = (c_char_p * len(options))(*(str(each).encode() for each in options.values()))
        self.call("SessionOptionsAppendExecutionProvider_V2", self.options, self.environment, device, 1, keys, values,
                  len(options))

    def allocator(self):
        """Of the device's memory."""
        return self.make("GetSharedAllocator", self.environment, self.functions["EpDevice_MemoryInfo"](self.devices()[0], 0))

    def stat(self, name):
        """A number of the allocator's, such as the bytes that were copied between the device's memory and other memory."""
        stats = self.make("AllocatorGetStats", self.allocator())
        number = int(ctypes.string_at(self.functions["GetKeyValue"](stats, name)))
        self.functions["ReleaseKeyValuePairs"](stats)
        return number

    def device_tensor(self, type_, shape):
        """A tensor in the device's memory, and its bytes as an array."""
        value = self.make("CreateTensorAsOrtValue", self.allocator(), (c_int64 * len(shape))(*shape), len(shape), TYPES[type_][0])
        data = self.make("GetTensorMutableData", value)
        array = np.ctypeslib.as_array(ctypes.cast(data, POINTER(ctypes.c_uint8)), (int(np.prod(shape)) * np.dtype(TYPES[type_][1]).itemsize,))
        return value, array.view(TYPES[type_][1]).reshape(shape)

    def run_bound(self, session, values, outputs, times=1):
        """Runs with tensors in the device's memory: {name: value}."""
        binding = self.make("CreateIoBinding", session)
        try:
            for name, value in values.items():
                self.call("BindInput", binding, name.encode(), value)
            for name, value in outputs.items():
                self.call("BindOutput", binding, name.encode(), value)
            for _ in range(times):
                self.call("RunWithBinding", session, None, binding)
        finally:
            self.functions["ReleaseIoBinding"](binding)

    def session_of_file(self, path):
        return self.make("CreateSession", self.environment, str(path).encode(), self.options)

    def assigned(self, session):
        """The operators of nodes that the provider has and of those that it has not, of a session with use()."""
        taken, left = [], []
        graphs, count = POINTER(c_void_p)(), c_size_t()
        self.call("Session_GetEpGraphAssignmentInfo", session, byref(graphs), byref(count))
        for graph in graphs[:count.value]:
            name, nodes, number = c_char_p(), POINTER(c_void_p)(), c_size_t()
            self.call("EpAssignedSubgraph_GetEpName", graph, byref(name))
            self.call("EpAssignedSubgraph_GetNodes", graph, byref(nodes), byref(number))
            for node in nodes[:number.value]:
                operator = c_char_p()
                self.call("EpAssignedNode_GetOperatorType", node, byref(operator))
                (taken if name.value == NAME else left).append(operator.value.decode())
        return taken, left

    def compatibility(self, text):
        """What the provider says about models with this text: 0: not its own, 1: optimal, 2: usable, 3: unusable."""
        device, answer = (c_void_p * 1)(self.devices()[0]), c_int()
        self.call("GetModelCompatibilityForEpDevices", device, 1, text, byref(answer))
        return answer.value

    def close(self):
        self.call("UnregisterExecutionProviderLibrary", self.environment, b"avocet")
