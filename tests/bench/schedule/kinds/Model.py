# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A .tflite network under construction: tensors, constants of pseudo-random bytes, operators, and the file.

Weights are incompressible, so that no bound depends on how well a code fits them. Scales are arbitrary where an operator
does not fix them: cycles do not depend on them.
"""

import array
import dataclasses
import math
import pathlib
import random
import struct
import sys

import Schema
import Trained

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[3] / "support"))

from FlatBuffer import Scalar, Table, TableVector, Vector, Writer  # pylint: disable=wrong-import-position

TYPES = {"f32": "FLOAT32", "f16": "FLOAT16", "i32": "INT32", "u8": "UINT8", "i64": "INT64", "bool": "BOOL",
         "i16": "INT16", "i8": "INT8", "i4": "INT4", "c64": "COMPLEX64"}
BYTES = {"f32": 4, "f16": 2, "i32": 4, "u8": 1, "i64": 8, "bool": 1, "i16": 2, "i8": 1}
DEFAULTS = {"i8": (0.05, 0), "u8": (0.05, 128), "i16": (1 / 4096, 0)}
# Scales that an operator fixes for its result.
RESULTS = {"SOFTMAX": {"i8": (1 / 256, -128), "u8": (1 / 256, 0), "i16": (1 / 32768, 0)},
           "LOG_SOFTMAX": {"i8": (16 / 256, 127), "u8": (16 / 256, 255)},
           "LOGISTIC": {"i8": (1 / 256, -128), "u8": (1 / 256, 0), "i16": (1 / 32768, 0)},
           "TANH": {"i8": (1 / 128, 0), "u8": (1 / 128, 128), "i16": (1 / 32768, 0)},
           "L2_NORMALIZATION": {"i8": (1 / 128, 0), "u8": (1 / 128, 128)}}
PATTERN_BYTES = 1 << 16
ABSENT = -1


@dataclasses.dataclass(frozen=True)
class Tensor:
    index: int
    shape: tuple
    type: str
    quantization: tuple | Table | None  # scale, zero point


def pattern(typeName):
    """Repeated as constant data, of an odd number of elements, so that no row or matrix equals another; floats are small
    numbers."""
    source = random.Random(37)
    if typeName == "f32":
        return array.array("f", (source.uniform(-1, 1) for _ in range(PATTERN_BYTES // 4 - 1))).tobytes()
    if typeName == "f16":  # exponents of numbers below 1
        return b"".join(bytes((source.getrandbits(8), 0x30 | source.getrandbits(3))) for _ in range(PATTERN_BYTES // 2 - 1))
    return source.randbytes(PATTERN_BYTES - 1)


PATTERNS = {}


def randomBytes(typeName, count, number):
    """The data of a model's constant: each begins elsewhere in the pattern, since equal ones would be stored once."""
    if typeName not in PATTERNS:
        PATTERNS[typeName] = pattern(typeName)
    data = PATTERNS[typeName]
    size, start = count * BYTES[typeName], 404 * number % (len(data) - 4)
    return (data * ((start + size) // len(data) + 1))[start:start + size]


def integers(values, typeName="i32"):
    return array.array({"i32": "i", "i64": "q"}[typeName], values).tobytes()


class Model:
    """The first tensor type is that of the network's values."""

    def __init__(self, typeName):
        self.type = typeName
        self.schema_ = Schema.read()
        self.buffers_, self.tensors_, self.operators_, self.codes_ = [Table({})], [], [], []
        self.inputs_, self.outputs_ = [], []

    def tensor(self, shape, typeName=None, quantization=None, data=None, isVariable=False):
        typeName = typeName or self.type
        quantization = quantization or (DEFAULTS.get(typeName) if data is None else None)
        buffer = 0
        if data is not None:
            buffer = len(self.buffers_)
            self.buffers_.append(Table({0: Vector(data, alignment=16)}))
        self.tensors_.append(self.table_("Tensor", {
            "shape": array.array("i", shape), "type": self.schema_.enums["TensorType"][TYPES[typeName]], "buffer": buffer,
            "name": f"t{len(self.tensors_)}", "quantization": self.quantization_(quantization),
            "is_variable": isVariable or None}))
        return Tensor(len(self.tensors_) - 1, tuple(shape), typeName, quantization)

    def input(self, *shape, typeName=None):
        return self.operand(shape, typeName)

    def operand(self, shape, typeName=None, quantization=None):
        """An input with these scales."""
        tensor = self.tensor(shape, typeName, quantization)
        self.inputs_.append(tensor.index)
        return tensor

    def constant(self, shape, typeName=None, quantization=None):
        typeName = typeName or self.type
        return self.tensor(shape, typeName, quantization or DEFAULTS.get(typeName),
                           randomBytes(typeName, math.prod(shape), len(self.buffers_)))

    def trained(self, shape, bits, block=0):
        """Weights as training leaves them, of 8 or 4 bits: [rows, columns] with a scale for each row or block of it."""
        integers, scales = Trained.quantized(shape, bits, block or shape[1])
        if block:
            data = array.array("H", (struct.unpack("<H", struct.pack("<e", scale))[0] for scale in scales)).tobytes()
            of = self.tensor((shape[0], shape[1] // block), "f16", data=data)
            quantization = self.table_("Quantization", {
                "details_type": self.schema_.unions["QuantizationDetails"]["BlockwiseQuantization"],
                "details": self.table_("BlockwiseQuantization", {"scales": of.index, "block_size": block})})
        else:
            quantization = self.table_("Quantization", {
                "scale": array.array("f", scales), "zero_point": array.array("q", bytes(8 * len(scales)))})
        return self.tensor(shape, f"i{bits}", quantization, Trained.packed(integers, bits))

    def integers(self, values, shape=None, typeName="i32"):
        return self.tensor(shape if shape is not None else (len(values),), typeName, None, integers(values, typeName))

    def variable(self, shape, typeName, quantization=None):
        return self.tensor(shape, typeName, quantization, isVariable=True)

    def op(self, name, operands, shape, typeName=None, options=None, quantization=None, **fields):
        """The result of a new operator. `options` names the table of its fields; None: it has none."""
        typeName = typeName or self.type
        fixed = RESULTS.get(name, {}).get(typeName)
        result = self.tensor(shape, typeName, quantization or fixed)
        self.operator(name, operands, [result], options, **fields)
        return result

    def operator(self, name, operands, results, options=None, intermediates=(), **fields):
        number = self.schema_.enums["BuiltinOperator"][name]
        if number not in self.codes_:
            self.codes_.append(number)
        indices = [operand.index if isinstance(operand, Tensor) else operand for operand in operands]
        self.operators_.append(self.table_("Operator", {
            "opcode_index": self.codes_.index(number), "inputs": array.array("i", indices),
            "outputs": array.array("i", [result.index for result in results]),
            "options_type": self.schema_.unions["OperatorOptions"][options] if options else None,
            "options": self.table_(options, fields) if options else None,
            "intermediates": array.array("i", [tensor.index for tensor in intermediates]) if intermediates else None}))

    def output(self, *tensors):
        self.outputs_ += [tensor.index for tensor in tensors]

    def write(self, path):
        subgraph = self.table_("SubGraph", {
            "tensors": TableVector(self.tensors_), "inputs": array.array("i", self.inputs_),
            "outputs": array.array("i", self.outputs_), "operators": TableVector(self.operators_), "name": "main"})
        codes = [self.table_("OperatorCode", {"deprecated_builtin_code": min(number, 127), "version": 1,
                                              "builtin_code": number}) for number in self.codes_]
        model = self.table_("Model", {"version": 3, "operator_codes": TableVector(codes),
                                      "subgraphs": TableVector([subgraph]), "description": "kinds",
                                      "buffers": TableVector(self.buffers_)})
        pathlib.Path(path).write_bytes(Writer("TFL3").finish(model))

    def quantization_(self, quantization):
        if quantization is None or isinstance(quantization, Table):
            return quantization
        return self.table_("Quantization", {"scale": array.array("f", [quantization[0]]),
                                            "zero_point": array.array("q", [quantization[1]])})

    def table_(self, name, fields):
        """Numbers become scalars of the field's type, arrays vectors; enumerators are given by their names."""
        known = self.schema_.tables[name]
        return Table({known[field][0]: self.value_(known[field][1], value) for field, value in fields.items()
                      if value is not None})

    def value_(self, typeName, value):
        if isinstance(value, (Table, TableVector)):
            return value
        if isinstance(value, str):
            return value if typeName == "string" else Scalar(self.schema_.codes[typeName], self.schema_.enums[typeName][value])
        return Vector(value) if isinstance(value, array.array) else Scalar(self.schema_.codes[typeName], value)
