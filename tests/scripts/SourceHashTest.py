#===- SourceHashTest.py - Tests of the hash over the sources
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Runs scripts/cmake/AvocetSourceHash.cmake on small trees, as a script and as a step of a build.

  SourceHashTest.py CMAKE SOURCE_TREE GENERATED_FILE
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

kGenerated = sys.argv.pop(3)
kTree = sys.argv.pop(2)
kCmake = sys.argv.pop(1)
kModule = os.path.join(kTree, "scripts", "cmake", "AvocetSourceHash.cmake")

kProject = """cmake_minimum_required(VERSION 3.20)
project(small NONE)
include("%s")
avocet_source_hash("${CMAKE_BINARY_DIR}/Hash.cpp" smallHash lib schema)
add_custom_target(hash ALL DEPENDS "${CMAKE_BINARY_DIR}/Hash.cpp")
""" % kModule


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)


def hashIn(path):
    """The hash in a generated source."""
    with open(path, encoding="utf-8") as file:
        return re.search(r'\[\] = "([0-9a-f]{16})"', file.read()).group(1)


class SourceHashTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = self.folder.name
        write(self.root, "lib/A.cpp", "int a;\n")
        write(self.root, "lib/deep/B.h", "int b;\n")
        write(self.root, "schema/c.fbs", "table C {}\n")
        write(self.root, "other/D.cpp", "int d;\n")

    def run_(self, *command):
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def hash(self):
        out = os.path.join(self.root, "Out.txt")
        self.run_(kCmake, "-DROOT=" + self.root, "-DFOLDERS=lib,schema", "-DNAME=smallHash", "-DOUT=" + out, "-P", kModule)
        return hashIn(out)

    def assertChanges(self, change):
        before = self.hash()
        change()
        self.assertNotEqual(self.hash(), before)

    def testEqualTreesHaveEqualHashes(self):
        first = self.hash()
        os.utime(os.path.join(self.root, "lib/A.cpp"), (1, 1))
        self.assertEqual(self.hash(), first)

    def testEachKindOfChangeChangesHash(self):
        join = lambda path: os.path.join(self.root, path)
        self.assertChanges(lambda: write(self.root, "lib/A.cpp", "int A;\n"))
        self.assertChanges(lambda: write(self.root, "lib/deep/B.h", "int b; \n"))
        self.assertChanges(lambda: write(self.root, "schema/c.fbs", "table C { x:int; }\n"))
        self.assertChanges(lambda: write(self.root, "lib/New.td", ""))
        self.assertChanges(lambda: write(self.root, "lib/CMakeLists.txt", "\n"))
        # In the same place among the other names.
        self.assertChanges(lambda: os.rename(join("lib/A.cpp"), join("lib/AA.cpp")))
        self.assertChanges(lambda: os.remove(join("lib/AA.cpp")))

    def testSwappedContentsChangeHash(self):
        first = self.hash()
        write(self.root, "lib/A.cpp", "int b;\n")
        write(self.root, "lib/deep/B.h", "int a;\n")
        self.assertNotEqual(self.hash(), first)

    def testOtherFilesDoNotChangeHash(self):
        first = self.hash()
        write(self.root, "other/D.cpp", "int e;\n")
        write(self.root, "lib/README.md", "text\n")
        self.assertEqual(self.hash(), first)

    def testBuildUpdatesHashForChangedSources(self):
        write(self.root, "CMakeLists.txt", kProject)
        build = os.path.join(self.root, "build")
        make = lambda: self.run_(kCmake, "--build", build)
        self.run_(kCmake, "-G", "Ninja", "-S", self.root, "-B", build)
        make()
        hashes = [hashIn(os.path.join(build, "Hash.cpp"))]
        for path in ("lib/deep/B.h", "lib/New.cpp"):
            write(self.root, path, "int changed;\n")
            make()
            hashes.append(hashIn(os.path.join(build, "Hash.cpp")))
        self.assertEqual(len(set(hashes)), 3, hashes)

    def testBuildHashMatchesItsSources(self):
        with open(kGenerated, encoding="utf-8") as file:
            folders = re.search(r"from the sources in (\S+)\.\n", file.read()).group(1)
        for folder in ("compiler", "kernels", "cache", "firmware_iface", "hal/driver/schema", "hal/driver/lib/model"):
            self.assertIn(folder, folders.split(","))
        out = os.path.join(self.root, "Out.txt")
        self.run_(kCmake, "-DROOT=" + kTree, "-DFOLDERS=" + folders, "-DNAME=x", "-DOUT=" + out, "-P", kModule)
        self.assertEqual(hashIn(out), hashIn(kGenerated))


if __name__ == "__main__":
    unittest.main()
