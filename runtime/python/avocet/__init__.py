#===- __init__.py - Networks on Avocet devices from Python
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Compiles neural networks and runs them on Avocet devices: the simulator, the kernel driver, the CPU, or a service.

    import avocet
    model = avocet.compile("model.tflite", target="e256")
    result = model.run({"input": array})        # numpy arrays in and out, without copies
    model.report()["cycles"]                    # figures of the last run

Everything is a thin layer over the C library libavocet.so.0; options have the names of its page Options.md, with underscores.
Calls do not hold the interpreter's lock.
"""

from ._devices import Device, devices
from ._errors import Error, Reason, Unsupported
from ._frames import frame
from ._library import version
from ._model import Model, check, compile, explain, load, report
from ._operators import Call, operator
from ._pictures import Class
from ._run import Run
from ._target import Target, targets
from ._tensor import Tensor

__all__ = ["Call", "Class", "Device", "Error", "Model", "Reason", "Run", "Target", "Tensor", "Unsupported", "check", "compile",
           "devices", "explain", "frame", "load", "operator", "report", "targets", "version"]
__version__ = version().split(" ")[0]
