# The programs that the tests of clients start, and what they share.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Skipped tests say what is missing and how to install it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

PATIENCE = 60  # seconds for a start or an answer; sanitizers and loaded machines are slow
BUILD = CLIENTS = SHARED = None  # folders, set by RunTests.py


def program(name):
    return os.path.join(BUILD, "bin", name)


def library(name):
    return os.path.join(BUILD, "lib", name)


def needClient(name, what):
    """The folder of a client; skips the test without it."""
    folder = os.path.join(CLIENTS, name)
    if not os.path.exists(os.path.join(folder, ".version")):
        raise unittest.SkipTest(f"{what} is not in {CLIENTS}; install it with scripts/setup --clients")
    return folder


def needNode():
    folder = needClient("node", "tfjs-tflite-node with its add-on")
    if not shutil.which("node"):
        raise unittest.SkipTest("Node is missing; install it with apt-get install nodejs")
    return folder


def needTflite():
    machine = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}.get(os.uname().machine, "none")
    return os.path.join(needClient("tfjs-tflite-node", "TensorFlow Lite 2.9"), "cc_deps", machine)


def needOnnxruntime():
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, "none")
    return os.path.join(needClient("onnxruntime-node", "ONNX Runtime"), "bin", "napi-v6", "linux", machine)


def needLibrary(name):
    if not os.path.exists(library(name)):
        raise unittest.SkipTest(f"this build has no {name}")
    return library(name)


def needDelegate():
    return needLibrary("libavocet_delegate.so")


def needProvider():
    return needLibrary("libavocet_onnxruntime.so")


def needModels():
    """The folder of real models."""
    if not SHARED or not os.path.isdir(os.path.join(SHARED, "models")):
        raise unittest.SkipTest("AVOCET_SHARED_DATA names no folder with models/")
    return os.path.join(SHARED, "models")


def environment(**variables):
    """Of an application: finds the libneuralnetworks.so of this build, or of LD_LIBRARY_PATH, and nothing of the
    caller's settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AVOCET_")}
    path = variables.pop("LD_LIBRARY_PATH", os.path.join(BUILD, "lib"))
    path = ":".join(filter(None, [path, os.environ.get("LD_LIBRARY_PATH")]))
    return {**inherited, "LD_LIBRARY_PATH": path, **variables}


def expectedCounts(name):
    """{model: (operations, those that ran on the device)} of a list beside the tests."""
    expected = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                model, operations, onDevice, *_ = line.split()
                expected[model] = (int(operations), int(onDevice))
    return expected


class Service:
    """avocetd on a socket of its own. May be killed and started again on the same socket."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="avocetClients")
        self.path = os.path.join(self.folder, "socket")
        self.log = os.path.join(self.folder, "log")
        self.options = options
        self.start()

    def start(self):
        command = [program("avocetd"), "--socket", self.path, "--target", "e256", "--cache-dir",
                   os.path.join(self.folder, "cache"), *self.options]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            if self.listens():
                return
            time.sleep(0.01)
        raise RuntimeError("avocetd does not start: " + self.logText())

    def listens(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
            try:
                probe.connect(self.path)
            except (ConnectionRefusedError, FileNotFoundError):
                return False
        return True

    def logText(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()[-20000:]

    def preparedModels(self):
        """Those of all clients at present, by the service's own account."""
        command = [program("avocet"), "devices", "--json", "--socket", self.path]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
        return sum(device["totals"]["prepared_models"] for device in json.loads(answer.stdout)["devices"])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """The exit code: 0 after a clean end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self):
        return {"AVOCET_SOCKET": self.path, "AVOCET_NNAPI_DEVICES": "service"}


class Application:
    """tfliteClient with one model. Its messages go to the file `log`."""

    def __init__(self, model, *options, workingFolder=None, **variables):
        self.folder = tempfile.mkdtemp(prefix="avocetApplication")
        self.counterFile = os.path.join(self.folder, "counters.json")
        self.log = os.path.join(self.folder, "log")
        variables = {"AVOCET_NNAPI_COUNTERS": self.counterFile, "AVOCET_NNAPI_RECORDS": self.folder, **variables}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([program("tfliteClient"), needTflite(), model, *options],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                                            cwd=workingFolder, env=environment(**variables))
        self.start = self.answer()

    def answer(self):
        return self.process.stdout.readline().split()

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.answer()

    def isReady(self):
        return self.start[:1] == ["ready"]

    def logText(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()[-20000:]

    def infer(self, inputs, outputCount):
        """(code of the invocation, bytes of the outputs); None: the application has ended."""
        for index, path in enumerate(inputs):
            if self.ask(f"input {index} {path}")[:1] != ["ok"]:
                return None
        invoked = self.ask("invoke 1")
        if invoked[:1] != ["invoked"]:
            return None
        return int(invoked[1]), [self.output(index) for index in range(outputCount)]

    def output(self, index):
        path = os.path.join(self.folder, "output")
        self.ask(f"output {index} {path}")
        with open(path, "rb") as file:
            return file.read()

    def finish(self):
        """Ends it in order; its exit code and the counters that the library wrote."""
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        try:
            with open(self.counterFile, encoding="utf-8") as file:
                return code, json.load(file)
        except FileNotFoundError:
            return code, {}

    def remove(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)
