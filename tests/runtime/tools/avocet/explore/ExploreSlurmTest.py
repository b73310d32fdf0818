# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""avocet explore --slurm on a cluster of this computer: the results are those of a run without it.

  ExploreSlurmTest.py --avocet PROGRAM --model NETWORK      exit code 77, with the reason, if there can be no cluster here
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import SlurmCluster

EXIT_SKIPPED = 77
GRID = ["--set", "sram.bytes=32K,64K,256K", "--set", "dram.bandwidth=0.5,1,2"]
FILES = ["explore.csv", "changes.csv", "explore.json", "explore.html"]


class ExploreSlurmTest(unittest.TestCase):
    cluster = None
    options = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def explore(self, output, *more, model=None):
        line = [self.options.avocet, "explore", "--models", model or self.options.model, *GRID, "-o", output, "--rows", "all", *more]
        return subprocess.run(line, cwd=self.folder.name, env=self.cluster.environment, capture_output=True, text=True, timeout=240,
                              check=False)

    def read(self, name):
        return (pathlib.Path(self.folder.name) / name).read_text()

    def testArrayJobGivesResultsOfLocalRun(self):
        submitted = self.explore("an output", "--slurm", "--tasks", "4")
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        local = self.explore("local")
        self.assertEqual(local.returncode, 0, local.stderr)
        self.assertEqual(submitted.stdout, local.stdout)
        for name in FILES:
            self.assertEqual(self.read("an output/" + name), self.read("local/" + name), name)
        parts = sorted(path.name for path in pathlib.Path(self.folder.name, "an output", "results").iterdir())
        self.assertEqual(parts, [f"share-{number}-of-4.jsonl" for number in range(4)])

    def testFinishedPointsSubmitNoJob(self):
        first = self.explore("out")
        again = self.explore("out", "--slurm")
        self.assertEqual((again.returncode, again.stdout), (0, first.stdout), again.stderr)
        self.assertFalse(pathlib.Path(self.folder.name, "out", "explore.sbatch").exists())

    def testRefusedOptionsOfSbatchAreReported(self):
        result = self.explore("out", "--slurm", "--slurm-option=--partition=absent")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--slurm: sbatch did not accept out/explore.sbatch: ", result.stderr)
        self.assertIn("invalid partition", result.stderr)

    def testTasksThatFailLeaveMissingPoints(self):
        elsewhere = pathlib.Path(self.folder.name, "elsewhere")
        elsewhere.mkdir()
        shutil.copy(self.options.model, pathlib.Path(self.folder.name, "net.tflite"))
        result = self.explore("out", "--slurm", "--tasks", "2", f"--slurm-option=--chdir={elsewhere}", model="net.tflite")
        self.assertEqual(result.returncode, 1)
        self.assertIn("has ended; out/slurm has the messages of its tasks", result.stderr)
        self.assertIn("9 are missing", result.stderr)
        self.assertIn("net.tflite: there is no such file", self.read("out/slurm/task-1.log"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--avocet", required=True)
    parser.add_argument("--model", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            with SlurmCluster.SlurmCluster(folder) as cluster:
                ExploreSlurmTest.cluster, ExploreSlurmTest.options = cluster, options
                result = unittest.main(argv=[sys.argv[0]], exit=False).result
        except SlurmCluster.NoCluster as reason:
            print("skipped:", reason)
            return EXIT_SKIPPED
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
