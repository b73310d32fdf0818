# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options that the programs of this folder share, and the networks that they choose."""

import argparse
import os

import Networks


def parserOf(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(Networks.ROOT / "build" / "release"), help="build folder; default: build/release")
    parser.add_argument("--avocet", help="program; default: bin/avocet in the build folder")
    parser.add_argument("--shared", default=os.environ.get("AVOCET_SHARED_DATA", ""),
                        help="folder with models/ and schedules/; default: $AVOCET_SHARED_DATA")
    parser.add_argument("--clients", default=os.environ.get("AVOCET_CLIENTS", str(Networks.ROOT / "build" / "clients")),
                        help="folder of scripts/setup --networks; default: $AVOCET_CLIENTS, or build/clients")
    parser.add_argument("--folders", nargs="+", default=[], help="also the .tflite files below these")
    parser.add_argument("--networks", nargs="+", help="only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="simulations at a time; default: one per processor")
    return parser


def parse(parser):
    options = parser.parse_args()
    options.avocet = options.avocet or options.build + "/bin/avocet"
    return options


def chosenNetworks(options, others=()):
    """(name, path) of the networks, with `others`; prints why some are absent."""
    networks, notes = Networks.findNetworks(options.shared, options.build)
    for note in notes:
        print("skipped", note)
    networks += [*others, *Networks.findBelow(options.folders)]
    return [network for network in networks if not options.networks or network[0] in options.networks]
