# Mutated messages cause no crash, no hang, and no leak.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Valid messages of every call, changed at random, with tags over the whole range and descriptors of every kind.

After each one the service must answer a query on the same connection, or have closed it.
"""

import os
import random
import struct
import sys
import time
import unittest

import flatbuffers

from avocetClient import Models
from avocetClient.Client import Device
from avocetClient.Constants import Status
from avocetClient.Memory import Fence, Pool, awaitFence
from avocetClient.Queue import Ring
from avocetClient.Schema import ANSWERS, CALLS, IDENTIFIER, fb, make
from avocetClient.Wire import Closed, memoryFile
from ServiceProcess import ServiceTest

COUNT, SEED = 1000, 1  # set by RunTests.py
PROBE = 1 << 40
INTERESTING = (0, 1, 2, 3, 4, 7, 8, 24, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000,
               0xFFFFFFF8, 0xFFFFFFFF)
WARM_UP = 200  # messages until pools of threads and memory have their size
MAX_GROWTH = 64 << 20


def envelope(body, callTag, answer=None, answerTag=0, asynchronous=False):
    message = make(fb.EnvelopeT, number=1, call=body, callType=callTag, answer=answer, answerType=answerTag,
                   asynchronous=asynchronous)
    builder = flatbuffers.Builder(1024)
    builder.Finish(message.Pack(builder), IDENTIFIER)
    return bytes(builder.Output())


def validBodies():
    """One body of each kind, about objects 1 to 5 of a connection and descriptors 0 to 4 of a message."""
    pool = make(fb.MemoryT, kind=0, size=4096, fds=[0])
    unknown = make(fb.MemoryT, kind=4, name="strange", fds=[0, 1], integers=[1, 2])
    request = Models.request([Models.argument(0, 0, 16), Models.argument(0, 1024, 16, [4])],
                             [Models.argument(0, 2048, 16)], [Models.memoryPool(pool)])
    odd = Models.request([Models.argument(1, 0, 16)], [], [Models.memoryPool(unknown), Models.tokenPool(1),
                                                         make(fb.RequestPoolT, known=True)])
    options = Models.options(measure=True, loopTimeout=1_000_000)
    hinted = make(fb.ExecutionOptionsT, hints=[make(fb.HintT, token=1, value=[1, 2, 3])])
    prepareOptions = make(fb.PrepareOptionsT, preference=1, priority=1, hints=[])
    cache = make(fb.CacheFilesT, model=[0], data=[1], token=list(range(32)))
    cached = make(fb.PrepareOptionsT, preference=1, priority=1, cache=cache, hints=[])
    ring = Ring(8, 24)
    queues = [ring.message(0), ring.message(1)]
    ring.close()
    models = [Models.addModel(), Models.convModel(), Models.ifModel(), Models.whileModel()]
    run = {"prepared": 1, "request": request, "options": options}
    yield from (make(fb.PrepareModelT, model=model, options=prepareOptions) for model in models)
    yield from (make(fb.GetSupportedOperationsT, model=model) for model in models)
    yield make(fb.PrepareModelT, model=models[0], options=cached)
    yield make(fb.HelloT, protocol=2, device="avocet-e256", totals=True)
    yield fb.GetStatusT()
    yield make(fb.PrepareFromCacheT, cache=cache)
    yield make(fb.ExecuteT, **run)
    yield make(fb.ExecuteT, prepared=1, request=odd, options=hinted)
    yield make(fb.CreateExecutionT, **run)
    yield make(fb.ComputeT, execution=2)
    yield make(fb.ReleaseT, object=5)
    yield make(fb.ExecuteFencedT, fences=[2], timeoutAfterFence=1000, **run)
    yield make(fb.ComputeFencedT, execution=2, fences=[2])
    yield make(fb.GetFencedInfoT, fenced=5)
    yield make(fb.AllocateT, dimensions=[4], inputs=[make(fb.RoleT, model=1, probability=1.0)], outputs=[])
    yield make(fb.CopyToT, buffer=3, memory=pool)
    yield make(fb.CopyFromT, buffer=3, memory=pool, dimensions=[4])
    yield make(fb.ConfigureBurstT, prepared=1)
    yield make(fb.ExecuteBurstT, burst=4, request=request, identifiers=[3], options=options)
    yield make(fb.ReleaseMemoryT, burst=4, identifier=3)
    yield make(fb.ServeBurstT, prepared=1, requests=queues[0], results=queues[1], link=3)
    yield fb.PingT()


class Mutator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.bodies = list(validBodies())
        self.tag = 0

    def message(self):
        body = self.random.choice(self.bodies)
        tag = CALLS[type(body).__name__.removesuffix("T")]
        answer, answerTag = None, 0
        if self.random.random() < 0.4:  # each tag once before any is repeated
            self.tag = (self.tag + 1) % 256
            tag = self.tag
        if self.random.random() < 0.1:
            answer, answerTag = fb.NothingT(), self.random.randrange(256)
        data = bytearray(envelope(body, tag, answer, answerTag, self.random.random() < 0.3))
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 4, 8))):
            self.change(data)
        return bytes(data)

    def change(self, data):
        place = self.random.randrange(len(data))
        kind = self.random.randrange(6)
        if kind == 0:
            data[place] ^= 1 << self.random.randrange(8)
        elif kind == 1:
            data[place] = self.random.choice((0, 1, 2, 4, 127, 128, 255, self.random.randrange(256)))
        elif kind <= 3:
            place = min(place & ~3, len(data) - 4)
            old = struct.unpack_from("<I", data, place)[0]
            struct.pack_into("<I", data, place, self.random.choice((*INTERESTING, old + 1 & 0xFFFFFFFF,
                                                                    old - 1 & 0xFFFFFFFF, old * 2 & 0xFFFFFFFF)))
        elif kind == 4 and len(data) > 32:
            size = self.random.choice((1, 2, 4, 8, 16))
            other = self.random.randrange(len(data))
            piece = bytes(data[other:other + size])
            data[place:place + len(piece)] = piece
        elif len(data) > 40 and self.random.random() < 0.2:
            del data[place | 16:]


class Descriptors:
    """Descriptors of every kind; each message gets some of them."""

    def __init__(self):
        self.ring = Ring(8, 24)
        self.pool = Pool(4096)
        self.pipe = os.pipe()
        self.fds = [self.pool.fd, self.ring.fd, os.eventfd(1), memoryFile(b"x" * 100), memoryFile(size=1 << 20),
                    *self.pipe, os.open("/dev/null", os.O_RDWR), os.open("/", os.O_RDONLY), os.open("/dev/zero", os.O_RDWR)]

    def some(self, source):
        if source.random() < 0.5:
            return [self.pool.fd, self.fds[3], self.fds[2], self.fds[4]][:source.randrange(5)]
        return [source.choice(self.fds) for _ in range(source.randrange(6))]

    def close(self):
        for fd in self.fds[2:]:
            os.close(fd)
        self.pool.close()
        self.ring.close()


class MutationTest(ServiceTest):
    def setUp(self):
        super().setUp()
        self.device = None
        self.descriptors = self.keep(Descriptors())
        self.numClosed = self.numProbed = 0
        self.statuses = {}

    def reconnect(self):
        """Makes the objects that the messages refer to."""
        self.device = Device(self.service.path, self.service.devices[0])
        prepared = self.device.prepare(Models.addModel())
        prepared.createExecution(self.sumRequest(), [self.descriptors.pool.fd])
        self.device.allocate(inputs=[(prepared, 0)])
        prepared.configureBurst()

    def sumRequest(self):
        return Models.request([Models.argument(0, 0, 16), Models.argument(0, 1024, 16)],
                              [Models.argument(0, 2048, 16)],
                              [Models.memoryPool(self.descriptors.pool.message(0))])

    def waitForFence(self):
        """One execution after a fence. The service starts its thread for fences with the first one, and keeps it."""
        fence = Fence()
        prepared = self.device.prepare(Models.addModel())
        launch = prepared.executeFenced(self.sumRequest(), [self.descriptors.pool.fd, fence.fd], [1])
        fence.signal()
        self.assertTrue(awaitFence(launch.fence))
        launch.close()
        fence.close()

    def disconnect(self):
        if self.device is not None:
            self.device.close()
            self.device = None

    def play(self, data, fds, inMemory):
        """Sends one message and a query, and reads until the query is answered."""
        self.numProbed += 1
        probe = PROBE + self.numProbed
        connection = self.device.connection
        try:
            connection.wire.send(data, fds, inMemory)
            connection.nextNumber = probe
            connection.send(fb.GetStatusT())
            while True:
                answer = connection.receiveOne()
                answer.close()
                connection.answers.clear()
                connection.launches.clear()
                if answer.number == probe:
                    return
                self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        except Closed:
            self.numClosed += 1
            self.disconnect()
        except TimeoutError:
            self.fail(f"the service does not answer after {data.hex()}")

    def run_(self, mutator, count):
        for i in range(count):
            if self.device is None:
                self.reconnect()
            self.play(mutator.message(), self.descriptors.some(mutator.random), mutator.random.random() < 0.05)
            if i % 500 == 499:
                self.disconnect()
            self.assertTrue(self.service.isAlive(), self.service.logText())
        self.disconnect()
        self.assertTrue(self.service.awaitIdle(), self.service.totals())

    def measure(self):
        """Descriptors, threads and bytes of the idle service. The service keeps the last worker of each of two pairs of
        files. Compilations come first, so that each pair has one, and a run after a fence."""
        for _ in range(2):
            self.reconnect()
            self.waitForFence()
            self.disconnect()
        self.assertTrue(self.service.awaitIdle(), self.service.totals())
        return self.service.settledFigures()

    def test_mutatedMessagesDoNoHarm(self):
        mutator = Mutator(SEED)
        self.run_(mutator, WARM_UP)
        before = self.measure()
        start = time.monotonic()
        self.run_(mutator, COUNT)
        after = self.measure()
        print(f"{COUNT} mutated messages, seed {SEED}, {time.monotonic() - start:.1f} s: {self.numClosed} connections closed, "
              f"answers {({Status(key).name: value for key, value in sorted(self.statuses.items())})}; descriptors "
              f"{before[0]} to {after[0]}, threads {before[1]} to {after[1]}, resident MiB {before[2] >> 20} to "
              f"{after[2] >> 20}", file=sys.stderr)
        self.assertGreater(self.statuses.get(Status.NONE, 0), COUNT // 50, "too few messages are good")
        self.assertGreater(self.statuses.get(Status.INVALID_ARGUMENT, 0), COUNT // 50)
        self.assertLessEqual(after[0], before[0], "descriptors leak")
        self.assertLessEqual(after[1], before[1], "threads leak")
        self.assertLessEqual(after[2] - before[2], MAX_GROWTH, "memory leaks")

    def test_everyTagIsAnswered(self):
        self.reconnect()
        for tag in range(256):
            self.play(envelope(fb.GetStatusT(), tag), (), False)
            self.play(envelope(fb.GetStatusT(), CALLS["GetStatus"], fb.NothingT(), tag), (), False)
            if self.device is None:
                self.reconnect()
        self.assertLess(self.numClosed, len(CALLS) + len(ANSWERS), "bodies of known kinds may be broken, others not")
        self.disconnect()


if __name__ == "__main__":
    unittest.main()
