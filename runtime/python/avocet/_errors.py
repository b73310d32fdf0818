#===- _errors.py - Errors as exceptions
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """Why one operator was refused. Parts that do not apply are empty."""

    operator: str
    number: str
    tensor: str
    location: str
    operand: str
    rule: str
    value: str
    limit: str
    advice: str


class Error(RuntimeError):
    """A failed call. `code` is the name of the code in avocet.h in lower case, such as "not_found"."""

    def __init__(self, code, message, reasons=(), json=""):
        super().__init__(message)
        self.code = code
        self.reasons = tuple(reasons)
        self.json = json


class Unsupported(Error):
    """The target, the device or the build cannot do it; `reasons` has one entry for each operator and rule."""
