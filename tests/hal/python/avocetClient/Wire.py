# Packets of the socket: a header, bytes or the memory that holds them, and descriptors.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import socket
import struct

MAGIC = 0x50495641  # "AVIP"
HEADER = struct.Struct("<IIQII")
MAX_INLINE_BYTES = 1 << 16
MAX_DESCRIPTORS = 201
PATIENCE = 30  # seconds


class Closed(Exception):
    """The service has closed the connection."""


def memoryFile(data=b"", size=None, name="python"):
    """A memfd with the data; `size` makes it longer without allocating."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, len(data) if size is None else size)
    os.pwrite(fd, data, 0)
    return fd


class Wire:
    """One connection. Headers may be anything: see sendPacket()."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)

    def close(self):
        self.socket.close()

    def sendPacket(self, packet, fds=()):
        try:
            if fds:
                socket.send_fds(self.socket, [packet], list(fds))
            else:
                self.socket.send(packet)
        except (BrokenPipeError, ConnectionResetError) as gone:
            raise Closed from gone

    def send(self, data, fds=(), inMemory=None):
        """Sends one message. Long ones go in memory, as the protocol requires, others on request."""
        if inMemory is None:
            inMemory = len(data) > MAX_INLINE_BYTES
        if not inMemory:
            return self.sendPacket(HEADER.pack(MAGIC, len(fds), len(data), 0, 0) + data, fds)
        memory = memoryFile(data)
        try:
            self.sendPacket(HEADER.pack(MAGIC, len(fds) + 1, len(data), 1, 0), [*fds, memory])
        finally:
            os.close(memory)

    def receive(self):
        """Bytes and descriptors of the next message; the caller closes them."""
        try:
            packet, fds, _, _ = socket.recv_fds(self.socket, HEADER.size + MAX_INLINE_BYTES, MAX_DESCRIPTORS)
        except ConnectionResetError as gone:
            raise Closed from gone
        if not packet:
            raise Closed
        magic, numFds, size, inMemory, reserved = HEADER.unpack_from(packet)
        assert (magic, numFds, reserved) == (MAGIC, len(fds), 0), "the service broke the framing"
        if not inMemory:
            return packet[HEADER.size:], fds
        memory = fds.pop()
        try:
            return os.pread(memory, size, 0), fds
        finally:
            os.close(memory)
