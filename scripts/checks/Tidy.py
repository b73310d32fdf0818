#===- Tidy.py - clang-tidy on changed files
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Runs clang-tidy (.clang-tidy) in parallel on the files that differ from a commit, within a limit of time.

A changed header is checked through a source that includes it. What was not checked is printed. A file that clang-tidy cannot
check is a finding: its crash, and a source without a compile command.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import time

kTidy = "clang-tidy-22"
# Builds whose compile commands are used, in this order. Fuzz targets are in the second only.
kBuilds = ("build/release", "build/asan", "build/dev")
# Projects of their own, which their tests configure.
kNotInBuilds = ("tests/install/",)
# Programs that only their tests build, with headers of others; a source that a build has too is checked.
kBuiltByTests = ("tests/clients/examples/", "tests/clients/onnxruntime/")
# Declare interfaces of others, with their names: the kernel's, Android's.
kForeignNames = ("tests/firmware_iface/kmod/unit/", "hal/nnapi/include/")


def compileCommands(tree):
    """{path: folder of a build that compiles it}"""
    found = {}
    for build in filter(None, (os.environ.get("AVOCET_BUILD_DIR"), *kBuilds)):
        path = os.path.join(tree.root, build, "compile_commands.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for entry in json.load(file):
                    found.setdefault(os.path.relpath(os.path.join(entry["directory"], entry["file"]), tree.root), build)
    return found


def includerOf(tree, header, commands, seen=()):
    """A compiled source that includes a header: the one of the same name, else any, else one that does through another header."""
    name = os.path.basename(header)
    stem = os.path.splitext(name)[0]
    including = [path for path in tree.files if path.endswith((".cpp", ".h")) and path not in (header, *seen) and
                 re.search(r'#\s*include\s+"(?:[^"]*/)?' + re.escape(name) + '"', tree.text(path))]
    users = [path for path in including if path in commands]
    same = [path for path in users if os.path.basename(path) == stem + ".cpp"]
    if users:
        return (same or sorted(users))[0]
    through = (includerOf(tree, path, commands, (header, *seen)) for path in sorted(including) if path.endswith(".h"))
    return next(filter(None, through), None)


def sourcesToCheck(tree, commands):
    """(sources to give to clang-tidy, findings for files that it cannot check)"""
    sources, findings = [], []
    changed = [path for path in tree.cppFiles() if not path.startswith(kNotInBuilds + kForeignNames)]
    for path in changed:
        if not path.endswith(".h"):
            if path in commands:
                sources.append(path)
            elif not path.startswith(kBuiltByTests):
                findings.append(f"{path}: no compile command in {', '.join(kBuilds)}; configure a preset that compiles it")
    for path in changed:
        if path.endswith(".h") and not path.startswith(kBuiltByTests):
            user = includerOf(tree, path, commands)
            if user and user not in sources:
                sources.append(user)
            elif not user:
                findings.append(f"{path}: no compiled source includes it")
    return sources, findings


def relativeTo(root, finding):
    path, separator, rest = finding.partition(":")
    return os.path.relpath(os.path.join(root, path), root) + separator + rest


def tidyFile(tree, path, build, deadline):
    """Findings in one source, or None if there was no time."""
    left = deadline - time.monotonic()
    if left <= 0:
        return None
    try:
        run = subprocess.run([kTidy, "--quiet", "-p", build, path], cwd=tree.root, capture_output=True, text=True, check=False,
                             timeout=left)
    except subprocess.TimeoutExpired:
        return None
    findings = re.findall(r"^.*: (?:warning|error): .*$", run.stdout, re.MULTILINE)
    if run.returncode != 0 and not findings:
        findings = [f"{path}: {kTidy} failed with {run.returncode}: {(run.stderr or run.stdout).strip()[-300:]}"]
    return [relativeTo(tree.root, finding) for finding in findings]


def tidy(tree, seconds):
    commands = compileCommands(tree)
    sources, findings = sourcesToCheck(tree, commands)
    deadline = time.monotonic() + seconds
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: tidyFile(tree, path, commands[path], deadline), sources))
    skipped = [path for path, result in zip(sources, results) if result is None]
    print(f"  {len(sources) - len(skipped)} of {len(sources)} files checked")
    for path in skipped:
        print(f"  not checked, as {seconds} s are over: {path}")
    yield from findings
    # A header's finding appears with each source that includes it. Headers that did not change are left alone.
    for finding in dict.fromkeys(finding for result in results if result for finding in result):
        if finding.split(":")[0] in tree.checked or ": warning: " not in finding:
            yield finding
