#!/usr/bin/python3
# Runs the tests of unmodified applications.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RunTests.py --build FOLDER --clients FOLDER [--shared FOLDER] [TEST ...]

TEST is a module, as LifetimeTest, or a part of one, as LifetimeTest.LifetimeTest.test_forkedProcessUsesService. The
exit code is 77 if all of them were skipped.
"""

import argparse
import os
import sys
import unittest

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a build folder, with bin/ and lib/")
    parser.add_argument("--clients", required=True, help="where scripts/setup --clients has put the clients")
    parser.add_argument("--shared", default="", help="the folder with models/")
    parser.add_argument("tests", nargs="+")
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import Harness  # pylint: disable=import-outside-toplevel
    Harness.BUILD, Harness.CLIENTS = os.path.abspath(arguments.build), os.path.abspath(arguments.clients)
    Harness.SHARED = os.path.abspath(arguments.shared) if arguments.shared else None
    suite = unittest.defaultTestLoader.loadTestsFromNames(arguments.tests)
    count = suite.countTestCases()
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if not result.wasSuccessful():
        return 1
    return SKIPPED if len(result.skipped) == count and count > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
