#===- Patches.py - Patches with known bugs in a copy of the tree
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""What the scripts that plant bugs share. A bug is a patch; above its diff are the line "Target: NAME", which is what has to be
built, and a description of the bug. A script catches Failure and prints it."""

import filecmp
import re
import shutil
import subprocess


class Failure(Exception):
    """A patch that does not apply, or a command that fails."""


def run(command, what, **options):
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", **options)
    if result.returncode != 0:
        raise Failure(f"{what} failed:\n{(result.stdout + result.stderr)[-4000:]}")
    return result.stdout


def choosePatches(folder, pattern):
    """Those whose name matches the regular expression, in order."""
    patches = [patch for patch in sorted(folder.glob("*.patch")) if re.search(pattern, patch.stem)]
    if not patches:
        raise Failure(f"no planted bug matches '{pattern}'")
    return patches


def checkPatches(patches, root):
    for patch in patches:
        targetOf(patch)
        apply(patch, root, check=True)


def copyTree(root, tree):
    """Copies the files that git knows or would add. Leaves files alone that are as they should be, so that a second run compiles
    little. Others get the present time: the objects of a file that the last bug changed may be newer than the tree's file."""
    names = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], "git ls-files", cwd=root)
    tree.mkdir(parents=True, exist_ok=True)
    wanted = {name for name in names.split("\0") if name and (root / name).is_file()}
    for name in wanted:
        source, copy = root / name, tree / name
        if copy.exists() and filecmp.cmp(source, copy, shallow=False):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        shutil.copymode(source, copy)
    for copy in [path for path in tree.rglob("*") if path.is_file()]:
        name = copy.relative_to(tree)
        if name.parts[0] not in ("build", ".git") and str(name) not in wanted:
            copy.unlink()


def headerOf(patch, key):
    found = re.search(rf"^{key}: (\w[\w -]*)$", patch.read_text(), re.MULTILINE)
    if not found:
        raise Failure(f"{patch.name}: no line '{key}: NAME' above the diff")
    return found.group(1)


def targetOf(patch):
    return headerOf(patch, "Target")


def apply(patch, tree, *, reverse=False, check=False):
    command = ["patch", "-p1", "--forward", "--fuzz=2", "--no-backup-if-mismatch", "--reject-file=-", "-i", str(patch)]
    command += (["--reverse"] if reverse else []) + (["--dry-run"] if check else [])
    if reverse:
        command.remove("--forward")
    try:
        run(command, "patch", cwd=tree)
    except Failure as failure:
        raise Failure(f"{patch.name} does not apply; write it anew for the sources as they are.\n{failure}") from None
