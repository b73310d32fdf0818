# PyTorch with its NNAPI backend, on the embedded device and on a service.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import subprocess
import sys
import tempfile
import unittest

from Harness import PATIENCE, Service, environment, needClient

LEAST_MODULES = 30
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pytorch")


def pytorchEnvironment(folder, **variables):
    """Where the unpacked packages are; the library stays the first that the loader finds."""
    found = environment(**variables)
    system, usr = (os.path.join(folder, root) for root in ("lib", "usr/lib"))
    machine = os.uname().machine + "-linux-gnu"
    libraries = [os.path.join(usr, machine, *part) for part in ((), ("blas",), ("lapack",))]
    libraries += [usr, os.path.join(usr, "ogdi"), os.path.join(system, machine)]
    found["LD_LIBRARY_PATH"] = ":".join([found["LD_LIBRARY_PATH"], *libraries])
    found["PYTHONPATH"] = os.path.join(usr, "python3", "dist-packages")
    return {**found, "PYTHONDONTWRITEBYTECODE": "1"}


class PytorchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = needClient("pytorch", "PyTorch 1.13")
        probe = subprocess.run([sys.executable, "-c", "import torch"], env=pytorchEnvironment(cls.folder),
                               capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            raise unittest.SkipTest("PyTorch cannot be imported: " + probe.stderr.strip().splitlines()[-1])

    def runModules(self, **variables):
        script = os.path.join(SCRIPTS, "RunModules.py")
        with tempfile.TemporaryDirectory(prefix="avocetPytorch") as folder:
            counterFile = os.path.join(folder, "counters.json")
            variables = {"AVOCET_NNAPI_COUNTERS": counterFile, "AVOCET_NNAPI_RECORDS": folder, **variables}
            run = subprocess.run([sys.executable, script], env=pytorchEnvironment(self.folder, **variables),
                                 capture_output=True, text=True, timeout=250, check=False)
            print("\n" + run.stdout + run.stderr)
            self.assertEqual(run.returncode, 0)
            self.assertGreaterEqual(len(run.stdout.splitlines()), LEAST_MODULES)
            with open(counterFile, encoding="utf-8") as file:
                counters = json.load(file)
        self.assertGreaterEqual(counters["compilations"], LEAST_MODULES)
        self.assertEqual(counters["operations"], counters["operationsOnDevice"])
        self.assertEqual((counters["cpuFallbacks"], counters["failedExecutions"]), (0, 0))

    def test_embeddedModulesMatchEagerMode(self):
        self.runModules(AVOCET_NNAPI_DEVICES="embedded")

    def test_serviceModulesMatchEagerMode(self):
        service = Service()
        try:
            self.runModules(**service.environment())
        finally:
            self.assertEqual(service.stop(), 0)

    def test_killedServiceFailsCallThenRecovers(self):
        service = Service()
        self.addCleanup(service.stop)
        command = [sys.executable, os.path.join(SCRIPTS, "Inferences.py")]
        with subprocess.Popen(command, env=pytorchEnvironment(self.folder, **service.environment()), text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as application:

            def infer():
                application.stdin.write("\n")
                application.stdin.flush()
                return application.stdout.readline().strip()

            self.assertEqual([infer() for _ in range(20)], ["same"] * 20)
            service.kill()
            # The CPU takes over, or the prescribed code comes, after some seconds for the service to start again.
            self.assertRegex(infer(), "^(same|error .*failed with error 14)")
            service.start()
            self.assertEqual(infer(), "same")
            application.stdin.close()
            self.assertEqual(application.wait(PATIENCE), 0)
