#!/usr/bin/env python3
# MutatedFilesTest.py - Changed ONNX files
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes bytes of ONNX files at random and imports them: each must be accepted or refused with an error, within 10 s and
2 GiB. The files are the seeds of the fuzz target, and ONNX's own models where they are installed.

  MutatedFilesTest.py BIN [--clients DIR] [--files 200] [--seed 1] [--keep DIR]"""
import collections
import os
import random
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import Arguments

SEEDS = Path(__file__).resolve().parents[2] / "fuzz/onnx/corpus"
SECONDS, BYTES = 10, 2 << 30
ANSWERS = {0: "accepted", 1: "refused"}  # by exit code


def changed(data, source):
    """With a few bytes that are others or, in every fourth file, absent or new: lengths then seldom fit."""
    data, keepsLength = bytearray(data), source.random() < 0.75
    for _ in range(source.choice([1, 1, 1, 2, 3] if keepsLength else [1, 2, 4, 8])):
        kind, place = source.random(), source.randrange(len(data) or 1)
        if kind < (1 if keepsLength else 0.3) and place < len(data):
            data[place] = source.choice([source.randrange(256), data[place] ^ 1 << source.randrange(8), data[place] + 1 & 255])
        elif kind < 0.65:
            del data[place:place + source.randrange(1, 9)]
        else:
            data[place:place] = source.randbytes(source.randrange(1, 9))
    return bytes(data)


def verdict(binary, path):
    """What became of a file: one of ANSWERS, or what is wrong."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    try:
        done = subprocess.run([binary / "avocet-translate", "--import-onnx", path, "-o", os.devnull], capture_output=True,
                              timeout=SECONDS, check=False, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} s"
    text = done.stderr.decode(errors="replace").strip()
    if done.returncode == 1 and "error:" not in text:
        return "failed without an error"
    return ANSWERS.get(done.returncode, f"exit code {done.returncode}: {text[-300:]}")


def main():
    parser = Arguments.parser(__doc__, "avocet-translate")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the files that are wrong")
    arguments = parser.parse_args()
    models = sorted(Arguments.testdata(arguments.clients).glob("*/test_*/model.onnx"))
    models += sorted(path for path in SEEDS.iterdir() if path.is_file())
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:

        def one(number):
            source = random.Random(f"{arguments.seed} {number}")
            path = Path(folder) / f"{number}.onnx"
            path.write_bytes(changed(source.choice(models).read_bytes(), source))
            found = verdict(arguments.binary, path)
            if found not in ANSWERS.values():
                print(f"file {number}: {found}", flush=True)
                if arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    (arguments.keep / path.name).write_bytes(path.read_bytes())
            path.unlink()
            return found

        counts.update(pool.map(one, range(arguments.files)))
    print(f"{arguments.files} files: " + ", ".join(f"{count} {word}" for word, count in counts.most_common()))
    return 0 if set(counts) <= set(ANSWERS.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
