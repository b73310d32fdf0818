# Bursts over message queues of a correct client.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

from avocetClient import Models
from avocetClient.Constants import Status
from avocetClient.Memory import Pool
from avocetClient.QueueBurst import QueueBurst, requestPacket
from ServiceProcess import ServiceTest

NOT_MEASURED = (1 << 64) - 1


class QueueBurstFixture(ServiceTest):
    """A burst of the sum of two vectors; slot 0 is a pool with inputs at 0 and 1024 and the output at 2048."""

    def setUp(self):
        super().setUp()
        self.prepared = self.connect().prepare(Models.addModel())
        self.pool = self.keep(Pool(4096))
        self.burst = self.open()

    def open(self, **sizes):
        burst = self.keep(QueueBurst(self.prepared, **sizes))
        burst.slots = {0: self.pool}
        return burst

    def sumPacket(self, slots=(0,), measure=False):
        self.pool.putFloats(0, [1, 2, 3, 4])
        self.pool.putFloats(1024, [10] * 4)
        self.pool.putFloats(2048, [0] * 4)
        return requestPacket([(0, 0, 16, []), (0, 1024, 16, [])], [(0, 2048, 16, [])], slots, measure)

    def expectSum(self, burst=None, packet=None):
        result = (burst or self.burst).exchange(packet or self.sumPacket())
        self.assertIsNotNone(result, "the service has ended the burst")
        self.assertEqual((result.status, result.shapes), (Status.NONE, [([4], True)]))
        self.assertEqual(self.pool.floats(2048, 4), [11, 12, 13, 14])
        return result


class QueueBurstTest(QueueBurstFixture):
    def test_executesMoreThanTheQueueHolds(self):
        for _ in range(100):
            self.expectSum()
        self.assertEqual(self.burst.asked, [[0]])

    def test_smallQueuesWrapAround(self):
        small = self.open(requestElements=7, resultElements=5)
        for _ in range(20):
            self.expectSum(small)

    def test_measuresTimes(self):
        self.assertEqual(self.expectSum().onDevice, NOT_MEASURED)
        result = self.expectSum(packet=self.sumPacket(measure=True))
        self.assertLessEqual(result.onDevice, result.inDriver)
        self.assertLess(result.inDriver, NOT_MEASURED)

    def test_freedSlotIsRequestedAgain(self):
        self.expectSum()
        self.burst.freeSlot(0)
        self.expectSum()
        self.assertEqual(self.burst.asked, [[0], [0]])

    def test_slotsMayHaveAnyNumbers(self):
        self.burst.slots[0x7FFFFFFF] = self.pool
        self.expectSum(packet=self.sumPacket([0x7FFFFFFF]))

    def test_severalBurstsRunConcurrently(self):
        others = [self.open() for _ in range(4)]
        for _ in range(5):
            for burst in others:
                self.expectSum(burst)


if __name__ == "__main__":
    unittest.main()
