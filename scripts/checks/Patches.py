#===- Patches.py - Planted faults apply to the code of today
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Finds patches of planted faults (tests/**/*.patch) that no longer apply. The scripts that build with them run rarely, so a
change of the code would make them useless unseen."""

import subprocess


def patches(tree):
    # The whole tree: a change touches the code, not the patch.
    for path in tree.files:
        if path.endswith(".patch"):
            run = subprocess.run(["git", "apply", "--check", path], cwd=tree.root, capture_output=True, text=True, check=False)
            if run.returncode != 0:
                yield f"{path}: does not apply: {run.stderr.splitlines()[0] if run.stderr else 'git apply failed'}; make it again"
