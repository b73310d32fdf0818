# An implementation of the service's protocol that shares no code with the C++ one.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speaks to avocetd with the stock FlatBuffers runtime and the classes that flatc generates from messages.fbs.

No module checks what it sends, so that a test can send invalid messages. See README.md for the modules.
"""
