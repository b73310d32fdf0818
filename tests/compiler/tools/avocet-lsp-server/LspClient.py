#===- LspClient.py - A client of a language server for tests
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Speaks the Language Server Protocol 3.17 with a server over its standard input and output."""

import json
import queue
import subprocess
import threading

kSeconds = 60


class LspClient:
    """A server process. Requests wait for their answer, at most kSeconds; notifications are kept until asked for."""

    def __init__(self, program):
        self.server = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.messages, self.notifications, self.number = queue.Queue(), [], 0
        threading.Thread(target=self._receive, daemon=True).start()
        self.capabilities = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["capabilities"]
        self.notify("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.server.poll() is None:
            self.server.kill()
        self.server.wait()
        self.server.stdin.close()
        self.server.stdout.close()

    def close(self):
        """Ends the server as the protocol says; returns its exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.server.wait(kSeconds)

    def notify(self, method, parameters):
        self._send({"method": method, "params": parameters})

    def request(self, method, parameters):
        self.number += 1
        self._send({"id": self.number, "method": method, "params": parameters})
        while True:
            message = self._next()
            if message.get("id") == self.number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f'{method}: {message["error"]}')
                return message["result"]
            self.notifications.append(message)

    def notification(self, method):
        """Parameters of the oldest notification of this kind, which may have to come."""
        while True:
            for place, message in enumerate(self.notifications):
                if message.get("method") == method:
                    return self.notifications.pop(place)["params"]
            self.notifications.append(self._next())

    def _next(self):
        message = self.messages.get(timeout=kSeconds)
        if message is None:
            raise EOFError("the server ended")
        return message

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def _receive(self):
        while message := readMessage(self.server.stdout):
            self.messages.put(message)
        self.messages.put(None)


def readMessage(stream):
    """The next message; None at the end of the stream."""
    length = None
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        if name.lower() == "content-length":
            length = int(value)
    return json.loads(stream.read(length)) if length is not None else None
