#===- NotebookTest.py - The example notebook runs and gives what it says
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest: NotebookTest.py NOTEBOOK DIGITS"""

import json
import os
import sys
import tempfile
import unittest

os.environ["MPLBACKEND"] = "Agg"
NOTEBOOK, DIGITS = sys.argv[1:3]

try:
    import matplotlib.pyplot
except ImportError:
    matplotlib = None


def cellsOf(path):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    assert notebook["nbformat"] == 4
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


class NotebookTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        os.environ["MODEL"] = DIGITS

    def execute(self, withPlots):
        """The names of the notebook after its cells, as a kernel executes them. Cells that plot have the tag "plot"."""
        names = {"__name__": "__main__"}
        for index, cell in enumerate(cellsOf(NOTEBOOK)):
            if withPlots or "plot" not in cell["metadata"].get("tags", []):
                exec(compile("".join(cell["source"]), f"cell {index}", "exec"), names)
        return names

    def testSweepGivesCycles(self):
        names = self.execute(withPlots=False)
        self.assertEqual(len(names["cycles"]), len(names["targets"]))
        self.assertGreater(names["cycles"][0], names["cycles"][-1])
        self.assertEqual(names["measured"], names["model"].report()["cycles"])

    @unittest.skipIf(matplotlib is None, "Python has no module matplotlib; install python3-matplotlib")
    def testPlotHasTheCurve(self):
        names = self.execute(withPlots=True)
        curve = matplotlib.pyplot.gca().get_lines()[0]
        self.assertEqual(list(curve.get_ydata()), names["cycles"])

    def testNoOutputsAreStored(self):
        for cell in cellsOf(NOTEBOOK):
            self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
