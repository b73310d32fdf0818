#!/usr/bin/python3
# Runs the tests of the Python client against an avocetd.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RunTests.py --avocetd PROGRAM --classes FOLDER [TEST ...]

FOLDER holds the classes that flatc --python --gen-object-api generates from messages.fbs. TEST is a module, as
CallsTest, or a part of one, as CallsTest.CallsTest.test_executesAdd; none: all of them.
"""

import argparse
import os
import sys
import unittest

SKIPPED = 77
MODULES = ["CallsTest", "QueueBurstTest", "HostileQueueTest", "MalformedTest", "MutationTest", "ProtocolTest"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--avocetd", required=True, help="the service to test, of any build")
    parser.add_argument("--classes", required=True, help="folder of the generated classes")
    parser.add_argument("--mutations", type=int, default=1000, help="mutated messages that MutationTest sends")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations")
    parser.add_argument("--option", action="append", default=[], help="a further option of the service")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("tests", nargs="*")
    arguments = parser.parse_args()
    try:
        import flatbuffers  # pylint: disable=unused-import,import-outside-toplevel
    except ImportError:
        print("skipped: Python has no FlatBuffers runtime; install python3-flatbuffers")
        return SKIPPED
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), arguments.classes]
    import MutationTest  # pylint: disable=import-outside-toplevel
    import ServiceProcess  # pylint: disable=import-outside-toplevel
    ServiceProcess.PROGRAM = os.path.abspath(arguments.avocetd)
    ServiceProcess.OPTIONS = arguments.option
    MutationTest.COUNT, MutationTest.SEED = arguments.mutations, arguments.seed
    suite = unittest.defaultTestLoader.loadTestsFromNames(arguments.tests or MODULES)
    result = unittest.TextTestRunner(verbosity=2 if arguments.verbose else 1).run(suite)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
