#===- __init__.pyi - Types of the package avocet
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import os
from array import array
from dataclasses import dataclass
from fractions import Fraction
from mmap import mmap
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy
import numpy.typing

Network = Union[str, os.PathLike[str], bytes, bytearray, memoryview]
Option = Union[str, int, float, bool, None, Sequence[Union[str, int, float]], "Target"]
Buffer = Union[bytes, bytearray, memoryview, array[Any], mmap]
Array = Union[numpy.typing.ArrayLike, Buffer]
Arrays = Union[Array, Sequence[Array], Mapping[str, Array]]
Writable = Union[numpy.ndarray, bytearray, memoryview, array[Any], mmap]
Outputs = Union[Sequence[Writable], Mapping[str, Writable], None]
Picture = Union[str, os.PathLike[str], bytes, bytearray, memoryview]
Progress = Callable[[str, int, int], None]

__version__: str

@dataclass(frozen=True)
class Reason:
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
    code: str
    reasons: Tuple[Reason, ...]
    json: str

class Unsupported(Error): ...

@dataclass(frozen=True)
class Tensor:
    name: str
    dtype: str
    shape: Tuple[int, ...]
    bytes: int
    scales: Tuple[float, ...]
    zero_points: Tuple[int, ...]
    axis: int
    def quantize(self, real: numpy.typing.ArrayLike) -> numpy.ndarray: ...
    def dequantize(self, stored: numpy.typing.ArrayLike) -> numpy.ndarray: ...

@dataclass(frozen=True)
class Class:
    label: int
    name: str
    score: float

@dataclass(frozen=True)
class Device:
    name: str
    kind: str
    target: str
    problem: str

class Call:
    name: str
    attributes: bytes
    inputs: Tuple[numpy.ndarray, ...]
    outputs: Tuple[numpy.ndarray, ...]
    input_tensors: Tuple[Tensor, ...]
    output_tensors: Tuple[Tensor, ...]

Operator = Callable[[Call], Union[Array, Sequence[Array], None]]

class Run:
    model: Model
    def __init__(self, model: Model, device: Optional[str] = None, **options: Option) -> None: ...
    def run(self, inputs: Arrays, outputs: Outputs = None) -> Dict[str, numpy.ndarray]: ...
    def start(self, inputs: Arrays, outputs: Outputs = None) -> None: ...
    def wait(self, seconds: Optional[float] = None) -> Dict[str, numpy.ndarray]: ...
    def cancel(self) -> None: ...
    def state(self, name: str) -> numpy.ndarray: ...
    def set_state(self, name: str, value: numpy.typing.ArrayLike) -> None: ...
    def reset(self) -> None: ...
    def image(self, picture: Picture, input: Union[int, str] = 0, **options: Option) -> numpy.ndarray: ...
    def classes(self, output: Union[int, str] = 0, **options: Option) -> List[Class]: ...
    def layers(self) -> Any: ...
    @property
    def cycles(self) -> int: ...
    @property
    def copied_bytes(self) -> int: ...
    def report(self) -> Dict[str, Any]: ...
    def trace(self) -> str: ...
    def close(self) -> None: ...

class Model:
    name: str
    target: str
    inputs: List[Tensor]
    outputs: List[Tensor]
    states: List[Tensor]
    predicted_cycles: int
    def save(self, directory: Union[str, os.PathLike[str]]) -> None: ...
    def session(self, device: Optional[str] = None, **options: Option) -> Run: ...
    def run(self, inputs: Arrays, outputs: Outputs = None) -> Dict[str, numpy.ndarray]: ...
    def report(self) -> Dict[str, Any]: ...
    def layers(self) -> Any: ...
    def image(self, picture: Picture, input: Union[int, str] = 0, **options: Option) -> numpy.ndarray: ...
    def classes(self, output: Union[int, str] = 0, **options: Option) -> List[Class]: ...
    def classify(self, picture: Picture, **options: Option) -> List[Class]: ...

class Target:
    name: str
    description: str
    fingerprint: str
    text: str
    main: Dict[str, Any]
    figures: Dict[str, Union[int, float, Fraction]]
    def __init__(self, target: Union[str, os.PathLike[str]] = "e256", changes: Mapping[str, Union[str, int, float]] = ...) -> None: ...
    def with_(self, **changes: Union[str, int, float, Fraction]) -> Target: ...
    def sweep(self, **values: Sequence[Union[str, int, float, Fraction]]) -> List[Target]: ...
    def options(self) -> Dict[str, str]: ...
    @property
    def changes(self) -> Dict[str, Union[int, float, Fraction]]: ...

def operator(name: str) -> Callable[[Operator], Operator]: ...
def compile(network: Network, *, name: Optional[str] = None, progress: Optional[Progress] = None, operators: Optional[Mapping[str, Operator]] = None, **options: Option) -> Model: ...
def load(directory: Union[str, os.PathLike[str]], **options: Option) -> Model: ...
def check(network: Network, *, name: Optional[str] = None, operators: Optional[Mapping[str, Operator]] = None, **options: Option) -> Tuple[Reason, ...]: ...
def explain(network: Network, *, name: Optional[str] = None, progress: Optional[Progress] = None, **options: Option) -> Dict[str, Any]: ...
def report(network: Network, *, name: Optional[str] = None, progress: Optional[Progress] = None, **options: Option) -> Dict[str, Any]: ...
def devices(**options: Option) -> List[Device]: ...
def targets() -> List[Target]: ...
def frame(document: Mapping[str, Any], part: str = "layers") -> Any: ...
def version() -> str: ...
