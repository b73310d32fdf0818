# A message queue in the public layout of avocet/hal/queue/MessageQueue.h, written from its description.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two 64-bit counters of bytes, data, and an event word whose bits tell that something was read (1) or written (2).

The counters and the event word can be set to any value, so that a test can act as a hostile peer.
"""

import ctypes
import mmap
import os
import platform
import struct
import time

from .Schema import fb, make
from .Wire import PATIENCE, memoryFile

NOT_FULL, NOT_EMPTY = 1, 2
READ_COUNTER, WRITE_COUNTER, DATA = 0, 8, 16

_SYS_FUTEX = {"x86_64": 202, "aarch64": 98}[platform.machine()]
_FUTEX_WAKE_BITSET = 10
_libc = ctypes.CDLL(None)


class Ring:
    """One queue of `elements` elements in its own memory, which is sealed on request only."""

    def __init__(self, elements, elementBytes):
        self.elementBytes = elementBytes
        self.dataBytes = elements * elementBytes
        self.eventWord = DATA + (self.dataBytes + 7) // 8 * 8
        self.size = self.eventWord + 8
        self.fd = memoryFile(size=self.size)
        self.memory = mmap.mmap(self.fd, self.size)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def close(self):
        os.close(self.fd)  # the mapping ends with the object: ctypes keeps a reference to it

    def grantors(self):
        """Offset and extent of read counter, write counter, data and event word."""
        return [(READ_COUNTER, 8), (WRITE_COUNTER, 8), (DATA, self.dataBytes), (self.eventWord, 4)]

    def message(self, number, grantors=None, elementBytes=None):
        """As the schema's table; `number` is that of the descriptor."""
        parts = [make(fb.GrantorT, offset=offset, extent=extent) for offset, extent in
                 (self.grantors() if grantors is None else grantors)]
        return make(fb.QueueT, grantors=parts, fds=[number],
                    elementBytes=self.elementBytes if elementBytes is None else elementBytes)

    def load(self, place, form="<Q"):
        return struct.unpack_from(form, self.memory, place)[0]

    def store(self, place, value, form="<Q"):
        struct.pack_into(form, self.memory, place, value)

    def wake(self, bits):
        self.store(self.eventWord, self.load(self.eventWord, "<I") | bits, "<I")
        _libc.syscall(_SYS_FUTEX, ctypes.c_void_p(self.address + self.eventWord), _FUTEX_WAKE_BITSET, 0x7FFFFFFF, None,
                      None, bits)

    def available(self):
        return self.load(WRITE_COUNTER) - self.load(READ_COUNTER)

    def copyIn(self, position, data):
        """Writes the data without changing counters or event word; `position` may wrap around."""
        start = position % self.dataBytes
        first = min(len(data), self.dataBytes - start)
        self.memory[DATA + start:DATA + start + first] = data[:first]
        self.memory[DATA:DATA + len(data) - first] = data[first:]

    def write(self, data):
        position = self.load(WRITE_COUNTER)
        if self.available() + len(data) > self.dataBytes:
            raise BufferError("the queue is full")
        self.copyIn(position, data)
        self.store(WRITE_COUNTER, position + len(data))
        self.wake(NOT_EMPTY)

    def read(self, timeout=PATIENCE, stopped=lambda: False):
        """All elements that can be read; empty when the time has passed or `stopped` returns True."""
        end = time.monotonic() + timeout
        while self.available() == 0:
            if time.monotonic() > end or stopped():
                return b""
            time.sleep(0.0005)
        count, position = self.available(), self.load(READ_COUNTER)
        start = position % self.dataBytes
        data = self.memory[DATA:DATA + self.dataBytes]
        self.store(READ_COUNTER, position + count)
        self.wake(NOT_FULL)
        return (data + data)[start:start + count]
