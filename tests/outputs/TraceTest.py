# The trace of a run: what Perfetto needs, what the figures of the run say, and the checker itself.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json

from Harness import DIGITS, ProgramTest
from TraceRules import errorsOf

DEVICE = 2


def span(tid, start, duration, name="a"):
    return {"ph": "X", "cat": "c", "name": name, "pid": 1, "tid": tid, "ts": start, "dur": duration}


def named(*events):
    names = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "p"}}]
    names += [{"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": "t"}}
              for tid in {event["tid"] for event in events}]
    return {"traceEvents": names + list(events)}


def flow(phase, identity, tid, time):
    return {"ph": phase, "cat": "flow", "name": "f", "id": identity, "pid": 1, "tid": tid, "ts": time, "bp": "e"}


class RulesTest(ProgramTest):
    def test_goodTracesPass(self):
        self.assertEqual(errorsOf(named(span(1, 0, 4), span(1, 1, 2), span(1, 4, 1), span(2, 3, 5), flow("s", 1, 1, 0),
                                        flow("f", 1, 2, 3))), [])

    def test_partlyOverlappingSpansAreFound(self):
        self.assertIn("ends after", errorsOf(named(span(1, 0, 4), span(1, 1, 4)))[0])

    def test_parentAfterItsChildIsFound(self):
        self.assertIn("ends after", errorsOf(named(span(1, 0, 1), span(1, 0, 4)))[0])

    def test_unboundFlowsAreFound(self):
        self.assertTrue(errorsOf(named(span(1, 0, 4), flow("s", 1, 1, 0))))
        self.assertTrue(errorsOf(named(span(1, 0, 4), flow("s", 1, 1, 0), flow("f", 1, 1, 5))))
        self.assertTrue(errorsOf(named(span(1, 0, 4), flow("s", 1, 1, 2), flow("f", 1, 1, 1))))

    def test_stepsOutsideTheirFlowAreFound(self):
        ends = [span(1, 0, 4), span(2, 3, 5), flow("s", 1, 1, 0), flow("f", 1, 2, 3)]
        self.assertEqual(errorsOf(named(*ends, flow("t", 1, 1, 2))), [])
        self.assertTrue(errorsOf(named(*ends, flow("t", 1, 2, 4))))
        self.assertTrue(errorsOf(named(*ends, flow("t", 2, 1, 2))))
        self.assertTrue(errorsOf(named(*ends, flow("t", 1, 1, 9))))

    def test_missingNamesAndTextsAsNumbersAreFound(self):
        self.assertTrue(errorsOf({"traceEvents": [span(1, 0, 4)]}))
        self.assertTrue(errorsOf(named({**span(1, 0, 4), "dur": "4"})))


class TraceTest(ProgramTest):
    def trace(self, *arguments):
        report = json.loads(self.avocet("run", DIGITS, "--trace", "trace.json", "--report", "json", *arguments).stdout)
        with open(self.path("trace.json"), encoding="utf-8") as file:
            return json.load(file), report

    def test_runsFollowTheRulesOnAllTargets(self):
        for target in ("e256", "e256s", "m512", "p4096"):
            trace, _ = self.trace("-t", target)
            self.assertEqual(errorsOf(trace)[:5], [], target)

    def test_jobReachesEveryEngine(self):
        trace, report = self.trace()
        events = trace["traceEvents"]
        tracks = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                  if event["name"] == "thread_name"}
        jobs = [event for event in events if event["ph"] == "X" and event["name"] == "job digits_int8"]
        self.assertEqual(len(jobs), 1)
        self.assertEqual(jobs[0]["args"]["cycles"], report["cycles"])
        starts = [event for event in events if event["ph"] == "f" and event["name"] == "start"]
        reached = {tracks[event["pid"], event["tid"]] for event in starts}
        for engine in ("1 MAC array", "2 DSP", "3 DMA channel 0"):
            self.assertIn(engine, reached)
        submitted = [event for event in events if event["name"] == "submit"]
        self.assertEqual([event["ph"] for event in submitted], ["s", "f"])
        self.assertEqual([event["pid"] for event in submitted], [1, DEVICE])
        self.assertTrue(any(event["name"] == "signal" for event in events))

    def test_numbersAreNumbers(self):
        trace, _ = self.trace()
        for event in trace["traceEvents"]:
            for key in ("layer", "command", "cycles", "start_cycle"):
                self.assertNotIsInstance(event.get("args", {}).get(key, 0), str, event)

    def test_countersAddUpToTheReport(self):
        trace, report = self.trace()
        counters = {}
        for event in trace["traceEvents"]:
            if event["ph"] == "C":
                counters.setdefault(event["name"], []).append((event["ts"], *event["args"].values()))
        self.assertEqual(set(counters), {"SRAM in use", "SRAM port use", "off-chip port use", "off-chip read",
                                         "off-chip write"})
        cyclesPerMicrosecond = report["clock_hz"] / 1e6
        moved = 0
        for name in ("off-chip read", "off-chip write"):
            samples = counters[name]
            for (start, value), (end, _) in zip(samples, samples[1:]):
                moved += value * (end - start) * cyclesPerMicrosecond
            self.assertEqual(samples[-1][1], 0)
        self.assertAlmostEqual(moved / report["dram_bytes"], 1, delta=0.01)
        used = max(value for _, value in counters["SRAM in use"])
        self.assertGreater(used, 0)
        self.assertLessEqual(used, report["sram_peak_bytes"] * 1.1)
        for name in ("SRAM port use", "off-chip port use"):
            self.assertLessEqual(max(value for _, value in counters[name]), 100.001, name)

    def test_runsWithoutCyclesHaveHostSpans(self):
        trace, _ = self.trace("--mode", "functional")
        self.assertEqual(errorsOf(trace), [])
        self.assertTrue(any(event["name"] == "run" for event in trace["traceEvents"]))
