# Every call of the schema against a real service, with results.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import time
import unittest

from avocetClient import Models
from avocetClient.Client import CallError, readTotals
from avocetClient.Constants import Status
from avocetClient.Memory import FailingFence, Fence, Pool, awaitFence
from avocetClient.Schema import PROTOCOL, fb, make
from avocetClient.Wire import memoryFile
from ServiceProcess import ServiceTest


class CallsTest(ServiceTest):
    def setUp(self):
        super().setUp()
        self.device = self.connect()
        self.pool = self.keep(Pool(4096))

    def sumRequest(self, count=4):
        """Inputs at 0 and 1024, the output at 2048 of one pool."""
        size = 4 * count
        self.pool.putFloats(0, range(1, 1 + count))
        self.pool.putFloats(1024, [10] * count)
        self.pool.putFloats(2048, [0] * count)
        return Models.request([Models.argument(0, 0, size), Models.argument(0, 1024, size)],
                              [Models.argument(0, 2048, size)], [Models.memoryPool(self.pool.message(0))])

    def stepRequest(self, value, inputBytes, count):
        """One input at 0, the output at 2048."""
        self.pool.memory[0:len(value)] = value
        return Models.request([Models.argument(0, 0, inputBytes)], [Models.argument(0, 2048, 4 * count)],
                              [Models.memoryPool(self.pool.message(0))])

    def expectSum(self, answer, count=4):
        self.assertEqual((answer.status, answer.message), (Status.NONE, ""))
        self.assertEqual([(list(shape.dimensions), bool(shape.sufficient)) for shape in answer.body.shapes],
                         [([count], True)])
        self.assertEqual(self.pool.floats(2048, count), [11 + i for i in range(count)])

    def test_helloDescribesTheDevice(self):
        welcome = self.device.welcome
        self.assertEqual(welcome.name.decode(), self.service.devices[0])
        self.assertTrue(welcome.version)
        self.assertEqual((welcome.numModelCache, welcome.numDataCache), (1, 1))
        self.assertEqual((welcome.preferredAlignment, welcome.preferredPadding), (64, 64))
        types = [entry.type for entry in welcome.capabilities.operands]
        self.assertEqual(types, sorted(set(types)))
        self.assertEqual(self.device.status(), 0)

    def test_totalsCountThisClient(self):
        self.device.prepare(Models.addModel())
        self.assertTrue(self.service.awaitClients(2), self.service.totals())
        totals = readTotals(self.service.path)
        self.assertEqual(totals.objectsNow, 1)
        self.assertEqual([device.preparedModels for device in totals.devices], [1])

    def test_signOfLifeIsNoCountedCall(self):
        before = readTotals(self.service.path).callsEver
        for _ in range(10):
            self.device.ping()
        self.assertEqual(readTotals(self.service.path).callsEver, before + 1)

    def test_otherProtocolIsRefused(self):
        for protocol in (PROTOCOL - 1, PROTOCOL + 7):
            with self.assertRaises(CallError) as refused:
                self.device.connection.hello("", protocol=protocol)
            self.assertEqual(refused.exception.status, Status.INVALID_ARGUMENT)

    def test_supportedOperationsCarryReasons(self):
        self.assertEqual(list(self.device.supported(Models.addModel()).supported), [True])
        model = Models.addModel()
        model.main.operands[0].type = model.main.operands[1].type = model.main.operands[3].type = 2222
        with self.assertRaises(CallError):
            self.device.supported(model)

    def test_executesAdd(self):
        prepared = self.device.prepare(Models.addModel())
        for _ in range(3):
            self.expectSum(prepared.execute(self.sumRequest(), [self.pool.fd]))
        prepared.release()
        self.assertTrue(self.service.awaitNoObjects(), "calls that arrive one after the other may run at the same time")
        answer = prepared.execute(self.sumRequest(), [self.pool.fd])
        self.assertEqual(answer.status, Status.INVALID_ARGUMENT)

    def test_executesConvolution(self):
        prepared = self.device.prepare(Models.convModel())
        self.pool.putFloats(0, range(1, 10))
        request = Models.request([Models.argument(0, 0, 36)], [Models.argument(0, 2048, 16)],
                                 [Models.memoryPool(self.pool.message(0))])
        answer = prepared.execute(request, [self.pool.fd])
        self.assertEqual((answer.status, answer.message), (Status.NONE, ""))
        self.assertEqual(self.pool.floats(2048, 4), [13, 17, 25, 29])

    def test_executesBothBranchesOfIf(self):
        prepared = self.device.prepare(Models.ifModel())
        for condition, summand in ((1, 10), (0, 20)):
            self.pool.memory[0] = condition
            self.pool.putFloats(1024, [1, 2, 3, 4])
            request = Models.request([Models.argument(0, 0, 1), Models.argument(0, 1024, 16)],
                                     [Models.argument(0, 2048, 16)], [Models.memoryPool(self.pool.message(0))])
            answer = prepared.execute(request, [self.pool.fd])
            self.assertEqual((answer.status, answer.message), (Status.NONE, ""))
            self.assertEqual(self.pool.floats(2048, 4), [value + summand for value in (1, 2, 3, 4)])

    def test_executesWhile(self):
        prepared = self.device.prepare(Models.whileModel(5))
        for start, end in ((0, 5), (4.5, 5.5), (9, 9)):
            answer = prepared.execute(self.stepRequest(Models.floats(start), 4, 1), [self.pool.fd])
            self.assertEqual((answer.status, answer.message), (Status.NONE, ""))
            self.assertEqual(self.pool.floats(2048, 1), [end])

    def test_measuresTimes(self):
        prepared = self.device.prepare(Models.addModel())
        body = prepared.execute(self.sumRequest(), [self.pool.fd], Models.options(measure=True)).body
        self.assertGreaterEqual(body.timeOnDevice, 0)
        self.assertGreaterEqual(body.timeInDriver, body.timeOnDevice)
        self.assertEqual(prepared.execute(self.sumRequest(), [self.pool.fd]).body.timeOnDevice, -1)

    def test_passedDeadlineIsMissed(self):
        prepared = self.device.prepare(Models.addModel())
        late = Models.options(deadline=max(0, time.clock_gettime_ns(time.CLOCK_BOOTTIME) - 1_000_000))
        answer = prepared.execute(self.sumRequest(), [self.pool.fd], late)
        self.assertEqual(answer.status, Status.MISSED_DEADLINE_PERSISTENT)

    def test_preparesAndExecutesAsynchronously(self):
        launched, answer, prepared = self.device.prepareAsynchronously(Models.addModel())
        self.assertTrue(launched)
        self.assertEqual(answer.status, Status.NONE)
        launched, answer = prepared.executeAsynchronously(self.sumRequest(), [self.pool.fd])
        self.assertTrue(launched)
        self.expectSum(answer)

    def test_refusedLaunchIsAnsweredOnce(self):
        prepared = self.device.prepare(Models.addModel())
        request = self.sumRequest()
        request.inputs.pop()
        launched, answer = prepared.executeAsynchronously(request, [self.pool.fd])
        self.assertFalse(launched)
        self.assertEqual(answer.status, Status.INVALID_ARGUMENT)
        self.assertEqual(self.device.status(), 0)

    def test_reusesAnExecution(self):
        prepared = self.device.prepare(Models.addModel())
        execution = prepared.createExecution(self.sumRequest(), [self.pool.fd])
        for _ in range(3):
            self.pool.putFloats(2048, [0] * 4)
            self.expectSum(execution.compute())

    def test_messageInMemoryCarriesALargeModel(self):
        values = [float(i % 7) for i in range(20_000)]
        prepared = self.device.prepare(Models.addConstantModel(values))
        pool = self.keep(Pool(160_000))
        pool.putFloats(0, [1.0] * 20_000)
        request = Models.request([Models.argument(0, 0, 80_000)], [Models.argument(0, 80_000, 80_000)],
                                 [Models.memoryPool(pool.message(0))])
        answer = prepared.execute(request, [pool.fd])
        self.assertEqual((answer.status, answer.message), (Status.NONE, ""))
        self.assertEqual(pool.floats(80_000, 20_000), [value + 1 for value in values])

    def test_acceptsAnyMessageInMemory(self):
        prepared = self.device.prepare(Models.addModel(), inMemory=True)
        self.expectSum(prepared.execute(self.sumRequest(), [self.pool.fd], inMemory=True))

    def test_fencedExecutionWaitsForItsFence(self):
        prepared = self.device.prepare(Models.addModel())
        first = self.keep(Fence())
        launch = self.keep(prepared.executeFenced(self.sumRequest(), [self.pool.fd, first.fd], [1],
                                                  Models.options(measure=True)))
        self.assertIsNotNone(launch.fence)
        self.assertFalse(awaitFence(launch.fence, 0.02))
        self.assertEqual(launch.info().status, Status.GENERAL_FAILURE)
        first.signal()
        self.assertTrue(awaitFence(launch.fence))
        self.assertEqual(self.pool.floats(2048, 4), [11, 12, 13, 14])
        times = launch.info()
        self.assertEqual(times.status, Status.NONE)
        self.assertGreaterEqual(times.body.launchedInDriver, times.body.launchedOnDevice)

    def test_chainsReusableExecutionsByFences(self):
        prepared = self.device.prepare(Models.addModel())
        execution = prepared.createExecution(self.sumRequest(), [self.pool.fd])
        first = self.keep(Fence())
        launch = self.keep(prepared.executeFenced(self.sumRequest(), [self.pool.fd, first.fd], [1]))
        second = self.keep(execution.computeFenced([launch.fence], [0]))
        first.signal()
        self.assertTrue(second.fence is None or awaitFence(second.fence))
        self.assertEqual(second.info().status, Status.NONE)

    def test_failedFenceFailsTheExecution(self):
        prepared = self.device.prepare(Models.addModel())
        fence = self.keep(FailingFence())
        launch = self.keep(prepared.executeFenced(self.sumRequest(), [self.pool.fd, fence.fd], [1]))
        fence.fail()
        self.assertFalse(awaitFence(launch.fence))
        self.assertEqual(launch.info().status, Status.GENERAL_FAILURE)
        with self.assertRaises(CallError) as refused:
            prepared.executeFenced(self.sumRequest(), [self.pool.fd, fence.fd], [1])
        self.assertEqual(refused.exception.status, Status.INVALID_ARGUMENT)

    def test_buffersKeepValuesOnTheDevice(self):
        prepared = self.device.prepare(Models.addModel())
        source = self.device.allocate(inputs=[(prepared, 0)])
        result = self.device.allocate(outputs=[(prepared, 0)])
        exact = self.keep(Pool(16))
        self.assertEqual(source.copyTo(exact).status, Status.GENERAL_FAILURE)
        exact.putFloats(0, [1, 2, 3, 4])
        self.assertEqual(source.copyFrom(exact).status, Status.NONE)
        self.pool.putFloats(1024, [10] * 4)
        request = Models.request([Models.argument(1, 0, 0), Models.argument(0, 1024, 16)], [Models.argument(2, 0, 0)],
                                 [Models.memoryPool(self.pool.message(0)), Models.tokenPool(source.token),
                                  Models.tokenPool(result.token)])
        answer = prepared.execute(request, [self.pool.fd])
        self.assertEqual((answer.status, answer.message), (Status.NONE, ""))
        self.assertEqual(result.copyTo(exact).status, Status.NONE)
        self.assertEqual(exact.floats(0, 4), [11, 12, 13, 14])

    def test_callBurstKeepsMemoriesByIdentifier(self):
        burst = self.device.prepare(Models.addModel()).configureBurst()
        self.expectSum(burst.execute(self.sumRequest(), [5], [self.pool.fd]))
        request = self.sumRequest()
        request.pools = [make(fb.RequestPoolT, known=True)]
        self.expectSum(burst.execute(request, [5]))
        self.assertEqual(burst.releaseMemory(5).status, Status.NONE)
        self.assertEqual(burst.execute(request, [5]).status, Status.INVALID_ARGUMENT)

    def test_burstIdentifiersBelowMinusOneAreRefused(self):
        burst = self.device.prepare(Models.addModel()).configureBurst()
        for identifier in (-2, -(1 << 63)):
            answer = burst.execute(self.sumRequest(), [identifier], [self.pool.fd])
            self.assertEqual(answer.status, Status.INVALID_ARGUMENT)
            self.assertEqual(burst.releaseMemory(identifier).status, Status.INVALID_ARGUMENT)
        self.expectSum(burst.execute(self.sumRequest(), [-1], [self.pool.fd]))

    def test_preparesFromCacheFiles(self):
        files = [memoryFile(name="model"), memoryFile(name="data")]
        cache = make(fb.CacheFilesT, model=[0], data=[1], token=list(range(32)))
        try:
            self.device.prepare(Models.addConstantModel([10.0] * 4), files, cache=cache)
            prepared = self.device.prepareFromCache(cache, files)
            answer = prepared.execute(self.stepRequest(Models.floats(1, 2, 3, 4), 16, 4), [self.pool.fd])
            self.expectSum(answer)
            os.pwrite(files[0], b"\xff" * 16, 0)
            with self.assertRaises(CallError) as refused:
                self.device.prepareFromCache(cache, files)
            self.assertEqual(refused.exception.status, Status.GENERAL_FAILURE)
        finally:
            for file in files:
                os.close(file)

    def test_answersComeInAnyOrder(self):
        prepared = self.device.prepare(Models.addModel())
        body = make(fb.ExecuteT, prepared=prepared.number, request=self.sumRequest(), options=Models.options())
        numbers = [self.device.connection.send(body, [self.pool.fd]) for _ in range(20)]
        for number in reversed(numbers):
            self.expectSum(self.device.connection.answerTo(number))


if __name__ == "__main__":
    unittest.main()
