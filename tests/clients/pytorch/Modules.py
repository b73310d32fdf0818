# Modules that PyTorch converts to NNAPI, each with its inputs.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds MODULES: name -> Case. Weights and inputs come from a fixed seed."""

import dataclasses
import types
import typing

import torch
from torch import nn

FLOAT = 1e-5  # relative to the largest expected element; another order of summation


@dataclasses.dataclass
class Case:
    module: nn.Module
    inputs: list  # of the trace and the conversion; an extent of 0 is flexible
    tolerance: float = FLOAT  # for quantized outputs: in steps
    runs: typing.Optional[list] = None  # lists of inputs to run; None: `inputs`
    returnShapes: typing.Optional[list] = None


class Lambda(nn.Module):
    """A function of parts that hold the weights."""

    def __init__(self, function, *parts):
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.function = function

    def forward(self, *inputs):
        return self.function(*self.parts, *inputs)


def nhwc(tensor):
    tensor = tensor.contiguous(memory_format=torch.channels_last)
    tensor.nnapi_nhwc = True
    return tensor


def image(channels=4, rows=9, columns=8):
    return torch.rand(1, channels, rows, columns) * 4 - 2


def quantized(module, *fused):
    """A module of 8-bit parts, calibrated with random images."""
    module.eval()
    module.qconfig = torch.quantization.get_default_qconfig("qnnpack")
    if fused:
        torch.quantization.fuse_modules(module, [list(fused)], inplace=True)
    torch.quantization.prepare(module, inplace=True)
    for _ in range(4):
        module(*module.example)
    return torch.quantization.convert(module, inplace=False)


class QuantizedNetwork(nn.Module):
    """conv + relu and a linear layer between quint8 tensors."""

    def __init__(self, example, *layers):
        super().__init__()
        self.quantize = torch.quantization.QuantStub()
        self.layers = nn.Sequential(*layers)
        self.dequantize = torch.quantization.DeQuantStub()
        self.example = example

    def forward(self, x):
        return self.dequantize(self.layers(self.quantize(x)))


def flexibleAtLoadCase(rows, columns):
    """Extents of 0 get their values from the first run."""
    convolution = nn.Sequential(nn.Conv2d(3, 5, 3, padding=1), nn.ReLU())
    return Case(convolution, [nhwc(torch.zeros(1, 3, 0, 0))], runs=[[nhwc(image(3, rows, columns))]])


def flexibleCase():
    """Extents of -1 may differ in each run; the output's template is as large as the largest."""
    convolution = nn.Sequential(nn.Conv2d(3, 5, 3, padding=1), nn.ReLU())
    runs = [[nhwc(image(3, rows, columns))] for rows, columns in ((9, 8), (5, 12), (9, 8))]
    declared = types.SimpleNamespace(shape=(1, 3, -1, -1), dtype=torch.float32, nnapi_nhwc=True)
    return Case(convolution, [declared], runs=runs, returnShapes=[[1, 9, 9, 5]])


def convolutions():
    return {
        "convNchw": Case(nn.Conv2d(4, 8, 3, padding=1), [image()]),
        "convNhwc": Case(nn.Conv2d(4, 8, 3, padding=1), [nhwc(image())]),
        "convStrided": Case(nn.Conv2d(4, 6, (3, 2), stride=2, bias=False), [nhwc(image())]),
        "depthwiseNchw": Case(nn.Conv2d(4, 4, 3, groups=4, padding=1), [image()]),
        "depthwiseNhwc": Case(nn.Conv2d(4, 4, 3, groups=4), [nhwc(image())]),
        "convRelu6": Case(nn.Sequential(nn.Conv2d(4, 8, 1), nn.ReLU6()), [nhwc(image())]),
        "largeConv": Case(nn.Conv2d(64, 64, 3), [nhwc(image(64, 12, 12))]),
        "flexibleAtLoad": flexibleAtLoadCase(9, 8),
        "flexibleAtLoadOther": flexibleAtLoadCase(5, 12),
        "flexible": flexibleCase(),
    }


def layers():
    residual = Lambda(lambda conv, x: torch.relu(x + conv(x)), nn.Conv2d(4, 4, 3, padding=1))
    mlp = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 5), nn.LogSoftmax(1))
    classifier = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3),
                               nn.Softmax(1))
    return {
        "linear": Case(nn.Linear(20, 7), [torch.rand(3, 20)]),
        "maxPool": Case(nn.MaxPool2d(2), [nhwc(image())]),
        "maxPoolPadded": Case(nn.MaxPool2d(3, stride=2, padding=1), [image()]),
        "avgPool": Case(nn.AvgPool2d(2), [nhwc(image())]),
        "adaptivePool": Case(nn.AdaptiveAvgPool2d(1), [nhwc(image())]),
        "mean": Case(Lambda(lambda x: x.mean((2, 3))), [nhwc(image())]),
        "residual": Case(residual, [nhwc(image())]),
        "logSoftmaxOfMlp": Case(mlp, [torch.rand(2, 20)]),
        "classifier": Case(classifier, [nhwc(image())]),
    }


def elementwise():
    return {
        "cat": Case(Lambda(lambda a, b: torch.cat((a, b), 1)), [image(), image(2)]),
        "catNhwc": Case(Lambda(lambda a, b: torch.cat((a, b), 1)), [nhwc(image()), nhwc(image(2))]),
        "softmax": Case(nn.Softmax(1), [torch.rand(2, 9) * 8]),
        "prelu": Case(nn.PReLU(4), [nhwc(image())]),
        "sigmoid": Case(nn.Sigmoid(), [image()]),
        "arithmetic": Case(Lambda(lambda a, b: (a - b) * a / b), [image(), image().abs() + 1]),
        "detach": Case(Lambda(lambda x: torch.relu(x).detach()), [image()]),
        "reshape": Case(Lambda(lambda x: x.reshape(1, -1)), [image()]),
        "slice": Case(Lambda(lambda x: x[:, 1:3, 2:8]), [image()]),
        "upsample": Case(nn.UpsamplingNearest2d(scale_factor=2), [nhwc(image())]),
    }


def quantizedCases():
    picture, rows = image(3), torch.rand(2, 12)
    pictures = quantized(QuantizedNetwork([picture], nn.Conv2d(3, 8, 3, padding=1), nn.ReLU()), "layers.0", "layers.1")
    linear = quantized(QuantizedNetwork([rows], nn.Linear(12, 5)))
    # The converter quantizes NHWC images only, so the linear layer alone is converted, with 8-bit input and output.
    scale, zeroPoint = linear.quantize.scale.item(), linear.quantize.zero_point.item()
    steps = torch.quantize_per_tensor(rows, scale, zeroPoint, torch.quint8)
    # In steps of the output's scale: eager mode rounds half to even, NNAPI away from zero.
    return {
        "quantizedConvRelu": Case(pictures, [nhwc(picture)], 1.001 * pictures.layers[0].scale),
        "quantizedLinear": Case(linear.layers[0], [steps], 1.001 * linear.layers[0].scale),
    }


def allCases():
    torch.manual_seed(20)
    torch.backends.quantized.engine = "qnnpack"
    return {**convolutions(), **layers(), **elementwise(), **quantizedCases()}
