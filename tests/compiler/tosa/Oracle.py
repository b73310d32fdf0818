# Oracle.py - Results of a TOSA module by MLIR's own lowering
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR lowers the module through linalg to LLVM IR, clang makes a shared library of it, and its function `main` is called
with memref descriptors. Nothing of it shares code with the compiler, the kernels or the simulator."""
import ctypes
import dataclasses
import re
import struct
import subprocess
from pathlib import Path

LLVM = Path("/usr/lib/llvm-22")

PIPELINE = ("builtin.module("
            "func.func(llvm-request-c-wrappers,tosa-optional-decompositions,tosa-infer-shapes,tosa-make-broadcastable,"
            "tosa-to-linalg-named,canonicalize,tosa-to-scf,tosa-to-tensor,tosa-to-linalg,tosa-to-tensor,"
            "tosa-to-arith{include-apply-rescale=true}),canonicalize,empty-tensor-to-alloc-tensor,"
            "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},"
            "buffer-results-to-out-params{modify-public-functions=true},"
            "func.func(convert-linalg-to-loops),canonicalize,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
            "convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
            "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)")

BYTES = {"i1": 1, "i4": 1, "i8": 1, "ui8": 1, "i16": 2, "ui16": 2, "i32": 4, "i48": 8, "i64": 8, "bf16": 2, "f16": 2,
         "f32": 4}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor type; `text` is "2x3xi8" or, of rank 0, "i8"."""
    text: str

    @property
    def element(self):
        return self.text.split("x")[-1]

    @property
    def shape(self):
        return tuple(int(extent) for extent in self.text.split("x")[:-1])

    @property
    def count(self):
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def bytes(self):
        return self.count * BYTES[self.element]


class Failure(Exception):
    """The module cannot be lowered or run; the text says by which step."""


@dataclasses.dataclass(frozen=True)
class Function:
    """The network of a module."""
    name: str
    arguments: list
    results: list


def signature(text):
    """The only function of a module."""
    head = re.search(r"func\.func[^@]*@(\w+)\s*\((.*?)\)\s*->\s*(.*?)\s*(attributes\s*\{.*?\}\s*)?\{\s*$", text,
                     re.DOTALL | re.MULTILINE)
    name, arguments, results = head.groups()[:3]
    return Function(name, *([Tensor(each) for each in re.findall(r"tensor<([^>]*)>", part)]
                            for part in (arguments, results)))


def run_tool(name, arguments, text):
    done = subprocess.run([LLVM / "bin" / name, *arguments], input=text, capture_output=True, check=False, timeout=60)
    if done.returncode != 0:
        error = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure(f"{name}: {error[0] if error else done.returncode}")
    return done.stdout


def build(source, library):
    """Makes a shared library of a module in a file."""
    lowered = run_tool("mlir-opt", ["-", f"--pass-pipeline={PIPELINE}"], source.read_bytes())
    code = run_tool("mlir-translate", ["--mlir-to-llvmir"], lowered)
    run_tool("clang", ["-x", "ir", "-", "-shared", "-fPIC", "-O0", "-Wno-override-module", "-o", library,
                       f"-L{LLVM / 'lib'}", "-lmlir_c_runner_utils", f"-Wl,-rpath,{LLVM / 'lib'}", "-lm"], code)


def descriptor(tensor, buffer):
    """Allocated and aligned pointer, offset, extents, strides."""
    strides, stride = [], 1
    for extent in reversed(tensor.shape):
        strides.insert(0, stride)
        stride *= extent
    address = ctypes.addressof(buffer)
    words = [address, address, 0, *tensor.shape, *strides]
    return ctypes.create_string_buffer(struct.pack(f"{len(words)}q", *words))


def run(library, inputs, function):
    """Bytes of the results for bytes of the arguments."""
    results = function.results
    buffers = [ctypes.create_string_buffer(data, max(len(data), 1)) for data in inputs]
    buffers += [ctypes.create_string_buffer(max(tensor.bytes, 1)) for tensor in results]
    descriptors = [descriptor(tensor, buffer) for tensor, buffer in zip(function.arguments + results, buffers)]
    entry = ctypes.CDLL(str(library))["_mlir_ciface_" + function.name]
    entry.restype = None
    entry(*[ctypes.c_void_p(ctypes.addressof(each)) for each in descriptors])
    return [bytes(buffer.raw[:tensor.bytes]) for tensor, buffer in zip(results, buffers[len(inputs):])]
