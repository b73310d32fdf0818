#===- VersionTest.py - Tests of the commit in the version
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Runs scripts/cmake/AvocetVersion.cmake on a small repository, an archive of it and a copy without git.

  VersionTest.py CMAKE SOURCE_TREE
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

kTree = pathlib.Path(sys.argv.pop(2))
kCmake = sys.argv.pop(1)
kModule = kTree / "scripts" / "cmake" / "AvocetVersion.cmake"
kIdentity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
             "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **kIdentity})
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout.strip()


class VersionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "Version.cpp"
        self.root = pathlib.Path(folder.name) / "tree"
        (self.root / "scripts" / "cmake").mkdir(parents=True)
        for name in (".gitattributes", "scripts/cmake/ArchivedCommit.txt"):
            shutil.copy(kTree / name, self.root / name)
        # The tree may itself be an archive.
        (self.root / "scripts/cmake/ArchivedCommit.txt").write_text("#\n$" "Format:%H$\n")
        (self.root / "a.cpp").write_text("int a;\n")
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")

    def git(self, *arguments):
        return run("git", *arguments, cwd=self.root)

    def version(self, root=None):
        root = root or self.root
        run(kCmake, f"-DROOT={root}", "-DVERSION=1.2.3", f"-DOUT={self.out}", "-P", str(kModule), cwd=root)
        return re.search(r'"avocet 1\.2\.3 \((.*)\)"', self.out.read_text()).group(1)

    def testCleanTreeHasItsCommit(self):
        self.assertEqual(self.version(), self.git("rev-parse", "--short=12", "HEAD"))

    def testTagsDoNotReplaceTheCommit(self):
        self.git("tag", "-am", "release", "v1")
        self.assertEqual(self.version(), self.git("rev-parse", "--short=12", "HEAD"))

    def testOnlyChangedFilesAreDirty(self):
        (self.root / "b.cpp").write_text("int b;\n")
        clean = self.version()
        self.assertNotIn("dirty", clean)
        (self.root / "a.cpp").write_text("int changed;\n")
        self.assertEqual(self.version(), clean + "-dirty")

    def testNextCommitChangesTheSource(self):
        before = self.version()
        self.git("commit", "--allow-empty", "-qm", "second")
        self.assertNotEqual(self.version(), before)

    def testEqualCommitLeavesTheFileAsItIs(self):
        self.version()
        os.utime(self.out, (1, 1))
        self.version()
        self.assertEqual(self.out.stat().st_mtime, 1)

    def testArchiveHasTheCommitItWasMadeOf(self):
        archive = self.root.parent / "archive"
        archive.mkdir()
        self.git("archive", "-o", "../archive.tar", "HEAD")
        run("tar", "-xf", "../archive.tar", cwd=archive)
        self.assertEqual(self.version(archive), self.git("rev-parse", "--short=12", "HEAD"))

    def testCopyWithoutRepositoryIsUnknown(self):
        # Below another repository, whose commit is not that of the sources.
        copy = self.root / "copy"
        shutil.copytree(self.root / "scripts", copy / "scripts")
        self.assertEqual(self.version(copy), "unknown")


if __name__ == "__main__":
    unittest.main()
