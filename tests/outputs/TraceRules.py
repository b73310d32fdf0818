#!/usr/bin/python3
# Checks a trace in Chrome's JSON format against the rules by which Perfetto reads it.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TraceRules.py FILE

Perfetto drops, with no more than a counter among its statistics, what breaks these rules:
- spans ("X") of one thread are nested or apart, in the order of their times; a parent is before its children
- a flow ("s" to "f", steps "t" between) has one beginning and one end, each within a span, in the order of their times
- counters ("C") have numbers, in the order of their times
- each process and thread with events has a name
Prints what is wrong, and ends with 1 if anything is.
"""

import json
import sys

REQUIRED = {"X": ("name", "cat", "pid", "tid", "ts", "dur"), "s": ("name", "cat", "id", "pid", "tid", "ts"),
            "t": ("name", "cat", "id", "pid", "tid", "ts"), "f": ("name", "cat", "id", "pid", "tid", "ts", "bp"), "C": ("name", "pid", "ts", "args"),
            "M": ("name", "pid", "tid", "args")}


def isNumber(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def formErrors(events):
    for event in events:
        phase = event.get("ph")
        if phase not in REQUIRED:
            yield f"unknown phase {phase}"
            continue
        for key in REQUIRED[phase]:
            if key not in event:
                yield f"{phase} without {key}: {event}"
        for key in ("ts", "dur", "pid", "tid"):
            if key in event and (not isNumber(event[key]) or event[key] < 0):
                yield f"{key} is no number from 0: {event}"


def tracksOf(events):
    """{(pid, tid): [(start, end, name)]} in the order in which Perfetto sees them: by time, then as in the file."""
    tracks = {}
    for event in sorted((event for event in events if event["ph"] == "X"), key=lambda event: nanoseconds(event["ts"])):
        start = nanoseconds(event["ts"])
        tracks.setdefault((event["pid"], event["tid"]), []).append(
            (start, start + nanoseconds(event["dur"]), event["name"]))
    return tracks


def nestingErrors(tracks):
    for track, spans in tracks.items():
        stack = []
        for start, end, name in spans:
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack and end > stack[-1][0]:
                yield f"track {track}: '{name}' from {start} to {end} ends after '{stack[-1][1]}', within which it begins"
            stack.append((end, name))


def isWithin(tracks, event):
    time = nanoseconds(event["ts"])
    return any(start <= time < end for start, end, _ in tracks.get((event["pid"], event["tid"]), []))


def flowErrors(events, tracks):
    begins, ends, steps = {}, {}, []
    for event in events:
        for phase, found in (("s", begins), ("f", ends)):
            if event["ph"] == phase:
                if event["id"] in found:
                    yield f"flow {event['id']} has two events {phase}"
                found[event["id"]] = event
                if not isWithin(tracks, event):
                    yield f"flow {event['id']}: {phase} at {event['ts']} is in no span"
                if phase == "f" and event["bp"] != "e":
                    yield f"flow {event['id']}: its end binds to the next span, not to the one around it"
        if event["ph"] == "t":
            steps.append(event)
            if not isWithin(tracks, event):
                yield f"flow {event['id']}: t at {event['ts']} is in no span"
    for step in steps:
        if step["id"] not in begins or step["id"] not in ends:
            yield f"flow {step['id']} has a step, but not both ends"
        elif not begins[step["id"]]["ts"] <= step["ts"] <= ends[step["id"]]["ts"]:
            yield f"flow {step['id']}: its step at {step['ts']} is not between its ends"
    for identity in begins.keys() ^ ends.keys():
        yield f"flow {identity} has one end only"
    for identity in begins.keys() & ends.keys():
        if ends[identity]["ts"] < begins[identity]["ts"]:
            yield f"flow {identity} ends before it begins"


def counterErrors(events):
    last = {}
    for event in events:
        if event["ph"] != "C":
            continue
        for key, value in event["args"].items():
            if not isNumber(value):
                yield f"counter {event['name']} {key}: {value} is no number"
        if event["ts"] < last.get(event["name"], 0):
            yield f"counter {event['name']}: goes back in time at {event['ts']}"
        last[event["name"]] = event["ts"]


def nameErrors(events):
    names = {(event["name"], event["pid"], event["tid"] if event["name"] == "thread_name" else 0)
             for event in events if event["ph"] == "M"}
    for event in events:
        if event["ph"] == "X" and ("thread_name", event["pid"], event["tid"]) not in names:
            yield f"thread {event['tid']} of process {event['pid']} has no name"
        if event["ph"] != "M" and ("process_name", event["pid"], 0) not in names:
            yield f"process {event['pid']} has no name"


def errorsOf(trace):
    events = trace["traceEvents"]
    errors = list(formErrors(events))
    if errors:
        return errors
    tracks = tracksOf(events)
    for check in (nestingErrors(tracks), flowErrors(events, tracks), counterErrors(events), nameErrors(events)):
        errors += list(check)
    return errors


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        errors = errorsOf(json.load(file))
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
