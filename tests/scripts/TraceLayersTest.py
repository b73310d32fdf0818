#===- TraceLayersTest.py - Sums of a trace by layer
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Has scripts/traceLayers sum up small traces.

  TraceLayersTest.py PATH_OF_SCRIPT
"""

import json
import subprocess
import sys
import tempfile
import unittest

kScript = sys.argv.pop(1)


def span(name, begin, end, tid=1):
    return {"ph": "X", "name": name, "ts": begin, "dur": end - begin, "pid": 1, "tid": tid}


class TraceLayersTest(unittest.TestCase):
    def run_(self, trace, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(trace if isinstance(trace, str) else json.dumps(trace))
            file.flush()
            return subprocess.run([sys.executable, kScript, *options, file.name], text=True, capture_output=True)

    def sums(self, events):
        result = self.run_({"traceEvents": events}, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return {(row["layer"], row["phase"]): (row["spans"], row["microseconds"]) for row in json.loads(result.stdout)}

    def test_innermostSpanOwnsTheTime(self):
        self.assertEqual(self.sums([span("[NN_LR_PE]compute", 0, 100), span("[NN_LD_PCO]run", 20, 70),
                                    span("[NN_LD_PIO]read inputs", 25, 30), span("[NN_LR_PIO]copy outputs", 70, 80)]),
                         {("library", "execution"): (1, 40), ("driver", "computation"): (1, 45),
                          ("driver", "inputs and outputs"): (1, 5), ("library", "inputs and outputs"): (1, 10)})

    def test_tracksAreApart(self):
        self.assertEqual(self.sums([span("[NN_LR_PE]compute", 0, 100), span("[NN_LD_PE]execute", 10, 90, tid=2)]),
                         {("library", "execution"): (1, 100), ("driver", "execution"): (1, 80)})

    def test_otherEventsAreIgnored(self):
        events = [span("[NN_LC_PCO]compute", 0, 10), span("conv", 2, 8), {"ph": "M", "name": "thread_name"},
                  {"ph": "C", "name": "[NN_LR_PE]counter", "ts": 1}, span("[SUB][NN_LR_PC]prepare", 4, 6)]
        self.assertEqual(self.sums(events), {("CPU", "computation"): (1, 8), ("library", "compilation"): (1, 2)})

    def test_tableAddsUp(self):
        result = self.run_([span("[NN_LR_PE]compute", 0, 1500), span("[NN_LD_PE]execute", 500, 1000)])
        lines = [line.split() for line in result.stdout.splitlines()]
        self.assertEqual(lines[1:], [["library", "execution", "1", "1.000", "66.7"],
                                     ["driver", "execution", "1", "0.500", "33.3"], ["all", "2", "1.500", "100.0"]])

    def test_uselessFilesAreNamed(self):
        self.assertIn("has no spans", self.run_({"traceEvents": [span("conv", 0, 1)]}).stderr)
        self.assertIn("cannot be read", self.run_("no JSON").stderr)


if __name__ == "__main__":
    unittest.main()
