#!/usr/bin/env python3
#===- classify.py - Says what is in a picture
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Classifies pictures with a .tflite network:

    classify.py mobilenet_v2_1.0_224_quant.tflite cat.jpg

The network's metadata say how pixels become numbers and what the classes are called; --labels has names for others.
"""
import argparse

import avocet


def main():
    parser = argparse.ArgumentParser(description="Says what is in pictures")
    parser.add_argument("model", help=".tflite file")
    parser.add_argument("pictures", nargs="+", help="PNG or JPEG files")
    parser.add_argument("--labels", help="names of the classes, one per line; default: of the model's metadata, or numbers")
    parser.add_argument("--target", default="e256", help="name of a target, or path of a target file; default: e256")
    parser.add_argument("--device", help="such as sim (default), kernel, cpu or service:NAME; see avocet.devices()")
    arguments = parser.parse_args()

    run = avocet.compile(arguments.model, target=arguments.target).session(arguments.device)
    for picture in arguments.pictures:
        run.run([run.image(picture)])
        for found in run.classes(top=5, labels=arguments.labels):
            print(f"{found.score:.3f}  {found.name}")


if __name__ == "__main__":
    main()
