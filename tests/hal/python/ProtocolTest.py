# The page hal/ipc/Protocol.md against schema, code and this client; versions of the protocol.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import unittest

from avocetClient import Client, QueueBurst, Wire
from avocetClient.Client import CallError, Connection
from avocetClient.Constants import Lifetime, Status
from avocetClient.Schema import ANSWERS, CALLS, IDENTIFIER, PROTOCOL
from ServiceProcess import ServiceTest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
OLDEST, NEWEST = 2, 4


def readFile(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def tableOf(page, heading):
    """The rows of the table whose heading begins with these cells; cells without quotes around code."""
    lines = page.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def code(cell):
    """The words of a cell that are code."""
    return re.findall(r"`([^`]+)`", cell)


class Schema:
    """messages.fbs: fields of each table and struct, and members of each union and enumeration, in order."""

    def __init__(self):
        text = re.sub(r"//[^\n]*|\([^)]*\)", "", readFile("hal", "wire", "schema", "messages.fbs"))  # attributes too
        self.fields = {name: re.findall(r"(\w+)\s*:", body)
                       for name, body in re.findall(r"(?:table|struct) (\w+)\s*\{([^}]*)\}", text)}
        self.members = {name: re.findall(r"\w+", body)
                        for name, body in re.findall(r"(?:union|enum) (\w+)[^{]*\{([^}]*)\}", text)}


def constantIn(path, name):
    """The value of a C++ constant that is a number, or a number shifted to the left."""
    expression = re.search(rf"\b{name}\s*=\s*([^;]+);", readFile(*path.split("/"))).group(1)
    expression = re.sub(r"[\w:]+(?=\()", "", expression)  # casts
    if not re.fullmatch(r"[0-9a-fA-FxX()< ]+", expression):
        raise ValueError(f"{name} in {path}: {expression}")
    return eval(expression)  # pylint: disable=eval-used


def enumerationIn(path, name):
    body = re.search(rf"enum class {name}\b[^{{]*\{{([^}}]*)\}}", readFile(*path.split("/"))).group(1)
    return {int(number): member for member, number in re.findall(r"(\w+) = (\d+)", body)}


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = readFile("hal", "ipc", "Protocol.md")
        cls.schema = Schema()

    def test_unionsHaveTagsAndFieldsOfSchema(self):
        for kind, heading, generated in (("Call", "tag | call", CALLS), ("Answer", "tag | answer", ANSWERS)):
            rows = tableOf(self.page, heading)
            self.assertEqual([code(row[1]) for row in rows], [[name] for name in self.schema.members[kind]])
            for row in rows:
                (name,) = code(row[1])
                self.assertEqual(int(row[0]), generated[name], name)
                self.assertEqual(code(row[2]), self.schema.fields[name], name)

    def test_callsNameAnswersOfSchema(self):
        for row in tableOf(self.page, "tag | call"):
            for name in code(row[3]):
                self.assertIn(name, ANSWERS, row)

    def test_valuesHaveFieldsOfSchema(self):
        rows = {code(row[0])[0]: code(row[1]) for row in tableOf(self.page, "table or struct")}
        others = {"Envelope", *self.schema.members["Call"], *self.schema.members["Answer"]}
        self.assertEqual(rows, {name: fields for name, fields in self.schema.fields.items() if name not in others})

    def test_envelopeHasFieldsOfSchema(self):
        rows = [code(row[0])[0] for row in tableOf(self.page, "field of `Envelope`")]
        self.assertEqual(sorted(rows), sorted(self.schema.fields["Envelope"]))

    def test_limitsAreThoseOfTheCode(self):
        limits = {}
        for row in tableOf(self.page, "limit | value"):
            (name,), (path,) = code(row[0]), code(row[2])
            limits[name] = int(row[1].split()[0], 0)
            self.assertEqual(limits[name], constantIn(path, name), name)
        self.assertEqual(limits["kMagic"], Wire.MAGIC)
        self.assertEqual(limits["kMagic"].to_bytes(4, "little"), IDENTIFIER)
        self.assertEqual(limits["kMaxInlineBytes"], Wire.MAX_INLINE_BYTES)
        self.assertEqual(limits["kMaxDescriptors"] + 1, Wire.MAX_DESCRIPTORS)

    def test_headerIsThatOfTheClient(self):
        rows = tableOf(self.page, "offset | bytes")
        end = 0
        for row in rows:
            self.assertEqual(int(row[0]), end)
            end += int(row[1])
        self.assertEqual(end, Wire.HEADER.size)
        body = re.search(r"struct PacketHeader \{([^}]*)\}", readFile("hal", "wire", "lib", "Channel.cpp")).group(1)
        self.assertEqual([code(row[2])[0] for row in rows], re.findall(r"uint\d+_t (\w+);", body))

    def test_errorsAreThoseOfTheCode(self):
        rows = {int(row[0]): row[1] for row in tableOf(self.page, "code | error")}
        self.assertEqual(rows, {int(status): status.name for status in Status})
        types = enumerationIn("hal/types/include/avocet/hal/types/Result.h", "ErrorStatus")
        types.pop(10000)  # not sent
        self.assertEqual(rows, {number: re.sub(r"(?<!^)([A-Z])", r"_\1", name).upper() for number, name in types.items()})

    def test_enumerationsAreThoseOfTheCode(self):
        rows = {code(row[0])[0]: {int(number): name for number, name in re.findall(r"(\d+) (\w+)", row[1])}
                for row in tableOf(self.page, "enumeration")}
        self.assertEqual(rows.pop("MemoryKind"), dict(enumerate(self.schema.members["MemoryKind"])))
        self.assertEqual(set(rows["OperandLifeTime"]), set(map(int, Lifetime)))
        for name, values in rows.items():
            self.assertEqual(values, enumerationIn("hal/types/include/avocet/hal/types/Types.h", name), name)

    def test_versionsAreThoseOfTheCode(self):
        header = "hal/wire/include/avocet/hal/wire/Protocol.h"
        self.assertEqual(constantIn(header, "kUnnegotiatedProtocol"), OLDEST)
        self.assertIn(f"kProtocols{{kUnnegotiatedProtocol, {NEWEST}}}", readFile(*header.split("/")))
        self.assertIn(f"This service speaks versions {OLDEST} to {NEWEST}.", self.page)
        self.assertEqual([int(row[0]) for row in tableOf(self.page, "version")], list(range(OLDEST, NEWEST + 1)))
        self.assertEqual(PROTOCOL, OLDEST)

    def test_burstsAreThoseOfTheClient(self):
        self.assertIn(f"magic 0x{QueueBurst.LINK_MAGIC:08X}", self.page)
        self.assertIn(f"`element_bytes` = {QueueBurst.ELEMENT}.", self.page)
        kinds = {row[0].split()[0]: row for row in tableOf(self.page, "kind | from")}
        self.assertEqual(list(kinds), [str(kind) for kind in (QueueBurst.GET_MEMORIES, QueueBurst.FREE_SLOT,
                                                              QueueBurst.MEMORIES, QueueBurst.FREED)])
        self.assertIn(f"{QueueBurst.RECORD.size} bytes", kinds[str(QueueBurst.MEMORIES)][2])
        link = "hal/burst/lib/BurstLink.cpp"
        self.assertEqual(constantIn(link, "kMagic"), QueueBurst.LINK_MAGIC)
        self.assertIn(f"at most {constantIn('hal/burst/lib/BurstLink.h', 'kMaxEntries')} |", self.page)
        slots = constantIn("hal/burst/include/avocet/hal/burst/Burst.h", "kMaxBurstSlots")
        self.assertIn(f"A client may have {slots} slots.", self.page)


class VersionTest(ServiceTest):
    """A service of this version."""

    protocols = (OLDEST, NEWEST)

    def welcome(self, **versions):
        return self.keep(Connection(self.service.path)).hello(**versions)

    def refusal(self, **versions):
        with self.assertRaises(CallError) as raised:
            self.welcome(**versions)
        self.assertEqual(raised.exception.status, Status.INVALID_ARGUMENT)
        return raised.exception.answer.message

    def test_oldClientGetsOldWelcome(self):
        welcome = self.welcome(protocol=OLDEST)
        self.assertEqual((welcome.protocol, welcome.oldest, welcome.newest), (0, 0, 0))
        self.assertEqual(len(welcome.devices), 1)

    def test_newClientGetsNewestCommonVersion(self):
        welcome = self.welcome(protocol=OLDEST, newest=NEWEST + 5)
        expected = (self.protocols[1], *self.protocols) if self.protocols[1] > OLDEST else (0, 0, 0)
        self.assertEqual((welcome.protocol, welcome.oldest, welcome.newest), expected)

    def test_refusalNamesBothRanges(self):
        low, high = self.protocols
        service = f"version {low}" if low == high else f"versions {low} to {high}"
        message = self.refusal(protocol=high + 1, newest=high + 3)
        self.assertIn(f"the client speaks versions {high + 1} to {high + 3} of the protocol, the service {service};", message)
        self.assertIn("the client speaks version 1 of", self.refusal(protocol=1))

    def test_olderClientRunsCalls(self):
        device = self.keep(Client.Device(self.service.path, self.service.devices[0]))
        self.assertEqual(device.status(), 0)


class OlderServiceTest(VersionTest):
    """The same with a service that speaks the oldest version only."""

    options = ("--newest-protocol", str(OLDEST))
    protocols = (OLDEST, OLDEST)


__all__ = ["OlderServiceTest", "PageTest", "VersionTest"]
