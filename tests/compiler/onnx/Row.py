# Row.py - Rows of the table of operators
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from dataclasses import dataclass
from typing import Callable

FLOATS = ("f32", "f16", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
BYTES = ("i8", "u8")


@dataclass
class Row:
    """An operator in one form. `types`: element types, or {opset from which they hold: element types}."""
    name: str
    versions: tuple  # opsets at which the operator changed, from 7 on; 7 for what is older
    types: object
    function: Callable  # (case, draw, type): adds one random case
    domain: str = ""
    oracle: int = 26  # the last opset at which the runtime has it; later opsets changed types only

    def types_at(self, version):
        if not isinstance(self.types, dict):
            return self.types
        return self.types[max(each for each in self.types if each <= version)]


def rows(names, versions, types, function, domain="", oracle=26):
    """`names`, `versions`: texts, separated by spaces. `function`: one for all operators, if it takes the name first, see
    named()."""
    return [Row(name, tuple(map(int, versions.split())), types, function(name) if getattr(function, "named", False) else
                function, domain, oracle) for name in names.split()]


def named(function):
    """For functions that make the function of an operator from its name."""
    function.named = True
    return function
