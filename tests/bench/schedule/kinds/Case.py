# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One network of the benchmark: an operator or a few of them, with the parameters that its name states."""

import dataclasses
from collections.abc import Callable

from Model import Model


@dataclasses.dataclass(frozen=True)
class Case:
    family: str
    parameters: str  # unique in the family; ends with the type
    type: str
    build: Callable[[Model], None]

    @property
    def name(self):
        return f"{self.family} {self.parameters}"

    def write(self, path):
        model = Model(self.type)
        self.build(model)
        model.write(path)


def byX(*extents):
    return "x".join(map(str, extents))
