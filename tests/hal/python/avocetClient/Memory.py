# Shared memory that a client offers, and fences.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import mmap
import os
import select
import socket
import struct

from .Schema import fb, make
from .Wire import PATIENCE, memoryFile


class Pool:
    """A memfd that is mapped here; a pool of requests and models."""

    def __init__(self, size):
        self.size = size
        self.fd = memoryFile(size=size)
        self.memory = mmap.mmap(self.fd, size)

    def close(self):
        self.memory.close()
        os.close(self.fd)

    def putFloats(self, offset, values):
        struct.pack_into(f"<{len(values)}f", self.memory, offset, *values)

    def floats(self, offset, count):
        return list(struct.unpack_from(f"<{count}f", self.memory, offset))

    def message(self, number, **fields):
        """As memory of the kind "ashmem" of HAL 1.0; `number` is that of its descriptor."""
        return make(fb.MemoryT, kind=fb.MemoryKind.Ashmem, size=self.size, fds=[number], **fields)


class Fence:
    """Foreign fences: an eventfd that a test signals, or a socket that fails when it is closed."""

    def __init__(self):
        self.fd = os.eventfd(0, os.EFD_CLOEXEC)

    def signal(self):
        os.eventfd_write(self.fd, 1)

    def close(self):
        os.close(self.fd)


def awaitFence(fd, timeout=PATIENCE):
    """Whether the fence signals; False if it fails or the time has passed."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    events = poll.poll(timeout * 1000)
    return bool(events) and not events[0][1] & select.POLLERR


class FailingFence:
    """A fence that fails without a signal: fail() closes the other end of its socket, which holds an unread byte."""

    def __init__(self):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        ours.send(b"x")
        self.fd = ours.detach()
        self.maker = theirs

    def fail(self):
        self.maker.close()

    def close(self):
        self.maker.close()
        os.close(self.fd)
