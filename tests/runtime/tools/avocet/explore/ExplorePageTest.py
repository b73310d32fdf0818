# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of avocet explore in a headless Chromium: its script draws all points, a selected point shows its neighbors.

  ExplorePageTest.py --avocet PROGRAM --model NETWORK      exit code 77 without Chromium
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EXIT_SKIPPED = 77
# Runs after the page's own scripts; what it finds is read from the document.
PROBE = """<script>
const circles = document.querySelectorAll("#chart circle");
circles[4].dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
const head = document.querySelector("section:not(#explorer) th button");
head.click();
head.click();
document.documentElement.dataset.probe = [circles.length, document.querySelectorAll("#chart circle.neighbor").length,
  document.querySelectorAll("#point details").length, document.querySelectorAll("#point td").length > 0,
  head.parentNode.getAttribute("aria-sort")].join(" ");
</script>"""


class ExplorePageTest(unittest.TestCase):
    options = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        subprocess.run([self.options.avocet, "explore", "--models", self.options.model, "--set", "sram.bytes=32K,64K,256K", "--set",
                        "dram.bandwidth=0.5,1,2", "-o", self.folder.name], check=True, stdout=subprocess.DEVNULL, timeout=240)
        self.page = pathlib.Path(self.folder.name, "explore.html")

    def open(self):
        """The document after its scripts, and the messages of the console."""
        run = subprocess.run([self.options.chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                              f"--user-data-dir={self.folder.name}/profile", "--virtual-time-budget=2000", "--dump-dom",
                              self.page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
        return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]

    def testScriptDrawsAndShowsNeighbors(self):
        self.page.write_text(self.page.read_text().replace("</body>", PROBE + "</body>"))
        document, console = self.open()
        self.assertEqual(console, [])
        probe = re.search(r'data-probe="([^"]*)"', document)
        self.assertIsNotNone(probe)
        self.assertEqual(probe.group(1), "9 4 4 true descending")
        self.assertNotIn('id="explorer" hidden', document)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--avocet", required=True)
    parser.add_argument("--model", required=True)
    options = parser.parse_args()
    options.chromium = shutil.which("chromium")
    if not options.chromium:
        print("skipped: chromium is not installed")
        return EXIT_SKIPPED
    ExplorePageTest.options = options
    result = unittest.main(argv=[sys.argv[0]], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
