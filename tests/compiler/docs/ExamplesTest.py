#===- ExamplesTest.py - Tests of the examples in descriptions of the IR
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Checks that all operations, types, attributes, enumerations, interfaces, dialects and passes have a description with an
example, and that avocet-opt accepts the examples. DocsTest.py runs the passes on theirs.

  ExamplesTest.py AVOCET_OPT LLVM_TBLGEN
"""

import re
import subprocess
import sys
import unittest

import Records

kOpt, kTblgen = sys.argv.pop(1), sys.argv.pop(1)
kSplit = "// -----\n"


def opt(text, *arguments):
    """Output of avocet-opt, or None and the first error."""
    done = subprocess.run([kOpt, *arguments], input=text, capture_output=True, text=True, check=False)
    return (done.stdout, "") if done.returncode == 0 else (None, done.stderr.strip().split("\n")[0])


def errors(owners):
    """Owner and error of each text that avocet-opt refuses."""
    for owner, text in owners:
        error = opt(text)[1]
        if error:
            yield f"{owner}: {error}"


class ExamplesTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.records = Records.documented(kTblgen)
        cls.owners = [(record, text) for record in cls.records.values() for text in record.examples]

    def printed(self, texts, *arguments):
        """The texts as avocet-opt prints them; all at once, since one start costs as much as a hundred examples."""
        output, _ = opt(kSplit.join(text.rstrip("\n") + "\n" for text in texts), "--split-input-file", *arguments)
        if output is None:
            self.fail("\n".join(errors(zip((owner for owner, _ in self.owners), texts))))
        parts = output.split(kSplit)
        self.assertEqual(len(parts), len(texts))
        return parts

    def testRecordsOfAllKindsAreFound(self):
        self.assertEqual({record.kind for record in self.records.values()}, set(Records.kDocumented))

    def testEveryRecordHasProseAndExample(self):
        self.assertEqual([str(r) for r in self.records.values() if not r.prose], [])
        self.assertEqual([str(r) for r in self.records.values() if not r.examples], [])

    def testExamplesShowTheirRecord(self):
        generic = self.printed([text for _, text in self.owners], "--mlir-print-op-generic")
        shown = {}
        for (owner, text), printed in zip(self.owners, generic):
            words = set(re.findall(r"\w+", text))
            matches = re.search(owner.pattern(), printed) and (not owner.words() or words & owner.words())
            shown[str(owner)] = shown.get(str(owner), False) or bool(matches)
        self.assertEqual([name for name, isShown in shown.items() if not isShown], [])

    def testExamplesRoundTrip(self):
        once = self.printed([text for _, text in self.owners])
        self.assertEqual(once, self.printed(once))


if __name__ == "__main__":
    unittest.main()
