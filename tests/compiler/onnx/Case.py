# Case.py - Random cases and networks of them
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case is a small graph with the data of its inputs. Cases of one opset make one network, so that a process compiles
many of them. All names of a case begin with its prefix."""
import numpy as np

import Proto
from Proto import TYPES, Tensor

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")


def limits(type_):
    if type_ in ("i4", "u4"):
        return (-8, 7) if type_ == "i4" else (0, 15)
    info = np.iinfo(TYPES[type_][1])
    return int(info.min), int(info.max)


class Draw:
    """Random choices, a function of the seed's text."""

    def __init__(self, seed):
        self.source = np.random.Generator(np.random.PCG64(int.from_bytes(seed.encode(), "little")))

    def integer(self, low, high):
        """Both ends are included."""
        return int(self.source.integers(low, high + 1))

    def real(self, low, high):
        """A number that a float32 holds."""
        return float(np.float32(self.source.uniform(low, high)))

    def chance(self, probability):
        return bool(self.source.random() < probability)

    def choice(self, values):
        return values[self.integer(0, len(values) - 1)]

    def extents(self, rank, most=5):
        return [self.integer(1, most) for _ in range(rank)]

    def permutation(self, count):
        return [int(each) for each in self.source.permutation(count)]

    def subset(self, count, least=1):
        return sorted(self.permutation(count)[:self.integer(least, count)])

    def signed(self, axis, rank, version, since=11):
        """The axis, counted from the end in half of the cases, if the operator admits that."""
        return axis - rank if version >= since and self.chance(0.5) else axis

    def tensor(self, type_, shape, low=None, high=None):
        if type_ == "bool":
            return Tensor(type_, self.source.random(shape) < 0.5)
        if type_ in INTEGERS or type_ in ("i4", "u4"):
            least, most = limits(type_)
            if type_ in ("i32", "u32", "i64", "u64"):  # products and sums of a few do not overflow
                least, most = max(least, -1000), 1000
            least, most = least if low is None else low, most if high is None else high
            return Tensor(type_, self.source.integers(least, most + 1, shape).astype(TYPES[type_][1]))
        values = self.source.uniform(-4 if low is None else low, 4 if high is None else high, shape).astype(np.float32)
        if type_ == "bf16":
            return Tensor(type_, (np.asarray(values).view(np.uint32) >> 16).astype(np.uint16))
        return Tensor(type_, np.asarray(values).astype(TYPES[type_][1]))

    def special(self, type_, shape):
        """With a few NaN and infinities among floats."""
        made = self.tensor(type_, shape)
        if type_ in ("f32", "f16", "f64"):
            chosen = self.source.random(shape)
            for threshold, value in ((0.06, np.nan), (0.04, np.inf), (0.02, -np.inf)):
                made.array[chosen < threshold] = value
        return made

    def broadcast(self, shape):
        """A shape that broadcasts to `shape`."""
        kept = shape[self.integer(0, len(shape)):] if self.chance(0.4) else shape
        return [1 if self.chance(0.3) else extent for extent in kept]


class Case:
    def __init__(self, prefix, version):
        self.prefix, self.version = prefix, version
        self.inputs, self.constants, self.nodes, self.outputs = {}, {}, [], {}
        self.count, self.microsoft, self.known = 0, False, set()

    def name(self):
        self.count += 1
        return f"{self.prefix}_{self.count}"

    def input(self, tensor, known=False):
        """`known`: the program is made for its value."""
        name = self.name()
        self.inputs[name] = tensor
        if known:
            self.known.add(name)
        return name

    def constant(self, tensor):
        name = self.name()
        self.constants[name] = tensor
        return name

    def ints(self, values, type_="i64"):
        """A constant list of integers."""
        return self.constant(Proto.tensor(type_, values))

    def node(self, operator, inputs, outputs=1, domain="", **attributes):
        """Names of the results, or the name if there is one. An input that is None is left out."""
        names = [self.name() for _ in range(outputs)]
        self.microsoft |= domain == "com.microsoft"
        self.nodes.append(Proto.node(operator, [each or "" for each in inputs], names, self.name(), domain, attributes))
        return names[0] if outputs == 1 else names

    def result(self, names, bound=None):
        """Compares these values; `bound`: the largest relative difference of floats, None: that of the type."""
        for name in [names] if isinstance(names, str) else names:
            self.outputs[name] = bound

    def subgraph(self, inputs, build):
        """The bytes of a graph that is an attribute. `inputs`: {name: (type, shape)}; `build(inner)` returns the names of
        its results and adds nodes to `inner`, which sees the names of this case."""
        inner = Case(self.name(), self.version)
        results = build(inner)
        return Proto.graph(inner.nodes, inner.initializers(), [Proto.value_info(name, *each) for name, each in inputs.items()],
                           [Proto.value_info(name, *each) for name, each in results.items()])

    def initializers(self):
        return [Proto.tensor_proto(tensor, name) for name, tensor in self.constants.items()]


class Network:
    """Cases of one opset."""

    def __init__(self, cases):
        self.cases, self.version = cases, cases[0].version
        self.inputs = {name: tensor for case in cases for name, tensor in case.inputs.items()}
        self.known = {name for case in cases for name in case.known}
        self.outputs = {name: bound for case in cases for name, bound in case.outputs.items()}

    def model(self, results=None, version=None):
        """The file; `results`: {name: Tensor} declares types and shapes of outputs; `version`: another opset."""
        results = results or {}
        outputs = [Proto.value_info(name, *((results[name].type, results[name].shape) if name in results else ()))
                   for name in self.outputs]
        body = Proto.graph([node for case in self.cases for node in case.nodes],
                           [each for case in self.cases for each in case.initializers()],
                           [Proto.value_info(name, tensor.type, tensor.shape) for name, tensor in self.inputs.items()], outputs)
        return Proto.model(body, version or self.version, any(case.microsoft for case in self.cases))
