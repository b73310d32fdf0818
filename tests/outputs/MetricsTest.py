# The counters of a service for Prometheus, and the reader that checks them.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import time
import unittest

from Harness import DIGITS
from MetricsRules import parse
from Service import PATIENCE, ServiceTest

GOOD = "# HELP a_total Things.\n# TYPE a_total counter\na_total 3\n"


class RulesTest(unittest.TestCase):
    def test_goodMetricsAreRead(self):
        text = GOOD + '# HELP b_bytes Size.\n# TYPE b_bytes gauge\nb_bytes{x="1\\"\\n",y="2"} 2.5\nb_bytes{x="2"} 0\n'
        self.assertEqual(parse(text), {("a_total", ()): 3, ("b_bytes", (("x", '1"\n'), ("y", "2"))): 2.5,
                                       ("b_bytes", (("x", "2"),)): 0})

    def test_brokenFormsAreFound(self):
        for bad in (GOOD[:-1], GOOD + "\n", GOOD + GOOD, GOOD + "a_total 3\n", GOOD + "b_total 3\n", GOOD + "# TYPE x y\n",
                    GOOD.replace(" 3", " 3e"), GOOD.replace(" 3", "{x=1} 3"), GOOD.replace(" 3", '{x="1",} 3'),
                    GOOD.replace("a_total 3\n", ""), "a_total 3\n", GOOD.replace("# HELP a_total Things.\n", "")):
            with self.assertRaises(ValueError, msg=bad):
                parse(bad)

    def test_namesAgainstTheRulesAreFound(self):
        for name, kind in (("a", "counter"), ("a_total", "gauge"), ("a_milliseconds", "gauge"), ("a_bytes_used", "gauge")):
            with self.assertRaises(ValueError, msg=name):
                parse(f"# HELP {name} Things.\n# TYPE {name} {kind}\n{name} 1\n")


class MetricsTest(ServiceTest):
    def metrics(self):
        return parse(self.avocet("devices", "--socket", "socket", "--metrics").stdout)

    def metricsOfOneConnection(self):
        """The service may not yet have seen the end of the connection that showed that it listens."""
        end = time.monotonic() + PATIENCE
        while (metrics := self.metrics())["avocet_connections", ()] != 1:
            self.assertLess(time.monotonic(), end, "the reader is not the only client")
        return metrics

    def run_(self, *options, code=0):
        self.avocet("run", DIGITS, "--device", "avocet-e256", "--socket", "socket", "--report", "none", *options,
                    code=code)

    def test_serviceOfTwoDevicesHasAllMetrics(self):
        self.startService("--target", "e256", "--target", "m512")
        metrics = self.metricsOfOneConnection()
        names = {name for name, _ in metrics}
        for name in names:
            self.assertTrue(name.startswith("avocet_"), name)
        ofDevices = {name for name in names if name.startswith("avocet_device_") and "clock" not in name}
        for name in ofDevices:
            devices = {dict(labels)["device"] for found, labels in metrics if found == name}
            self.assertEqual(devices, {"avocet-e256", "avocet-m512"}, name)
        self.assertIn("avocet_device_memory_bytes", ofDevices)
        self.assertIn("avocet_compiler_crashes_total", names)

    def test_countersGrowWithRuns(self):
        self.startService("--target", "e256")
        before = self.metrics()
        self.run_("--repeat", "3")
        after = self.metrics()
        for name in ("avocet_calls_total", "avocet_connections_total", "avocet_device_clock_seconds_total"):
            self.assertGreater(after[name, ()], before[name, ()], name)
        device = (("device", "avocet-e256"),)
        self.assertEqual(after["avocet_device_executions_total", device], 3)
        self.assertEqual(after["avocet_device_failed_executions_total", device], 0)
        self.assertEqual(after["avocet_device_compiler_runs_total", device], 1)
        self.assertGreater(after["avocet_device_compiler_seconds_total", device], 0)
        for part in ("driver", "device"):
            key = ("avocet_execution_seconds_total", (("part", part),))
            self.assertGreater(after[key], before[key], part)

    def test_errorsAreCountedByCode(self):
        self.startService("--target", "e256", "--max-models", "0")
        self.run_(code=1)
        metrics = self.metrics()
        self.assertEqual(metrics["avocet_call_errors_total", (("code", "RESOURCE_EXHAUSTED_PERSISTENT"),)], 1)
        self.assertEqual(metrics["avocet_call_errors_total", (("code", "INVALID_ARGUMENT"),)], 0)

    def test_cacheLookupsHaveTheirResult(self):
        self.startService("--target", "e256", "--cache-dir", self.path("cache"), "--blob-cache", "16M")
        for _ in range(3):
            self.run_()
        metrics = self.metrics()
        self.assertEqual([metrics["avocet_device_cache_lookups_total", (("device", "avocet-e256"), ("result", result))]
                          for result in ("hit", "miss")], [2, 1])

    def test_metricsAndJsonExcludeEachOther(self):
        self.avocet("devices", "--socket", "socket", "--metrics", "--json", code=2)
        self.assertIn("start avocetd", self.avocet("devices", "--socket", "socket", "--metrics", code=1).stderr)
