#===- ToolRules.py - Rules that other programs check
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""clang-format, the check of the layering and the search for dead code."""

import concurrent.futures
import os
import re
import subprocess

kFormatter = "clang-format-22"
kFilesPerRun = 40


def runFormatter(tree, options, files):
    return subprocess.run([kFormatter, *options, *files], cwd=tree.root, capture_output=True, text=True, check=False)


def fixFormat(tree):
    if tree.cppFiles():
        runFormatter(tree, ["-i"], tree.cppFiles())


def format_(tree):
    files = tree.cppFiles()
    groups = [files[start:start + kFilesPerRun] for start in range(0, len(files), kFilesPerRun)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for run in pool.map(lambda group: runFormatter(tree, ["--dry-run"], group), groups):
            places = {}
            for path in re.findall(r"^(\S+?):\d+:\d+: warning:", run.stderr, re.MULTILINE):
                places[path] = places.get(path, 0) + 1
            for path, count in places.items():
                yield f"{path}: {count} places differ from clang-format (scripts/presubmit --fix)"
            if run.returncode != 0:
                yield f"{kFormatter}: {run.stderr.strip()[:300]}"


def runScript(tree, name, clean, *options):
    """Each line of the output of a script of this folder is a finding, if it fails."""
    script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name)
    run = subprocess.run([script, "--root", tree.root, *options], capture_output=True, text=True, check=False)
    output = (run.stdout + run.stderr).strip()
    if run.returncode != 0 or clean not in output:
        yield from output.splitlines() or [f"{name}: exit code {run.returncode} without output"]


def layering(tree):
    return runScript(tree, "checkLayering", "layering: no violation")


def deadCode(tree):
    return runScript(tree, "deadCode", "deadCode: none")
