# A real avocetd for the tests, and the resources that it holds.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from avocetClient import Client
from avocetClient.Wire import PATIENCE, Closed

PROGRAM = None  # set by RunTests.py
OPTIONS = []


def environment():
    """AddressSanitizer keeps up to 256 MiB of freed memory by default, which would look like a leak."""
    options = filter(None, [os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=16"])
    return {**os.environ, "ASAN_OPTIONS": ":".join(options)}


class ServiceProcess:
    """avocetd in its own folder; its log goes to `log`."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="avocetPython")
        self.path = os.path.join(self.folder, "socket")
        self.log = os.path.join(self.folder, "log")
        command = [PROGRAM, "--socket", self.path, "--target", "e256", "--cache-dir", os.path.join(self.folder, "cache"),
                   *OPTIONS, *options]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment())
        self.devices = self._awaitStart()

    def _awaitStart(self):
        end = time.monotonic() + 4 * PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                return Client.listDevices(self.path)
            except (FileNotFoundError, ConnectionRefusedError, Closed):
                time.sleep(0.01)
        raise RuntimeError("avocetd does not start: " + self.logText())

    def logText(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()[-20000:]

    def isAlive(self):
        return self.process.poll() is None

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def residentBytes(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def peakBytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))

    def totals(self):
        """The service's counters by name, summed over its devices."""
        totals = Client.readTotals(self.path)
        sums = {name: getattr(totals, name) for name in ("clientsNow", "objectsNow", "burstsNow", "descriptorsNow")}
        for name in ("clients", "preparedModels", "buffers", "executions", "memoryBytes"):
            sums[name] = sum(getattr(device, name) for device in totals.devices)
        return sums

    def isIdle(self):
        """Whether the querying client is the only one."""
        totals = self.totals()
        return totals.pop("clientsNow") == 1 and not any(totals.values())

    def awaitIdle(self):
        return self._await(self.isIdle)

    def awaitClients(self, count):
        """Waits until the service has as many clients, with the querying one: a closed connection counts until the
        service notices."""
        return self._await(lambda: self.totals()["clientsNow"] == count)

    def awaitNoObjects(self):
        return self._await(lambda: self.totals()["objectsNow"] == 0)

    @staticmethod
    def _await(condition):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.02)
        return condition()

    def settledFigures(self):
        """Descriptors, threads and resident bytes, once the first two no longer change: the service takes some time to
        release a connection."""
        figures, same, end = None, 0, time.monotonic() + PATIENCE
        while same < 5 and time.monotonic() < end:
            time.sleep(0.05)
            last, figures = figures, (self.descriptors(), self.threads())
            same = same + 1 if figures == last else 0
        return *figures, self.residentBytes()

    def stop(self):
        """The exit code: 0 after a clean end."""
        if self.isAlive():
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


class ServiceTest(unittest.TestCase):
    """Tests that share one service, which must be alive and idle after each of them."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.service = ServiceProcess(*cls.options)

    @classmethod
    def tearDownClass(cls):
        code = cls.service.stop()
        if code != 0:
            raise AssertionError(f"avocetd ended with {code}")

    def setUp(self):
        self.opened = []

    def tearDown(self):
        for thing in reversed(self.opened):
            thing.close()
        self.assertTrue(self.service.isAlive(), self.service.logText())
        self.assertTrue(self.service.awaitIdle(), self.service.totals())

    def keep(self, thing):
        """A device that is closed after the test."""
        self.opened.append(thing)
        return thing

    def connect(self):
        return self.keep(Client.Device(self.service.path, self.service.devices[0]))
