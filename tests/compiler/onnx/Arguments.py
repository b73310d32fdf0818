# Arguments.py - The arguments that the tests of ONNX networks share
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import os
import sys
from pathlib import Path

import Runtime

SKIPPED = 77  # exit code of a test that lacks what it needs


def parser(description, program="avocet", count=None):
    """With the folder of the programs, and --clients. `count`: of folders, as argparse's nargs."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("binary", type=Path, metavar="BIN", nargs=count, help=f"folder of the program {program}")
    made.add_argument("--clients", type=Path, default=os.environ.get("AVOCET_CLIENTS", "build/clients"),
                      help="folder of 'scripts/setup --clients'; default: $AVOCET_CLIENTS, or build/clients")
    return made


def add_choice(made, subject):
    """--target, and --filter for the names of `subject`."""
    made.add_argument("--target", default="e256")
    made.add_argument("--filter", default="", help=f"regular expression that occurs in the name of {subject}")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def runtime_library(clients):
    """The library of ONNX Runtime; without it the test is skipped."""
    return Runtime.library(clients) or skip(f"ONNX Runtime is not in {clients}; install it with scripts/setup --clients")


def quantization(description, subject):
    """(arguments, runtimes) of a test of quantized networks: one that computes what the format says, and one that fuses."""
    made = parser(description)
    add_choice(made, subject)
    made.add_argument("--keep", type=Path, metavar="DIR", help="write the networks, in folders")
    arguments = made.parse_args()
    library = runtime_library(arguments.clients)
    return arguments, (Runtime.Runtime(library), Runtime.Runtime(library, Runtime.EXTENDED))


def testdata(clients):
    """The folder of ONNX's own tests, unpacked or of Debian's package; it may be missing."""
    unpacked = clients / "onnx-testdata" / "data"
    return unpacked if unpacked.exists() else Path("/usr/share/libonnx-testdata/data")
