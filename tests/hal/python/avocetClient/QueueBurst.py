# A burst over message queues: packets of HAL 1.2, and the link, a socket besides the queues.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import select
import socket
import struct
import time

from .Constants import Status
from .Queue import Ring
from .Wire import PATIENCE

ELEMENT = 24
# Kinds of a request's elements and of a result's.
PACKET, INPUT, INPUT_DIMENSION, OUTPUT, OUTPUT_DIMENSION, POOL, TIMING = range(7)
RESULT_PACKET, RESULT_OPERAND, RESULT_DIMENSION, RESULT_TIMING = range(4)

LINK_HEADER = struct.Struct("<IIII")
LINK_MAGIC = 0x4C425641  # "AVBL"
GET_MEMORIES, FREE_SLOT, MEMORIES, FREED = 1, 2, 3, 4
RECORD = struct.Struct("<IiQQ")
RECORD_ASHMEM = 1


def datum(kind, *values, form="<I"):
    """One element of a request: a kind, and 32-bit values from byte 4 on."""
    packed = b"".join(struct.pack(form, value) for value in values)
    return struct.pack("<B3x", kind) + packed.ljust(ELEMENT - 4, b"\0")


def operandData(kind, dimensionKind, arguments):
    """Arguments are tuples of pool, offset, length and dimensions."""
    data = b""
    for pool, offset, length, dimensions in arguments:
        data += datum(kind, 0, pool, offset, length, len(dimensions))
        data += b"".join(datum(dimensionKind, extent) for extent in dimensions)
    return data


def requestPacket(inputs, outputs, slots, measure=False):
    body = operandData(INPUT, INPUT_DIMENSION, inputs) + operandData(OUTPUT, OUTPUT_DIMENSION, outputs)
    body += b"".join(datum(POOL, slot, form="<i") for slot in slots) + datum(TIMING, int(measure))
    return datum(PACKET, len(body) // ELEMENT + 1, len(inputs), len(outputs), len(slots)) + body


class Result:
    """A result packet; `shapes` are pairs of dimensions and sufficiency."""

    def __init__(self, packet):
        elements = [packet[i:i + ELEMENT] for i in range(0, len(packet), ELEMENT)]
        kind, size, status, count = struct.unpack_from("<B7xIiI", elements[0])
        assert kind == RESULT_PACKET and size == len(elements), "not a result packet"
        self.status = Status(status)
        self.shapes = []
        place = 1
        for _ in range(count):
            kind, sufficient, rank = struct.unpack_from("<B7xB3xI", elements[place])
            assert kind == RESULT_OPERAND
            dimensions = [struct.unpack_from("<B7xI", element)[1] for element in elements[place + 1:place + 1 + rank]]
            self.shapes.append((dimensions, bool(sufficient)))
            place += 1 + rank
        kind, self.onDevice, self.inDriver = struct.unpack_from("<B7xQQ", elements[place])
        assert kind == RESULT_TIMING and place == len(elements) - 1


class QueueBurst:
    """The client's end. The memories of slots are Pools; `answerLink` may be replaced by a test."""

    def __init__(self, prepared, requestElements=256, resultElements=256, serve=True):
        self.requests = Ring(requestElements, ELEMENT)
        self.results = Ring(resultElements, ELEMENT)
        self.link, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.slots = {}
        self.asked = []  # slots of each request for memories by the service
        self.freed = 0
        self.object = None
        self.prepared = prepared
        if serve:
            self.serve()

    def serve(self, requests=None, results=None, link=2, fds=None):
        """Offers the queues; arguments that are None get their correct values."""
        fds = fds or [self.requests.fd, self.results.fd, self.theirs.fileno()]
        self.object = self.prepared.serveBurst(requests or self.requests.message(0), results or self.results.message(1),
                                               link, fds)
        self.theirs.close()

    def close(self):
        self.link.close()
        self.theirs.close()
        self.requests.close()
        self.results.close()
        if self.object is not None:
            self.object.release()

    def hasEnded(self, timeout=PATIENCE):
        """Whether the service closes the link in time; answers its requests meanwhile."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if not self.serveLink(0.02):
                return True
        return False

    def serveLink(self, timeout=0.0):
        """Answers a request of the service, if there is one. False: the service has closed the link."""
        if not select.select([self.link], [], [], timeout)[0]:
            return True
        try:
            message = self.link.recv(4096)
            if message:
                self.answerLink(*LINK_HEADER.unpack_from(message)[1:], message[LINK_HEADER.size:])
        except (ConnectionResetError, BrokenPipeError):
            return False
        return bool(message)

    def answerLink(self, kind, sequence, count, body):
        if kind == FREED:
            self.freed += 1
        if kind != GET_MEMORIES:
            return
        slots = list(struct.unpack(f"<{count}i", body))
        self.asked.append(slots)
        self.sendMemories(sequence, [self.slots.get(slot) for slot in slots])

    def sendMemories(self, sequence, pools):
        """Sends no records if one of the pools is None."""
        pools = pools if all(pools) else []
        records = b"".join(RECORD.pack(RECORD_ASHMEM, 0, 0, pool.size) for pool in pools)
        data = LINK_HEADER.pack(LINK_MAGIC, MEMORIES, sequence, len(pools)) + records
        if pools:
            socket.send_fds(self.link, [data], [pool.fd for pool in pools])
        else:
            self.link.send(data)

    def freeSlot(self, slot, sequence=1):
        self.link.send(LINK_HEADER.pack(LINK_MAGIC, FREE_SLOT, sequence, 1) + struct.pack("<i", slot))
        wanted = self.freed + 1
        while self.freed < wanted and self.serveLink(PATIENCE):
            pass

    def exchange(self, packet, timeout=PATIENCE):
        """The result of a packet, or None if the service ends the burst or does not answer in time."""
        self.requests.write(packet)
        return self.receive(timeout)

    def receive(self, timeout=PATIENCE):
        ended = []
        data = self.results.read(timeout, lambda: bool(ended) or not (self.serveLink() or ended.append(True)))
        return Result(data) if data else None
