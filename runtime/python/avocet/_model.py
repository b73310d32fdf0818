#===- _model.py - Networks and models
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import ctypes
import json
import os

from . import _library, _pictures, _tensor
from ._library import library, made, takeText
from ._operators import Operators
from ._options import Options
from ._run import Run


class Model:
    """A compiled network. `inputs`, `outputs` and `states` describe its tensors (avocet.Tensor)."""

    def __init__(self, handle, operators=None):
        self._operators = operators  # functions that runs call
        self._owner = _library.Owner(handle, library.avocetModelDestroy)
        self._tensors = [[_tensor.describe(made(library.avocetModelTensor, handle, role, index))
                          for index in range(library.avocetModelTensorCount(handle, role))] for role in range(3)]
        self.inputs, self.outputs, self.states = self._tensors
        self.name = library.avocetModelName(handle).decode(errors="replace")
        self.target = library.avocetModelTarget(handle).decode()
        self.predicted_cycles = library.avocetModelPredictedCycles(handle)
        self._run = None

    def save(self, directory):
        """Writes the artefacts; load() reads them."""
        _library.check(library.avocetModelSave(self._owner.handle, os.fsencode(directory)))

    def session(self, device=None, **options):
        """A Run on a device: "sim" (default), "kernel", "kernel:/dev/accel/accel0", "cpu", "service:NAME", "null", or
        the name or path of a plug-in."""
        return Run(self, device, **options)

    def run(self, inputs, outputs=None):
        """Executes once on the default device; see Run.run(). The session, with its states, is kept for the next call."""
        return self._session().run(inputs, outputs)

    def report(self):
        """Figures of the last run(), with those of layers."""
        return self._session().report()

    def layers(self):
        """The figures of layers of the last run() as a pandas frame."""
        return self._session().layers()

    def image(self, picture, input=0, **options):
        """A picture as an array for run(); see Run.image()."""
        return self._session().image(picture, input, **options)

    def classes(self, output=0, **options):
        """The best classes of the last run(); see Run.classes()."""
        return self._session().classes(output, **options)

    def classify(self, picture, **options):
        """The best classes of a picture (PNG or JPEG: path or bytes), the best first, for models with one input. Options are those of
        Run.image() and Run.classes(): classify("cat.jpg", top=3, fit="crop")."""
        self.run([self.image(picture, **options)])
        return self.classes(**_pictures.withNumbers(options))

    def _session(self):
        if self._run is None:
            self._run = self.session(profile=True)
        return self._run

    def __repr__(self):
        return f"<avocet.Model {self.name} for {self.target}>"


class _Network(_library.Owner):
    """A file by its path, or bytes."""

    def __init__(self, network, name):
        if isinstance(network, (bytes, bytearray, memoryview)):
            self._bytes = bytes(network)
            pointer = ctypes.cast(ctypes.c_char_p(self._bytes), ctypes.c_void_p)
            handle = made(library.avocetNetworkCreate, pointer, len(self._bytes), (name or "network").encode())
        else:
            handle = made(library.avocetNetworkOpen, os.fsencode(network))
        super().__init__(handle, library.avocetNetworkDestroy)


def _call(take, function, network, name, options, progress=None, operators=None):
    """What `take` makes of the handle that a function gives for a network."""
    opened = _Network(network, name)  # lives until the end of the call
    with Options(options, progress) as chosen:
        if operators:
            operators.addTo(chosen)
        return take(made(function, opened.handle, chosen.handle))


def compile(network, *, name=None, progress=None, operators=None, **options):
    """Compiles a network for a target.

    network: path of a .tflite, .onnx, .tosa or MLIR file or of a directory of artefacts, or the bytes of a file, which `name`
    names in messages. progress(what, done, total) is called with the work that is done now. Options are those of the C library
    with underscores, such as target="m512" or an avocet.Target, optimize=2, shape="input=1x224x224x3".
    Raises Unsupported with reasons if the target refuses operators. Ctrl-C ends it.

    With fallback="cpu" the host runs operators that the target refuses: `operators` and avocet.operator() have functions for
    custom ones by their names ("Halve"; in an .onnx file "domain::kind"), which get an avocet.Call; the CPU runs others, if it can.
    """
    functions = Operators(operators)
    return _call(lambda handle: Model(handle, functions), library.avocetNetworkCompile, network, name, options, progress, functions)


def load(directory, **options):
    """Loads artefacts of Model.save() or `avocet compile`."""
    with Options(options) as chosen:
        return Model(made(library.avocetModelOpen, os.fsencode(directory), chosen.handle))


def check(network, *, name=None, operators=None, **options):
    """The reasons for which the target refuses the network: one for each operator and rule; none: it runs. `operators` and
    fallback="cpu" as of compile()."""
    try:
        opened = _Network(network, name)
        with Options(options) as chosen:
            functions = Operators(operators)  # lives until the end of the call
            functions.addTo(chosen)
            _library.check(library.avocetNetworkCheck(opened.handle, chosen.handle))
    except _library.Unsupported as refused:
        return refused.reasons
    return ()


def explain(network, *, name=None, progress=None, **options):
    """What `avocet explain --json` prints (explain.schema.json), as dictionaries. Options: layer="12", changes=False, ..."""
    return json.loads(_call(takeText, library.avocetNetworkExplain, network, name, options, progress))


def report(network, *, name=None, progress=None, **options):
    """What `avocet report --data` writes (report.schema.json), as dictionaries. Options: ir=False, ..."""
    return json.loads(_call(takeText, library.avocetNetworkReport, network, name, options, progress))
