#===- Quantize.py - Quantizes the trained network to int8
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Post-training quantization as the TFLite specification requires.

Activations: int8, asymmetric, one scale and zero point per tensor, from the range seen in calibration. Weights: int8,
symmetric within -127..127, a scale per output channel (the fully connected layer: one scale). Biases: int32 with the
scale of input times weights. Softmax output: scale 1/256, zero point -128. Average pooling keeps its input's parameters.
"""

from dataclasses import dataclass

import numpy as np

from Network import forward
from Train import toInput


@dataclass
class Quantization:
    scale: np.ndarray  # float32: one value, or one per channel
    zeroPoint: int
    axis: int = 0


@dataclass
class QuantizedLayer:
    name: str
    kind: str
    inputs: list
    stride: int
    relu: bool
    output: Quantization
    weights: np.ndarray = None  # int8, in the layout of Network.py
    weightScales: Quantization = None
    bias: np.ndarray = None  # int32


def activationParameters(low, high):
    low, high = min(0.0, float(low)), max(0.0, float(high))
    scale = np.float32((high - low) / 255)
    return Quantization(np.array([scale], np.float32), int(np.clip(np.rint(-128 - low / scale), -128, 127)))


def calibrate(network, images):
    """Quantization of every value by name; the outermost 0.05 % of the values are cut off, the scores keep their range."""
    values = forward(network, toInput(images))
    found = {name: activationParameters(*np.percentile(v, (0.05, 99.95))) for name, v in values.items()}
    found["scores"] = activationParameters(values["scores"].min(), values["scores"].max())
    found["image"] = Quantization(np.array([1 / 255], np.float32), -128)  # int8 value = pixel - 128
    found["pool"] = found["add2"]
    found["softmax"] = Quantization(np.array([1 / 256], np.float32), -128)
    return found


def quantizeWeights(layer):
    perChannel = layer.kind != "dense"
    axes = tuple(range(layer.weights.ndim - 1)) if perChannel else None
    scales = np.maximum(np.abs(layer.weights).max(axis=axes), 1e-8) / 127
    scales = np.atleast_1d(scales).astype(np.float32)
    weights = np.clip(np.rint(layer.weights / scales), -127, 127).astype(np.int8)
    # The channel axis in TFLite's layouts: OHWI and OI first, 1HWC last.
    return weights, Quantization(scales, 0, axis=3 if layer.kind == "depthwise" else 0)


def quantizeBias(bias, inputScale, weightScales):
    return np.rint(bias / (inputScale.astype(np.float64) * weightScales)).astype(np.int32)


def quantize(network, calibrationImages):
    """The network as QuantizedLayers, with the quantization of its input."""
    parameters = calibrate(network, calibrationImages)
    layers = []
    for layer in network:
        made = QuantizedLayer(layer.name, layer.kind, layer.inputs, layer.stride, layer.relu, parameters[layer.name])
        if layer.weights is not None:
            made.weights, made.weightScales = quantizeWeights(layer)
            made.bias = quantizeBias(layer.bias, parameters[layer.inputs[0]].scale, made.weightScales.scale)
        layers.append(made)
    return layers, parameters["image"]
