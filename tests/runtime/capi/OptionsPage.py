#!/usr/bin/env python3
#===- OptionsPage.py - The page about the options of the C library
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Compares runtime/capi/Options.md with what the library says about its options.

  OptionsPage.py LIBRARY [--update]    exit code 1 if they differ; --update writes the page
"""

import ctypes
import os
import sys

kPage = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "runtime/capi/Options.md"))
kHead = """# Options of the C library

Names and values for `avocetOptionsSet()`; those of the command line have the same names and mean the same. `avocetOptionName()` and
`avocetOptionHelp()` list them in a program. Written by `tests/runtime/capi/OptionsPage.py --update`.

| name | value |
|---|---|
"""


def pageOf(library):
    for function in (library.avocetOptionName, library.avocetOptionHelp):
        function.argtypes, function.restype = [ctypes.c_size_t], ctypes.c_char_p
    page, index = kHead, 0
    while name := library.avocetOptionName(index):
        page += f"| `{name.decode()}` | {library.avocetOptionHelp(index).decode()} |\n"
        index += 1
    return page


def main(arguments):
    if not arguments or arguments[1:] not in ([], ["--update"]):
        print(__doc__, file=sys.stderr)
        return 2
    page = pageOf(ctypes.CDLL(arguments[0]))
    if len(arguments) == 2:
        with open(kPage, "w", encoding="utf-8") as file:
            file.write(page)
        return 0
    with open(kPage, encoding="utf-8") as file:
        isFresh = file.read() == page
    if not isFresh:
        print(f"{kPage}: differs from the library; run tests/runtime/capi/OptionsPage.py LIBRARY --update")
    return 0 if isFresh else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
