# Bursts whose client breaks the rules of queues, packets and the link.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whatever bytes a client writes to its queues, the service answers GENERAL_FAILURE or ends the burst, and goes on."""

import os
import random
import struct
import threading
import time
import unittest

from avocetClient import QueueBurst as Wire
from avocetClient.Client import CallError
from avocetClient.Constants import Status
from avocetClient.Memory import Pool
from avocetClient.Queue import DATA, READ_COUNTER, WRITE_COUNTER
from avocetClient.QueueBurst import ELEMENT, QueueBurst, datum
from QueueBurstTest import QueueBurstFixture

HUGE = (1 << 64) - 1


class HostileQueueTest(QueueBurstFixture):
    def tearDown(self):
        self.assertEqual(self.prepared.connection.hello().name, None, "the connection must stay usable")
        super().tearDown()

    def expectEnd(self, burst=None):
        self.assertTrue((burst or self.burst).hasEnded(), "the service did not end a broken burst")
        self.expectSum(self.open())

    def expectFailure(self, packet, status=Status.GENERAL_FAILURE):
        result = self.burst.exchange(packet)
        self.assertIsNotNone(result, "the service has ended the burst")
        self.assertEqual((result.status, result.shapes), (status, []))

    def test_impossibleWriteCountersEndTheBurst(self):
        for counter in (HUGE, 1, ELEMENT + 1, 1 << 63, 257 * ELEMENT):
            burst = self.open()
            self.expectSum(burst)
            burst.requests.store(WRITE_COUNTER, burst.requests.load(WRITE_COUNTER) + counter & HUGE)
            burst.requests.wake(2)
            self.expectEnd(burst)

    def test_decreasingWriteCounterEndsTheBurst(self):
        self.expectSum()
        self.burst.requests.store(WRITE_COUNTER, 0)
        self.burst.requests.wake(2)
        self.expectEnd()

    def test_impossibleReadCounterOfResultsEndsTheBurst(self):
        for counter in (HUGE, 1, 1 << 40):
            burst = self.open()
            burst.results.store(READ_COUNTER, counter)
            burst.requests.write(self.sumPacket())
            self.expectEnd(burst)

    def test_wrongServiceCountersAreIgnored(self):
        self.expectSum()
        self.burst.requests.store(READ_COUNTER, 12345)
        self.burst.results.store(WRITE_COUNTER, self.burst.results.load(READ_COUNTER))
        position = self.burst.results.load(WRITE_COUNTER)
        self.burst.requests.copyIn(self.burst.requests.load(WRITE_COUNTER), self.sumPacket())
        self.burst.requests.store(WRITE_COUNTER, self.burst.requests.load(WRITE_COUNTER) + len(self.sumPacket()))
        self.burst.requests.wake(2)
        result = self.burst.receive()
        self.assertEqual(result.status, Status.NONE)
        self.assertGreater(self.burst.results.load(WRITE_COUNTER), position)

    def test_wrongEventWordDelaysOnly(self):
        for value in (0, 0xFFFFFFFF, 1, 2):
            self.burst.requests.store(self.burst.requests.eventWord, value, "<I")
            self.burst.results.store(self.burst.results.eventWord, value, "<I")
            self.expectSum()

    def test_changingEventWordDelaysOnly(self):
        isDone = threading.Event()

        def scribble():
            source = random.Random(3)
            while not isDone.is_set():
                self.burst.requests.store(self.burst.requests.eventWord, source.getrandbits(32), "<I")
                time.sleep(0.0002)

        thread = threading.Thread(target=scribble)
        thread.start()
        try:
            for _ in range(20):
                self.expectSum()
        finally:
            isDone.set()
            thread.join()

    def test_writesWithoutEventAreFound(self):
        packet = self.sumPacket()
        self.burst.requests.copyIn(0, packet)
        self.burst.requests.store(WRITE_COUNTER, len(packet))
        self.assertEqual(self.burst.receive().status, Status.NONE)

    def test_truncatedQueuesEndTheBurst(self):
        self.expectSum()
        os.ftruncate(self.burst.requests.fd, 0)
        ended = self.burst.hasEnded(1)  # an empty queue may be all zeros
        os.ftruncate(self.burst.requests.fd, self.burst.requests.size)
        if not ended:
            self.burst.requests.store(WRITE_COUNTER, HUGE)
            self.burst.requests.wake(2)
        self.expectEnd()

    def test_truncatedResultsDoNotStopTheService(self):
        self.expectSum()
        os.ftruncate(self.burst.results.fd, 0)
        self.burst.requests.write(self.sumPacket())
        self.expectSum(self.open())

    def test_truncatedPoolFailsTheRequest(self):
        pool = self.keep(Pool(8192))
        self.burst.slots[7] = pool
        packet = Wire.requestPacket([(0, 0, 16, []), (0, 4096, 16, [])], [(0, 2048, 16, [])], [7])
        self.assertEqual(self.burst.exchange(packet).status, Status.NONE)
        os.ftruncate(pool.fd, 4096)
        self.assertEqual(self.burst.exchange(packet).status, Status.GENERAL_FAILURE)
        self.expectSum()

    def test_wrongGrantorsAreRefused(self):
        good = self.burst.requests.grantors()
        counters, data, event = good[:2], good[2], good[3]
        wrong = [good[:3], good + [event], [], [good[0], good[0], data, event], counters + [(data[0], 0), event],
                 counters + [(data[0], data[1] - 1), event], counters + [(data[0] + 1, ELEMENT), event],
                 counters + [data, (data[0], 4)], counters + [(0xFFFFFFF8, ELEMENT), event],
                 counters + [(data[0], HUGE - 7), event], counters + [(data[0], 1 << 40), event],
                 [(0, 4), counters[1], data, event], counters + [data, (event[0], 2)],
                 counters + [data, (event[0] + 1, 4)]]
        for grantors in wrong:
            self.expectRefused(lambda burst, grantors=grantors: {"requests": burst.requests.message(0, grantors)})

    def test_wrongElementsAndDescriptorsAreRefused(self):
        for size in (0, 1, 16, 48, 0xFFFFFFFF):
            self.expectRefused(lambda burst, size=size: {"results": burst.results.message(1, elementBytes=size)})
        for number in (3, 1000, 0xFFFFFFFF):
            self.expectRefused(lambda burst, number=number: {"requests": burst.requests.message(number)})
            self.expectRefused(lambda burst, number=number: {"link": number})
        self.expectRefused(lambda burst: {"link": 0})
        for fd in (os.eventfd(0), os.open("/dev/null", os.O_RDWR), os.open("/", os.O_RDONLY), os.pipe()[0]):
            self.expectRefused(lambda burst, fd=fd: {"fds": [fd, burst.results.fd, burst.theirs.fileno()]})
            self.expectRefused(lambda burst, fd=fd: {"fds": [burst.requests.fd, burst.results.fd, fd]})
            os.close(fd)

    def expectRefused(self, offer):
        burst = self.keep(QueueBurst(self.prepared, serve=False))
        with self.assertRaises(CallError) as refused:
            burst.serve(**offer(burst))
        self.assertEqual(refused.exception.status, Status.INVALID_ARGUMENT)

    def test_queuesOfOddSizesAreRefused(self):
        for requestElements, resultElements in ((1, 1), (1 << 17, 256), (256, 1 << 17)):
            burst = self.keep(QueueBurst(self.prepared, requestElements, resultElements, serve=False))
            with self.assertRaises(CallError):
                burst.serve()

    def test_oneQueueForBothDirectionsDoesNoHarm(self):
        burst = self.keep(QueueBurst(self.prepared, serve=False))
        burst.slots = {0: self.pool}
        try:
            burst.serve(results=burst.requests.message(0))
        except CallError:
            return
        burst.requests.write(self.sumPacket())
        burst.hasEnded(0.3)
        self.expectSum()

    def test_unknownKindsOfElementsFailTheRequest(self):
        packet = self.sumPacket()
        for place in range(0, len(packet), ELEMENT):
            for kind in (7, 8, 127, 128, 255):
                self.expectFailure(packet[:place] + bytes([kind]) + packet[place + 1:])
        self.expectSum()

    def test_wrongCountsFailTheRequest(self):
        packet = self.sumPacket()
        for place in (4, 8, 12, 16):  # size, inputs, outputs, pools
            for value in (0, 2, 5, 8, 0x7FFFFFFF, 0xFFFFFFFF):
                if struct.unpack_from("<I", packet, place)[0] != value:
                    self.expectFailure(packet[:place] + struct.pack("<I", value) + packet[place + 4:])
        for value in (1, 6, 0x80000000, 0xFFFFFFFF):  # dimensions of the first input
            place = ELEMENT + 4 + 16
            self.expectFailure(packet[:place] + struct.pack("<I", value) + packet[place + 4:])
        self.expectSum()

    def test_wrongBooleansFailTheRequest(self):
        packet = self.sumPacket()
        for value in (2, 128, 255):
            self.expectFailure(packet[:ELEMENT + 4] + bytes([value]) + packet[ELEMENT + 5:])
        for value in (2, 0x80000000, 0xFFFFFFFF):
            self.expectFailure(packet[:-ELEMENT] + datum(Wire.TIMING, value))
        self.expectSum()

    def test_wrongSlotsFailTheRequest(self):
        for slot in (-1, -2, -(1 << 31)):
            self.expectFailure(self.sumPacket([slot]))
        self.expectFailure(self.sumPacket([77]))
        self.expectSum()

    def test_locationsOutsideTheirPoolAreInvalid(self):
        for pool, offset, length in ((1, 0, 16), (0xFFFFFFFF, 0, 16), (0, 4096, 16), (0, 0xFFFFFFF0, 16), (0, 0, 15)):
            packet = Wire.requestPacket([(pool, offset, length, []), (0, 1024, 16, [])], [(0, 2048, 16, [])], [0])
            self.expectFailure(packet, Status.INVALID_ARGUMENT)
        self.expectSum()

    def test_partialPacketsFail(self):
        packet = self.sumPacket()
        for elements in range(1, len(packet) // ELEMENT):
            self.expectFailure(packet[:elements * ELEMENT])
        self.expectFailure(packet + packet)
        self.expectSum()

    def test_packetsChangedDuringReadsDoNoHarm(self):
        isDone = threading.Event()

        def scribble():
            source = random.Random(5)
            ring = self.burst.requests
            while not isDone.is_set():
                ring.memory[DATA + source.randrange(ring.dataBytes)] = source.randrange(256)

        thread = threading.Thread(target=scribble)
        thread.start()
        try:
            for _ in range(200):
                result = self.burst.exchange(self.sumPacket())
                self.assertIsNotNone(result)
                self.assertIn(result.status, (Status.NONE, Status.GENERAL_FAILURE, Status.INVALID_ARGUMENT))
        finally:
            isDone.set()
            thread.join()
        self.expectSum()

    def test_randomPacketsDoNoHarm(self):
        source = random.Random(9)
        for _ in range(300):
            packet = bytearray(self.sumPacket())
            for _ in range(source.randrange(1, 6)):
                packet[source.randrange(len(packet))] = source.choice((0, 1, 2, 127, 128, 255, source.randrange(256)))
            self.assertIsNotNone(self.burst.exchange(bytes(packet)))
        self.expectSum()

    def test_wrongAnswersOnTheLinkEndTheBurst(self):
        header = Wire.LINK_HEADER
        answers = [b"", b"x", header.pack(0, Wire.MEMORIES, 1, 0), header.pack(Wire.LINK_MAGIC, 99, 1, 0),
                   header.pack(Wire.LINK_MAGIC, Wire.MEMORIES, 99, 0), header.pack(Wire.LINK_MAGIC, Wire.MEMORIES, 1, 5),
                   header.pack(Wire.LINK_MAGIC, Wire.MEMORIES, 1, 0xFFFFFFFF),
                   header.pack(Wire.LINK_MAGIC, Wire.GET_MEMORIES, 1, 1) + bytes(4),
                   header.pack(Wire.LINK_MAGIC, Wire.MEMORIES, 1, 1) + Wire.RECORD.pack(1, 0, 0, 4096),
                   bytes(3000)]
        for answer in answers:
            burst = self.open()
            burst.answerLink = lambda *_, burst=burst, answer=answer: burst.link.send(answer)
            burst.requests.write(self.sumPacket())
            self.assertTrue(burst.hasEnded(), answer)
        self.expectSum()

    def test_answerOfAnotherKindFailsTheRequest(self):
        answer = Wire.LINK_HEADER.pack(Wire.LINK_MAGIC, Wire.FREED, 1, 0)
        self.burst.answerLink = lambda *_: self.burst.link.send(answer)
        self.expectFailure(self.sumPacket())

    def test_linkWithoutAnswersEndsTheBurst(self):
        self.burst.answerLink = lambda *_: None
        self.burst.requests.write(self.sumPacket())
        self.expectEnd()

    def test_memoriesOfUnknownKindsEndTheBurst(self):
        for kind in (0, 5, 0xFFFFFFFF):
            burst = self.open()

            def answer(_, sequence, *__, burst=burst, kind=kind):
                data = Wire.LINK_HEADER.pack(Wire.LINK_MAGIC, Wire.MEMORIES, sequence, 1)
                Wire.socket.send_fds(burst.link, [data + Wire.RECORD.pack(kind, 0, 0, 4096)], [self.pool.fd])

            burst.answerLink = answer
            burst.requests.write(self.sumPacket())
            self.assertTrue(burst.hasEnded(), kind)
        self.expectSum()

    def test_unreadResultsEndTheBurst(self):
        burst = self.open(resultElements=3)
        burst.requests.write(self.sumPacket())
        end = time.monotonic() + 20
        while burst.results.available() == 0 and time.monotonic() < end:
            burst.serveLink(0.01)
        burst.requests.write(self.sumPacket())
        self.expectEnd(burst)

    def test_hangUpDuringRequestDoesNoHarm(self):
        for _ in range(20):
            burst = self.open()
            burst.requests.write(self.sumPacket())
            burst.link.close()
        self.expectSum()


if __name__ == "__main__":
    unittest.main()
