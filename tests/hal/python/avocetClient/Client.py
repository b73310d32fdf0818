# A client: calls, answers and the objects of one connection.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

from . import Models
from .Constants import Status
from .Schema import PROTOCOL, fb, make, pack, unpack
from .Wire import Closed, Wire


class CallError(Exception):
    """The service answered with an error."""

    def __init__(self, answer):
        super().__init__(f"{answer.status.name}: {answer.message}")
        self.status = answer.status
        self.answer = answer


class Answer:
    """The answer to a call. The receiver owns the descriptors."""

    def __init__(self, envelope, fds):
        self.number = envelope.number
        self.launched = envelope.launched
        self.status = Status(envelope.error)
        self.message = (envelope.message or b"").decode(errors="replace")  # it may quote what a client sent
        self.body = envelope.answer
        self.fds = fds

    def close(self):
        for fd in self.fds:
            os.close(fd)


class Descriptors:
    """The descriptors of one message by number."""

    def __init__(self):
        self.fds = []

    def numberOf(self, fd):
        if fd not in self.fds:
            self.fds.append(fd)
        return self.fds.index(fd)


class Connection:
    """Sends calls and matches answers by number. One thread."""

    def __init__(self, path):
        self.wire = Wire(path)
        self.nextNumber = 1
        self.answers = {}  # not read yet, by call
        self.launches = set()

    def close(self):
        self.wire.close()
        for answer in self.answers.values():
            answer.close()

    def send(self, body, fds=(), asynchronous=False, **howSent):
        """Sends a call and returns its number."""
        number, self.nextNumber = self.nextNumber, self.nextNumber + 1
        self.wire.send(pack(number, body, asynchronous), fds, **howSent)
        return number

    def receiveOne(self):
        data, fds = self.wire.receive()
        answer = Answer(unpack(data), fds)
        if answer.launched:
            self.launches.add(answer.number)
        else:
            self.answers[answer.number] = answer
        return answer

    def answerTo(self, number):
        while number not in self.answers:
            self.receiveOne()
        return self.answers.pop(number)

    def awaitLaunch(self, number):
        """False: the call was refused; its answer has the reason. The answer to a launched call may come first."""
        while number not in self.launches and number not in self.answers:
            self.receiveOne()
        return number in self.launches or self.answers[number].status == Status.NONE

    def ask(self, body, fds=(), **howSent):
        """The answer, with any status."""
        return self.answerTo(self.send(body, fds, **howSent))

    def call(self, body, fds=(), **howSent):
        """The answer of a call that must succeed."""
        answer = self.ask(body, fds, **howSent)
        if answer.status != Status.NONE:
            answer.close()
            raise CallError(answer)
        return answer

    def hello(self, device="", totals=False, protocol=PROTOCOL, newest=0):
        """`protocol`, `newest`: oldest and newest version that the client speaks."""
        return self.call(make(fb.HelloT, protocol=protocol, device=device, totals=totals, newest=newest)).body

    def release(self, number):
        self.send(make(fb.ReleaseT, object=number))


def listDevices(path):
    connection = Connection(path)
    try:
        return [name.decode() for name in connection.hello().devices]
    finally:
        connection.close()


def readTotals(path):
    """The totals of the service over all clients, or None where it refuses them."""
    connection = Connection(path)
    try:
        return connection.hello(totals=True).totals
    finally:
        connection.close()


class Device:
    """One device on its own connection. Every call of the schema is a method of this class or of its objects."""

    def __init__(self, path, name):
        self.connection = Connection(path)
        self.welcome = self.connection.hello(device=name)

    def close(self):
        self.connection.close()

    def status(self):
        return self.connection.call(fb.GetStatusT()).body.status

    def ping(self):
        self.connection.call(fb.PingT())

    def supported(self, model, fds=()):
        return self.connection.call(make(fb.GetSupportedOperationsT, model=model), fds).body

    @staticmethod
    def _prepareCall(model, **fields):
        options = make(fb.PrepareOptionsT, preference=1, priority=1, hints=[], **fields)
        return make(fb.PrepareModelT, model=model, options=options)

    def prepare(self, model, fds=(), inMemory=None, **fields):
        answer = self.connection.call(self._prepareCall(model, **fields), fds, inMemory=inMemory)
        return Prepared(self.connection, answer.body.id)

    def prepareAsynchronously(self, model, fds=(), **fields):
        """Whether it was launched, and the later answer."""
        number = self.connection.send(self._prepareCall(model, **fields), fds, asynchronous=True)
        launched = self.connection.awaitLaunch(number)
        answer = self.connection.answerTo(number)
        prepared = Prepared(self.connection, answer.body.id) if answer.status == Status.NONE else None
        return launched, answer, prepared

    def prepareFromCache(self, cache, fds, deadline=-1):
        answer = self.connection.call(make(fb.PrepareFromCacheT, cache=cache, deadline=deadline), fds)
        return Prepared(self.connection, answer.body.id)

    def allocate(self, inputs=(), outputs=(), dimensions=()):
        """Roles are pairs of a prepared model and an index."""
        def roles(list_):
            return [make(fb.RoleT, model=model.number, index=index, probability=1.0) for model, index in list_]
        body = make(fb.AllocateT, dimensions=list(dimensions), inputs=roles(inputs), outputs=roles(outputs))
        answer = self.connection.call(body).body
        return Buffer(self.connection, answer.id, answer.token)


