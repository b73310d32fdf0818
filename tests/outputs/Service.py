# A service that a test starts.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import signal
import socket
import subprocess
import time

from Harness import PATIENCE, ProgramTest, environment, program


class ServiceTest(ProgramTest):
    """Its service listens on "socket" in the test's folder."""

    def startService(self, *options):
        with open(self.path("log"), "w", encoding="utf-8") as log:
            self.service = subprocess.Popen([program("avocetd"), "--socket", "socket", *options], cwd=self.folder,
                                            stderr=log, env=environment())
        self.addCleanup(self.service.wait)
        self.addCleanup(self.service.kill)
        end = time.monotonic() + PATIENCE
        while not self.isListening() and self.service.poll() is None and time.monotonic() < end:
            time.sleep(0.01)

    def isListening(self):
        """The file exists before the service listens."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            return client.connect_ex(self.path("socket")) == 0

    def endService(self):
        self.service.send_signal(signal.SIGTERM)
        self.assertEqual(self.service.wait(PATIENCE), 0)
