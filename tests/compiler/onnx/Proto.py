# Proto.py - Writes ONNX files
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The messages of ONNX in protobuf's wire format, as bytes. Only what the tests need."""
import struct
from dataclasses import dataclass

import numpy as np

# Name of an element type -> its number in ONNX, the type of NumPy that holds its elements.
TYPES = {
    "f32": (1, np.float32), "u8": (2, np.uint8), "i8": (3, np.int8), "u16": (4, np.uint16), "i16": (5, np.int16),
    "i32": (6, np.int32), "i64": (7, np.int64), "bool": (9, np.bool_), "f16": (10, np.float16), "f64": (11, np.float64),
    "u32": (12, np.uint32), "u64": (13, np.uint64), "bf16": (16, np.uint16), "u4": (21, np.uint8), "i4": (22, np.int8),
    "f8e4m3fn": (17, np.uint8), "f8e4m3fnuz": (18, np.uint8), "f8e5m2": (19, np.uint8), "f8e5m2fnuz": (20, np.uint8),
}
NAMES = {number: name for name, (number, _) in TYPES.items()}


@dataclass
class Tensor:
    """Elements of 4 bits are held one in a byte, those of bf16 as their bits."""
    type: str
    array: np.ndarray

    @property
    def shape(self):
        return list(self.array.shape)

    def data(self):
        array = np.ascontiguousarray(self.array, TYPES[self.type][1])
        if self.type not in ("i4", "u4"):
            return array.tobytes()
        nibbles = np.append(array.reshape(-1).view(np.uint8) & 15, np.zeros(array.size % 2, np.uint8))
        return (nibbles[0::2] | nibbles[1::2] << 4).tobytes()


def tensor(type_, values, shape=None):
    array = np.asarray(values, TYPES[type_][1])
    return Tensor(type_, array if shape is None else array.reshape(shape))


def varint(value):
    if 0 <= value < 128:
        return bytes((value,))
    value &= (1 << 64) - 1
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)


def number(field, value):
    return varint(field << 3) + varint(value)


def real(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor_proto(value, name=""):
    return (b"".join(number(1, extent) for extent in value.shape) + number(2, TYPES[value.type][0]) +
            message(8, name) + message(9, value.data()))


def list_attribute(values):
    if any(isinstance(value, float) for value in values):
        return b"".join(real(7, value) for value in values) + number(20, 6)
    if any(isinstance(value, str) for value in values):
        return b"".join(message(9, value) for value in values) + number(20, 8)
    return b"".join(number(8, int(value)) for value in values) + number(20, 7)


def attribute(name, value):
    """`value`: a number, text, Tensor, list of numbers or texts, or the bytes of a graph."""
    if isinstance(value, Tensor):
        body = message(5, tensor_proto(value)) + number(20, 4)
    elif isinstance(value, bytes):
        body = message(6, value) + number(20, 5)
    elif isinstance(value, str):
        body = message(4, value) + number(20, 3)
    elif isinstance(value, (list, tuple)):
        body = list_attribute(value)
    elif isinstance(value, float):
        body = real(2, value) + number(20, 1)
    else:
        body = number(3, int(value)) + number(20, 2)
    return message(1, name) + body


def node(operator, inputs, outputs, name, domain, attributes):
    return (b"".join(message(1, each) for each in inputs) + b"".join(message(2, each) for each in outputs) +
            message(3, name) + message(4, operator) +
            b"".join(message(5, attribute(key, value)) for key, value in attributes.items() if value is not None) +
            message(7, domain))


def value_info(name, type_=None, shape=None):
    """`shape`: extents, or names of extents; None: unknown."""
    if type_ is None:
        return message(1, name)
    body = number(1, TYPES[type_][0])
    if shape is not None:
        body += message(2, b"".join(message(1, message(2, extent) if isinstance(extent, str) else number(1, extent))
                                    for extent in shape))
    return message(1, name) + message(2, message(1, body))


def graph(nodes, initializers, inputs, outputs, name="graph"):
    """All are bytes of messages."""
    return (b"".join(message(1, each) for each in nodes) + message(2, name) +
            b"".join(message(5, each) for each in initializers) + b"".join(message(11, each) for each in inputs) +
            b"".join(message(12, each) for each in outputs))


# The first version of the file format that has this opset.
IR_VERSIONS = ((26, 13), (25, 12), (24, 11), (23, 11), (21, 10), (19, 9), (15, 8), (0, 7))


def model(body, opset, microsoft=False):
    opsets = message(8, message(1, "") + number(2, opset))
    if microsoft:
        opsets += message(8, message(1, "com.microsoft") + number(2, 1))
    version = next(version for least, version in IR_VERSIONS if opset >= least)
    return number(1, version) + message(2, "avocet") + message(7, body) + opsets


def read_varint(data, place):
    """(the number, the place after it)."""
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def fields(data):
    """(number, value) of each field of a message: an integer, or bytes."""
    place = 0
    while place < len(data):
        tag, place = read_varint(data, place)
        if tag & 7 == 0:
            value, place = read_varint(data, place)
        else:
            size, place = read_varint(data, place) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], place)
            value, place = data[place:place + size], place + size
        yield tag >> 3, value


def first(data, *numbers):
    """The first field of this number, of a message in a message for several numbers."""
    for wanted in numbers:
        data = next(value for found, value in fields(data) if found == wanted)
    return data


# Fields of TensorProto with elements -> how numbers are stored; None: of varying length.
ELEMENT_FIELDS = {4: np.float32, 5: None, 7: None, 10: np.float64, 11: None}


def read_tensor(data):
    """(name, Tensor) of a TensorProto; None instead of the Tensor if its type is none of TYPES or has less than 8 bits."""
    shape, name, elements = [], "", b""
    type_ = NAMES.get(first(data, 2))
    dtype = np.dtype(TYPES[type_][1]) if type_ else None
    for number_, value in fields(data):
        if number_ == 1 and isinstance(value, bytes):
            place = 0
            while place < len(value):
                extent, place = read_varint(value, place)
                shape.append(extent)
        elif number_ == 1:
            shape.append(value)
        elif number_ == 8:
            name = value.decode()
        elif number_ == 9:
            elements = value
        elif number_ in ELEMENT_FIELDS and dtype is not None:
            elements += stored_elements(number_, value, dtype)
    if type_ is None or type_ in ("i4", "u4"):
        return name, None
    return name, Tensor(type_, np.frombuffer(elements, dtype).reshape(shape))


def stored_elements(number_, value, dtype):
    """The bytes of elements in a field of numbers."""
    if ELEMENT_FIELDS[number_]:
        return value
    numbers, place = ([value], 0) if isinstance(value, int) else ([], 0)
    while not isinstance(value, int) and place < len(value):
        each, place = read_varint(value, place)
        numbers.append(each)
    return b"".join((each & (1 << 8 * dtype.itemsize) - 1).to_bytes(dtype.itemsize, "little") for each in numbers)
