# Numbers of the HAL: avocet/hal/types/Types.h, and error codes.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import enum


class Status(enum.IntEnum):
    NONE = 0
    DEVICE_UNAVAILABLE = 1
    GENERAL_FAILURE = 2
    OUTPUT_INSUFFICIENT_SIZE = 3
    INVALID_ARGUMENT = 4
    MISSED_DEADLINE_TRANSIENT = 5
    MISSED_DEADLINE_PERSISTENT = 6
    RESOURCE_EXHAUSTED_TRANSIENT = 7
    RESOURCE_EXHAUSTED_PERSISTENT = 8


class Type(enum.IntEnum):
    FLOAT32 = 0
    INT32 = 1
    TENSOR_FLOAT32 = 3
    TENSOR_INT32 = 4
    TENSOR_BOOL8 = 9
    SUBGRAPH = 15


class Lifetime(enum.IntEnum):
    TEMPORARY = 0
    INPUT = 1
    OUTPUT = 2
    CONSTANT_COPY = 3
    CONSTANT_REFERENCE = 4
    NO_VALUE = 5
    SUBGRAPH = 6


class Operation(enum.IntEnum):
    ADD = 0
    CONV_2D = 3
    LESS = 58
    IF = 96
    WHILE = 97