class Object:
    """An object of the service by its number."""

    def __init__(self, connection, number):
        self.connection = connection
        self.number = number

    def release(self):
        self.connection.release(self.number)


class Prepared(Object):
    def _body(self, table, request, options):
        return make(table, prepared=self.number, request=request, options=options or Models.options())

    def execute(self, request, fds=(), options=None, **howSent):
        """The answer; its body has shapes and times."""
        return self.connection.ask(self._body(fb.ExecuteT, request, options), fds, **howSent)

    def executeAsynchronously(self, request, fds=(), options=None):
        number = self.connection.send(self._body(fb.ExecuteT, request, options), fds, asynchronous=True)
        return self.connection.awaitLaunch(number), self.connection.answerTo(number)

    def createExecution(self, request, fds=(), options=None):
        answer = self.connection.call(self._body(fb.CreateExecutionT, request, options), fds)
        return Execution(self.connection, answer.body.id)

    def executeFenced(self, request, fds=(), fences=(), options=None, timeoutAfterFence=-1):
        """`fences` are numbers of descriptors."""
        body = self._body(fb.ExecuteFencedT, request, options)
        body.fences, body.timeoutAfterFence = list(fences), timeoutAfterFence
        return Fenced(self.connection, self.connection.call(body, fds))

    def configureBurst(self):
        answer = self.connection.call(make(fb.ConfigureBurstT, prepared=self.number))
        return CallBurst(self.connection, answer.body.id)

    def serveBurst(self, requests, results, link, fds):
        """Queues as messages; `link` is the number of a descriptor."""
        body = make(fb.ServeBurstT, prepared=self.number, requests=requests, results=results, link=link)
        return Object(self.connection, self.connection.call(body, fds).body.id)


class Execution(Object):
    def compute(self, deadline=-1):
        return self.connection.ask(make(fb.ComputeT, execution=self.number, deadline=deadline))

    def computeFenced(self, fds=(), fences=(), deadline=-1, timeoutAfterFence=-1):
        body = make(fb.ComputeFencedT, execution=self.number, fences=list(fences), deadline=deadline,
                    timeoutAfterFence=timeoutAfterFence)
        return Fenced(self.connection, self.connection.call(body, fds))


class Fenced(Object):
    """A launch; `fence` is a descriptor, or None if it has already signaled."""

    def __init__(self, connection, answer):
        super().__init__(connection, answer.body.id)
        self.fence = answer.fds[0] if answer.fds else None

    def info(self):
        return self.connection.ask(make(fb.GetFencedInfoT, fenced=self.number))

    def close(self):
        if self.fence is not None:
            os.close(self.fence)


class Buffer(Object):
    def __init__(self, connection, number, token):
        super().__init__(connection, number)
        self.token = token

    def copyFrom(self, pool, dimensions=()):
        body = make(fb.CopyFromT, buffer=self.number, memory=pool.message(0), dimensions=list(dimensions))
        return self.connection.ask(body, [pool.fd])

    def copyTo(self, pool):
        return self.connection.ask(make(fb.CopyToT, buffer=self.number, memory=pool.message(0)), [pool.fd])


class CallBurst(Object):
    def execute(self, request, identifiers, fds=(), options=None):
        body = make(fb.ExecuteBurstT, burst=self.number, request=request, identifiers=list(identifiers),
                    options=options or Models.options())
        return self.connection.ask(body, fds)

    def releaseMemory(self, identifier):
        return self.connection.ask(make(fb.ReleaseMemoryT, burst=self.number, identifier=identifier))


__all__ = ["Answer", "Buffer", "CallBurst", "CallError", "Closed", "Connection", "Descriptors", "Device", "Execution",
           "Fenced", "Object", "Prepared", "listDevices", "readTotals"]
