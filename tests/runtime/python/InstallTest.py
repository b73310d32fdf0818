#===- InstallTest.py - pip installs the Python package without the network
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest: InstallTest.py PACKAGE LIBRARIES DIGITS"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PACKAGE, LIBRARIES, DIGITS = sys.argv[1:4]

PROGRAM = """
import os, sys
import avocet
assert os.path.realpath(avocet.__file__).startswith(os.path.realpath(sys.prefix)), avocet.__file__
model = avocet.compile(sys.argv[1])
print(model.outputs[0].name, os.path.exists(os.path.join(os.path.dirname(avocet.__file__), "py.typed")),
      os.path.exists(os.path.join(os.path.dirname(avocet.__file__), "__init__.pyi")))
"""


def missing():
    """Why pip cannot build here; empty: it can."""
    for module, package in (("venv", "python3-venv"), ("pip", "python3-pip"), ("setuptools", "python3-setuptools"), ("wheel", "python3-wheel")):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode != 0:
            return f"Python has no module {module}; install {package}"
    return ""


class InstallTest(unittest.TestCase):
    @unittest.skipIf(missing(), missing())
    def testPipInstallsIt(self):
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.join(folder, "package")  # setuptools writes to the folder that it builds
            shutil.copytree(PACKAGE, package)
            venv = os.path.join(folder, "venv")
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", venv], check=True)
            python = os.path.join(venv, "bin", "python")
            environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_"))}
            environment["LD_LIBRARY_PATH"] = LIBRARIES
            subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-build-isolation",
                            "--disable-pip-version-check", package], check=True, env=environment)
            done = subprocess.run([python, "-c", PROGRAM, DIGITS], check=True, capture_output=True, text=True, env=environment, cwd=folder)
            self.assertEqual(done.stdout.split(), ["softmax", "True", "True"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
