#===- InterruptTest.py - Ctrl-C ends compilations and runs
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest: InterruptTest.py AVOCET DIGITS"""

import signal
import subprocess
import sys
import time
import unittest

DIGITS = sys.argv[2]

# The search for a schedule takes its whole time.
COMPILES = """
import avocet, sys
avocet.compile(sys.argv[1], optimize="600s", progress=lambda what, done, total: print(what, flush=True))
"""

# A chain of convolutions, one execution of which takes a minute on the simulator.
T = "tensor<1x256x256x64xf32>"
STEPS = "\n".join(f"    %{i + 1} = nn.conv_2d %{i or 'x'}, %w pad [3, 3, 3, 3] : ({T}, tensor<64x7x7x64x!w>) -> {T}" for i in range(72))
NETWORK = f"""!w = !quant.uniform<i8:f32, 0.5>
module attributes {{avocet.phase = "import"}} {{
  func.func @main(%x: {T}) -> {T} {{
    %w = nn.constant dense<2> : tensor<64x7x7x64xi8> as tensor<64x7x7x64x!w>
{STEPS}
    return %72 : {T}
  }}
}}"""
RUNS = """
import avocet, sys
model = avocet.compile(sys.argv[2].encode(), name="long.mlir", target="p4096")
run = model.session()
print("runs", flush=True)
try:
    run.run(bytearray(model.inputs[0].bytes))
except KeyboardInterrupt:
    run.reset()  # is refused while it executes
    raise
"""


class InterruptTest(unittest.TestCase):
    def interrupted(self, program, awaited):
        """Seconds from the signal to the end of a program that prints a line with `awaited` first."""
        with subprocess.Popen([sys.executable, "-c", program, DIGITS, NETWORK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            try:
                self.assertTrue(any(awaited in line for line in child.stdout))
                time.sleep(0.5)
                self.assertIsNone(child.poll())
                child.send_signal(signal.SIGINT)
                began = time.monotonic()
                errors = child.communicate(timeout=60)[1]
            finally:
                child.kill()
        self.assertEqual(child.returncode, -signal.SIGINT, errors)
        self.assertEqual(errors.splitlines()[-1], "KeyboardInterrupt")
        return time.monotonic() - began

    def testEndsACompilation(self):
        self.assertLess(self.interrupted(COMPILES, "compiling"), 10)

    def testEndsARun(self):
        self.assertLess(self.interrupted(RUNS, "runs"), 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
