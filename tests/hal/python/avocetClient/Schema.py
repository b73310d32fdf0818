# The generated classes of the schema, and messages from and to bytes.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import pkgutil

import flatbuffers

import avocet.hal.ipc.fb as generated

IDENTIFIER = b"AVIP"
PROTOCOL = 2


class _Namespace:
    """All generated classes and functions by name: fb.HelloT, fb.MemoryStart, ..."""


fb = _Namespace()
for _module in pkgutil.iter_modules(generated.__path__):
    for _name, _value in vars(importlib.import_module(f"{generated.__name__}.{_module.name}")).items():
        if not _name.startswith("_"):
            setattr(fb, _name, _value)

CALLS = {name: tag for name, tag in vars(fb.Call).items() if isinstance(tag, int) and tag != 0}
ANSWERS = {name: tag for name, tag in vars(fb.Answer).items() if isinstance(tag, int) and tag != 0}


def make(table, **fields):
    """An object of the table's class, with some fields set."""
    value = table()
    for name, field in fields.items():
        if not hasattr(value, name):
            raise AttributeError(f"{table.__name__} has no field {name}")
        setattr(value, name, field)
    return value


def tagOf(body):
    """The tag of a call by the class of its body."""
    return CALLS[type(body).__name__.removesuffix("T")]


def pack(number, body, asynchronous=False, tag=None):
    """The bytes of a call; `tag` replaces the tag that belongs to the body."""
    envelope = make(fb.EnvelopeT, number=number, asynchronous=asynchronous, call=body)
    envelope.callType = tagOf(body) if tag is None else tag
    builder = flatbuffers.Builder(1024)
    builder.Finish(envelope.Pack(builder), IDENTIFIER)
    return bytes(builder.Output())


def unpack(data):
    return fb.EnvelopeT.InitFromObj(fb.Envelope.GetRootAs(data, 0))
