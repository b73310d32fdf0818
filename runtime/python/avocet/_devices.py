#===- _devices.py - What this machine offers
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import json
from dataclasses import dataclass

from ._library import library, made, takeText
from ._options import Options


@dataclass(frozen=True)
class Device:
    """A place where models run. `name` is for Model.session(); kind: "simulator", "cpu", "kernel", "plug-in" or "service"; target: of
    the device, empty: any, or not known; problem: why it cannot be used, and what to do, empty: it can."""

    name: str
    kind: str
    target: str
    problem: str


def devices(**options):
    """The devices of this machine: those of this process, of the kernel driver, and of services (option socket: where one
    listens, or the folder of a registry of several). Services that do not answer are in the list with the problem."""
    with Options(options) as chosen:
        found = json.loads(takeText(made(library.avocetDeviceList, chosen.handle)))
    silent = [Device(f"service:{each['name']}", "service", "", each["problem"]) for each in found["left_out"]]
    return [Device(**each) for each in found["devices"]] + silent
