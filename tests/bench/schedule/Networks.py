# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of the benchmark: the project's own, those of the shared data, large ones that the shared data makes, and
those of others that scripts/setup --networks installs."""

import csv
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
LARGE = ("efficientnetLite0", "inceptionV1", "resnet50", "ssdMobilenetV1")
# It needs numpy and flatbuffers, which Debian installs for its own Python only.
DEBIAN_PYTHON = "/usr/bin/python3"


def canMake():
    """Whether makeNetworks.py can run here."""
    if not os.path.exists(DEBIAN_PYTHON):
        return False
    done = subprocess.run([DEBIAN_PYTHON, "-c", "import flatbuffers, numpy"], capture_output=True, check=False)
    return done.returncode == 0


def makeLarge(shared, folder):
    """(name, path) of the large networks, written to `folder` unless they are newer than their program; notes."""
    program = pathlib.Path(shared) / "schedules" / "makeNetworks.py"
    if not program.is_file():
        return [], [f"large networks: {program} is absent"]
    paths = [(name, folder / (name + ".tflite")) for name in LARGE]
    changed = program.stat().st_mtime
    missing = [name for name, path in paths if not path.is_file() or path.stat().st_mtime < changed]
    if missing and not canMake():
        return [], [f"large networks: {DEBIAN_PYTHON} has no numpy and flatbuffers (python3-numpy, python3-flatbuffers)"]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as fresh:  # a run that is stopped leaves no half files
            subprocess.run([DEBIAN_PYTHON, str(program), "--out", fresh, *missing], check=True)
            for name in missing:
                shutil.move(f"{fresh}/{name}.tflite", folder / (name + ".tflite"))
    return paths, []


def findBelow(folders):
    """(name, path) of the .tflite files below some folders."""
    return [(path.stem, path) for folder in folders for path in sorted(pathlib.Path(folder).rglob("*.tflite"))]


def findNetworks(shared, build):
    """(name, path) of all networks, and notes on those that cannot be measured."""
    networks = [(path.stem, path) for path in sorted((ROOT / "tests" / "models" / "digits").glob("*.tflite"))]
    if not shared:
        return networks, ["all but the project's own networks: AVOCET_SHARED_DATA is not set"]
    networks += [(path.parent.name, path) for path in sorted(pathlib.Path(shared).glob("models/*/model.tflite"))]
    large, notes = makeLarge(shared, pathlib.Path(build) / "networks")
    return networks + large, notes


def findInstalled(clients):
    """(name, path) of the networks that scripts/setup --networks has installed."""
    return findBelow([pathlib.Path(clients) / "networks"])


def readPeer(shared):
    """Rows of the peer's table by (network, target)."""
    path = pathlib.Path(shared) / "schedules" / "peer.tsv" if shared else None
    if not path or not path.is_file():
        return {}
    with open(path, encoding="utf-8") as text:
        return {(row["network"], row["profile"]): row for row in csv.DictReader(text, delimiter="\t")}
