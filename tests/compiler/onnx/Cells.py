# Cells.py - The operators, opsets and types that are compared at random
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cell is an operator at an opset that changed it, with an element type. Its function adds one random case."""
from dataclasses import dataclass

import ElementCells
import MoveCells
import ProductCells
import QdqCells
import QuantizedCells
import ReduceCells
import SequenceCells
import SignalCells
import WindowCells
from Case import Case, Draw
from Row import Row

ROWS = [row for each in (ElementCells, ReduceCells, WindowCells, MoveCells, ProductCells, QuantizedCells, QdqCells,
                        SequenceCells, SignalCells)
        for row in each.ROWS]


@dataclass(frozen=True)
class Cell:
    row: Row
    version: int
    type: str

    @property
    def name(self):
        return f"{self.row.domain + '.' if self.row.domain else ''}{self.row.name} {self.version} {self.type}"

    def case(self, prefix, seed, number):
        """The case is a function of seed and number alone."""
        made = Case(prefix, self.version)
        self.row.function(made, Draw(f"{seed} {self.name} {number}"), self.type)
        return made

    __hash__ = object.__hash__


CELLS = [Cell(row, version, type_) for row in ROWS for version in row.versions for type_ in row.types_at(version)]
