# Messages that are malformed, and messages of unusual writers.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import struct
import unittest

import flatbuffers

from avocetClient import Models
from avocetClient.Client import Connection, Device
from avocetClient.Constants import Status
from avocetClient.Memory import Pool
from avocetClient.Schema import ANSWERS, CALLS, IDENTIFIER, fb, make, pack, unpack
from avocetClient.Wire import HEADER, MAGIC, MAX_INLINE_BYTES, Closed, memoryFile
from ServiceProcess import ServiceTest

SPARSE_BYTES = 1 << 28


def envelope(body, callTag, answer=None, answerTag=0, number=77):
    """A message; its tags may differ from the types of its bodies."""
    message = make(fb.EnvelopeT, number=number, call=body, callType=callTag, answer=answer, answerType=answerTag)
    builder = flatbuffers.Builder(256)
    builder.Finish(message.Pack(builder), IDENTIFIER)
    return bytes(builder.Output())


class MalformedTest(ServiceTest):
    def setUp(self):
        super().setUp()
        self.device = self.connect()
        self.wire = self.device.connection.wire

    def statusOf(self, data, fds=(), number=77, **howSent):
        self.wire.send(data, fds, **howSent)
        answer, fds = self.wire.receive()
        for fd in fds:
            os.close(fd)
        answer = unpack(answer)
        self.assertEqual(answer.number, number)
        return Status(answer.error)

    def expectClosed(self, send):
        """Uses a separate connection."""
        device = Device(self.service.path, self.service.devices[0])
        try:
            send(device.connection.wire)
            with self.assertRaises(Closed):
                device.connection.wire.receive()
        except Closed:
            pass
        finally:
            device.close()

    def test_unknownCallTagsAreAnswered(self):
        for tag in range(max(CALLS.values()) + 1, 256):
            self.assertEqual(self.statusOf(envelope(fb.GetStatusT(), tag)), Status.INVALID_ARGUMENT, tag)
        self.assertEqual(self.device.status(), 0)

    def test_unknownTagsBeforeHelloAreAnswered(self):
        connection = self.keep(Connection(self.service.path))
        for tag in (0, max(CALLS.values()) + 1, 255):
            connection.wire.send(envelope(fb.GetStatusT(), tag))
            self.assertEqual(connection.receiveOne().status, Status.INVALID_ARGUMENT)

    def test_unknownAnswerTagsAreAnswered(self):
        for tag in range(max(ANSWERS.values()) + 1, 256):
            data = envelope(fb.GetStatusT(), CALLS["GetStatus"], fb.NothingT(), tag)
            self.assertEqual(self.statusOf(data), Status.INVALID_ARGUMENT, tag)

    def test_unknownMemoryKindsAreAnswered(self):
        prepared = self.device.prepare(Models.addModel())
        pool = self.keep(Pool(4096))
        for kind in range(5, 256):
            memory = pool.message(0)
            memory.kind = kind
            request = Models.request([], [], [Models.memoryPool(memory)])
            self.assertEqual(prepared.execute(request, [pool.fd]).status, Status.INVALID_ARGUMENT, kind)

    def test_unknownEnumerationsAreAnswered(self):
        for code in (-(1 << 31), -1, 3, 99, (1 << 31) - 1):
            for name in ("preference", "priority"):
                answer = self.prepareWith(lambda call, name=name, code=code: setattr(call.options, name, code))
                self.assertEqual(answer.status, Status.INVALID_ARGUMENT, (name, code))
        for code in (-(1 << 31), -1, 7, 255, (1 << 31) - 1):
            answer = self.prepareWith(lambda call, code=code: setattr(call.model.main.operands[0], "lifetime", code))
            self.assertEqual(answer.status, Status.INVALID_ARGUMENT, code)
        for code in (-(1 << 31), -1, 16, 9999, 0xFFFF):
            answer = self.prepareWith(lambda call, code=code: setattr(call.model.main.operands[0], "type", code))
            self.assertEqual(answer.status, Status.INVALID_ARGUMENT, code)
            answer = self.prepareWith(lambda call, code=code: setattr(call.model.main.operations[0], "type", code + 200))
            self.assertEqual(answer.status, Status.INVALID_ARGUMENT, code)

    def prepareWith(self, change):
        body = make(fb.PrepareModelT, model=Models.addModel(),
                    options=make(fb.PrepareOptionsT, preference=1, priority=1, hints=[]))
        change(body)
        return self.device.connection.ask(body)

    def test_indicesOutOfRangeAreAnswered(self):
        for index in (4, 5, 0x7FFFFFFF, 0xFFFFFFFF):
            for change in (lambda main, index=index: main.inputs.__setitem__(0, index),
                           lambda main, index=index: main.outputs.__setitem__(0, index),
                           lambda main, index=index: main.operations[0].inputs.__setitem__(0, index),
                           lambda main, index=index: main.operations[0].outputs.__setitem__(0, index)):
                answer = self.prepareWith(lambda call, change=change: change(call.model.main))
                self.assertEqual(answer.status, Status.INVALID_ARGUMENT, index)

    def test_timesBelowMinusOneAreAnswered(self):
        prepared = self.device.prepare(Models.addModel())
        request = Models.request([], [], [])
        for value in (-2, -(1 << 63)):
            for name in ("deadline", "loopTimeout"):
                answer = prepared.execute(request, (), Models.options(**{name: value}))
                self.assertEqual(answer.status, Status.INVALID_ARGUMENT)
                self.assertIn("malformed", answer.message)

    def test_emptyVectorsAreAcceptedAtAnyOffset(self):
        """As written by a builder that aligns the length, but not the elements, of which there are none."""
        burst = self.device.prepare(Models.addModel()).configureBurst()
        for padding in range(0, 16, 4):
            builder = flatbuffers.Builder(256)
            builder.Pad(padding)
            builder.PrependUint32(0)
            identifiers = builder.Offset()
            body = make(fb.ExecuteBurstT, burst=burst.number, request=fb.RequestT(), options=fb.ExecutionOptionsT())
            request, options = body.request.Pack(builder), body.options.Pack(builder)
            fb.ExecuteBurstStart(builder)
            fb.ExecuteBurstAddBurst(builder, burst.number)
            fb.ExecuteBurstAddRequest(builder, request)
            fb.ExecuteBurstAddIdentifiers(builder, identifiers)
            fb.ExecuteBurstAddOptions(builder, options)
            call = fb.ExecuteBurstEnd(builder)
            fb.EnvelopeStart(builder)
            fb.EnvelopeAddNumber(builder, 77)
            fb.EnvelopeAddCallType(builder, CALLS["ExecuteBurst"])
            fb.EnvelopeAddCall(builder, call)
            builder.Finish(fb.EnvelopeEnd(builder), IDENTIFIER)
            self.wire.send(bytes(builder.Output()))
            answer = self.device.connection.receiveOne()
            self.assertEqual(answer.status, Status.INVALID_ARGUMENT)
            self.assertNotIn("message", answer.message, "the message is good, the request is not")

    def test_brokenBodyIsAnswered(self):
        data = pack(77, make(fb.HelloT, protocol=2))
        place = data.rindex(struct.pack("<I", 2))
        for end in (place, place + 4):  # the body's table lies before its number
            broken = data[:end - 8] + b"\xff\xff\xff\x3f" + data[end - 4:]
            try:
                self.assertEqual(self.statusOf(broken), Status.INVALID_ARGUMENT)
            except Closed:
                self.fail("the session has ended")

    def test_shortenedMessagesAreAnsweredOrEndTheSession(self):
        data = pack(77, make(fb.PrepareModelT, model=Models.addModel(), options=fb.PrepareOptionsT()))
        for size in range(1, len(data), 7):
            connection = Connection(self.service.path)
            try:
                connection.wire.send(data[:size])
                self.assertEqual(connection.receiveOne().status, Status.INVALID_ARGUMENT)
            except Closed:
                self.assertLess(size, len(data) // 2, "the number of the call is there")
            finally:
                connection.close()

    def test_brokenFramingEndsTheSession(self):
        good = pack(1, fb.GetStatusT())
        for header in (HEADER.pack(MAGIC + 1, 0, len(good), 0, 0), HEADER.pack(MAGIC, 0, len(good) + 1, 0, 0),
                       HEADER.pack(MAGIC, 1, len(good), 0, 0), HEADER.pack(MAGIC, 0, len(good), 0, 1),
                       HEADER.pack(MAGIC, 0, len(good), 2, 0), HEADER.pack(MAGIC, 0, len(good), 1, 0),
                       HEADER.pack(MAGIC, 0xFFFFFFFF, len(good), 0, 0), HEADER.pack(MAGIC, 0, (1 << 64) - 1, 0, 0)):
            self.expectClosed(lambda wire, header=header: wire.sendPacket(header + good))
        for packet in (b"x", HEADER.pack(MAGIC, 0, 0, 0, 0), bytes(HEADER.size), bytes(MAX_INLINE_BYTES)):
            self.expectClosed(lambda wire, packet=packet: wire.sendPacket(packet))

    def test_sparseMemoryTakesNoMemoryOfTheService(self):
        before = self.service.peakBytes()
        header = HEADER.pack(MAGIC, 1, SPARSE_BYTES, 1, 0)
        for _ in range(4):
            memory = memoryFile(size=SPARSE_BYTES)
            self.expectClosed(lambda wire, memory=memory: wire.sendPacket(header, [memory]))
            os.close(memory)
        self.assertLess(self.service.peakBytes() - before, SPARSE_BYTES // 8)

    def test_memoryOfAnotherSizeEndsTheSession(self):
        for size in (0, 1, 4096, SPARSE_BYTES + 1):
            memory = memoryFile(size=8192)
            header = HEADER.pack(MAGIC, 1, size, 1, 0)
            self.expectClosed(lambda wire, header=header, memory=memory: wire.sendPacket(header, [memory]))
            os.close(memory)

    def test_memoryOfOtherKindsEndsTheSession(self):
        reader, writer = os.pipe()
        kinds = [reader, writer, os.eventfd(0), os.open("/dev/null", os.O_RDWR), os.open("/", os.O_RDONLY),
                 os.open("/dev/zero", os.O_RDONLY)]
        for fd in kinds:
            header = HEADER.pack(MAGIC, 1, 4096, 1, 0)
            self.expectClosed(lambda wire, fd=fd, header=header: wire.sendPacket(header, [fd]))
            os.close(fd)

    def test_missingDescriptorsAreAnswered(self):
        prepared = self.device.prepare(Models.addModel())
        pool = self.keep(Pool(4096))
        for number in (1, 2, 200, 0xFFFFFFFF):
            request = Models.request([], [], [Models.memoryPool(pool.message(number))])
            self.assertEqual(prepared.execute(request, [pool.fd]).status, Status.INVALID_ARGUMENT, number)

    def test_objectsOfOtherKindsAreAnswered(self):
        prepared = self.device.prepare(Models.addModel())
        burst = prepared.configureBurst()
        for number in (0, burst.number, 999, (1 << 64) - 1):
            for table, name in ((fb.ConfigureBurstT, "prepared"),
                                (fb.ComputeT, "execution"), (fb.GetFencedInfoT, "fenced")):
                answer = self.device.connection.ask(make(table, **{name: number}))
                self.assertEqual(answer.status, Status.INVALID_ARGUMENT, (table.__name__, number))
        self.assertEqual(self.device.connection.ask(make(fb.ReleaseMemoryT, burst=prepared.number)).status,
                         Status.INVALID_ARGUMENT)


if __name__ == "__main__":
    unittest.main()
