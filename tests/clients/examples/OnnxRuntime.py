# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime with Avocet's execution provider: classifies one input of a network with float32 scores.

  pip install onnxruntime    # 1.23 or later
  python3 OnnxRuntime.py build/release/lib/libavocet_onnxruntime.so MODEL.onnx INPUT.bin
"""
import sys

import numpy
import onnxruntime

library, model, image = sys.argv[1:]

# The only lines for Avocet. The application registers the library once, and finds its device by the provider's name.
onnxruntime.register_execution_provider_library("avocet", library)
devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == "AvocetExecutionProvider"]
options = onnxruntime.SessionOptions()
options.add_provider_for_devices(devices, {"device": "e256", "priority": "high"})  # all: hal/onnxruntime/README.md

session = onnxruntime.InferenceSession(model, options)  # compiles for the device
tensor = session.get_inputs()[0]
pixels = numpy.fromfile(image, numpy.float32).reshape(tensor.shape)
scores, = session.run(None, {tensor.name: pixels})  # all outputs; errors of the device are exceptions
print("class", scores.argmax())
