#!/usr/bin/python3
# Runs the tests of what the programs print.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RunTests.py --programs FOLDER TEST ...

TEST is a module, as TraceTest, or a part of one. The exit code is 77 if all tests of the modules were skipped.
"""

import argparse
import os
import sys
import unittest

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="folder of the built programs")
    parser.add_argument("--vectors", default="", help="NNAPI vectors, for the tests that need some")
    parser.add_argument("tests", nargs="+")
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import Harness  # pylint: disable=import-outside-toplevel
    Harness.PROGRAMS = os.path.abspath(arguments.programs)
    Harness.VECTORS = arguments.vectors
    suite = unittest.defaultTestLoader.loadTestsFromNames(arguments.tests)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if not result.wasSuccessful():
        return 1
    return SKIPPED if len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
