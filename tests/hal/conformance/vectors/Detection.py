#===- Detection.py - Cases of operations on boxes and regions
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Boxes are (x1, y1, x2, y2). The inputs of most cases are so simple that the answer is obvious."""

import numpy as np

from Cases import Family, Type, flag, integer, number, ramp, tensor

kOpenRuns = "General DynamicShape DeviceMemory"  # a fenced run needs outputs whose extents are known


def transformBoxes(rois, deltas, heights, widths):
    """Moves centers by dx, dy times the size, scales sizes by e to the power dw, dh, and clips boxes to the image."""
    result = []
    for roi, delta in zip(rois, deltas):
        w, h = roi[2] - roi[0], roi[3] - roi[1]
        for dx, dy, dw, dh in delta.reshape(-1, 4):
            x, y = roi[0] + w / 2 + dx * w, roi[1] + h / 2 + dy * h
            nw, nh = w * np.exp(dw), h * np.exp(dh)
            result += [np.clip(x - nw / 2, 0, widths), np.clip(y - nh / 2, 0, heights),
                       np.clip(x + nw / 2, 0, widths), np.clip(y + nh / 2, 0, heights)]
    return np.array(result).reshape(deltas.shape)


def boxes(family):
    rois = np.array([[10.0, 20.0, 30.0, 60.0], [0.0, 0.0, 8.0, 8.0]])
    deltas = np.array([[0.25, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.25, 0.0, 1.0, 1.0, 0.0, 0.0]])
    family.simple("boxTransform", "AXIS_ALIGNED_BBOX_TRANSFORM",
                  [("f", rois), ("f", deltas), ("i", [0, 0]), ("f", [[64.0, 128.0]])],
                  [("f", transformBoxes(rois, deltas, 64.0, 128.0))])


def limits(family):
    """Class 0 is the background. The second region overlaps the first one and has the lower score."""
    scores = np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])
    box = lambda x1, y1, x2, y2: [0, 0, 1, 1, x1, y1, x2, y2]
    rois = np.array([box(0, 0, 10, 10), box(0, 0, 10, 9.5), box(20, 20, 30, 30)], np.float64)
    family.simple("boxLimit", "BOX_WITH_NMS_LIMIT",
                  [("f", scores), ("f", rois), ("i", [0, 0, 0]), number(0.5), integer(-1), integer(0),
                                   number(0.5), number(1.0), number(0.25)],
                  [("f", [0.9, 0.7]), ("f", [[0, 0, 10, 10], [20, 20, 30, 30]]), ("i", [1, 1]), ("i", [0, 0])],
                  runs="General")
    anchors = np.array([[0.5, 0.5, 1.0, 1.0], [10.5, 10.5, 1.0, 1.0]])  # center y, x, height, width
    case = [number(value) for value in (10.0, 10.0, 5.0, 5.0)]
    family.simple("postprocessing", "DETECTION_POSTPROCESSING",
                  [("f", [[[0.0, 0.9], [0.0, 0.6]]]), ("f", np.zeros((1, 2, 4))), ("f", anchors)] + case +
                  [flag(0), integer(2), integer(1), integer(1), number(0.5), number(0.5), flag(1)],
                  [("f", [[0.9, 0.6]]), ("f", [[[0, 0, 1, 1], [10, 10, 11, 11]]]), ("i", [[1, 1]]), ("i", [2])],
                  runs="General")
    family.simple("proposals", "GENERATE_PROPOSALS",
                  [("f", [[[[0.75]]]]), ("f", np.zeros((1, 1, 1, 4))), ("f", [[0.0, 0.0, 8.0, 8.0]]), ("f", [[32.0, 32.0]]),
                   number(4.0), number(4.0), integer(-1), integer(-1), number(0.5), number(1.0), flag(0)],
                  [("f", [0.75]), ("f", [[0.0, 0.0, 8.0, 8.0]]), ("i", [0])], runs="General")


kSelected = {0.5: 2, 0.75: 1, 0.95: 0}  # boxes by threshold
kBoxes = np.array([[0.0, 0, 4, 4], [0, 0, 2, 2]])


def selection(case, threshold):
    """Selects the first of kBoxes. A third one overlaps the first. Returns the results of BOX_WITH_NMS_LIMIT."""
    box = lambda x1, y1, x2, y2: [0, 0, 1, 1, x1, y1, x2, y2]
    rois = np.array([box(0, 0, 4, 4), box(0, 0, 4, 3.5), box(0, 0, 2, 2)], np.float64)
    inputs = [case.input("f", [[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]), case.input("f", rois), case.input("i", [0, 0, 0]),
              case.float(threshold), case.int(-1), case.int(0), case.float(0.5), case.float(1.0), case.float(0.25)]
    values = [("f", [0.9, 0.7]), ("f", kBoxes), ("i", [1, 1]), ("i", [0, 0])]
    results = [case.output(letter, value[:kSelected[threshold]], unknown=True) for letter, value in values]
    case.operation("BOX_WITH_NMS_LIMIT", inputs, results)
    return results


def pooled(case, regions, batches, result):
    """Regions of an image whose elements are all 2.5, [rows, 2, 2, 1]."""
    image = case.input("f", np.full((1, 4, 4, 1), 2.5))
    case.operation("ROI_ALIGN", [image, regions, batches, case.int(2), case.int(2), case.float(1.0), case.float(1.0),
                                 case.int(2), case.int(2), case.bool(0)], [result])


def openRows(family):
    """The number of rows depends on data, in results of results too; each row becomes four of FULLY_CONNECTED, and one of
    twice as many columns."""
    for name, threshold, rows, runs in (("openRows", 0.5, 2, kOpenRuns),
                                        ("openRowsEmpty", 0.95, 0, "General DynamicShape")):
        case = family.case(name, runs=runs)
        boxes = selection(case, threshold)
        images, negative = case.temporary("f", [0, 2, 2, 1]), case.temporary("f", [0, 2, 2, 1])
        pooled(case, boxes[1], boxes[3], images)
        case.operation("MUL", [images, case.constant("f", [[[[-1.0]]]]), case.int(0)], [negative])
        case.operation("FULLY_CONNECTED", [negative, case.constant("f", [[2.0], [4.0]]), case.constant("f", [0.0, 1.0]),
                                           case.int(0)], [case.output("f", np.tile([[-5.0, -9.0]], (4 * rows, 1)), unknown=True)])
        twice = np.tile(kBoxes, (1, 2))[:rows]
        case.operation("CONCATENATION", [boxes[1], boxes[1], case.int(1)], [case.output("f", twice, unknown=True)])


def joinedRows(family):
    """Boxes of two selections and others one after the other; each row becomes two of FULLY_CONNECTED."""
    random = np.random.default_rng(19)
    for number_ in range(16):
        case = family.case(f"joinedRows{number_}", runs="General DynamicShape")
        tensors = []  # with their values
        for threshold in random.choice(list(kSelected), 2):
            tensors.append((selection(case, threshold)[1], kBoxes[:kSelected[threshold]]))
        tensors.append((case.constant("f", ramp(1, 4)), ramp(1, 4)))
        undeclared = case.temporary("f", [0, 4])
        case.operation("ABS", [case.input("f", ramp(2, 4))], [undeclared])
        tensors.append((undeclared, np.abs(ramp(2, 4))))
        chosen = [tensors[i] for i in [*random.integers(4, size=random.integers(1, 5)), random.integers(2)]]
        random.shuffle(chosen)
        joined, values = case.temporary("f", [0, 4]), np.concatenate([value for _, value in chosen])
        case.operation("CONCATENATION", [*(tensor for tensor, _ in chosen), case.int(random.choice([0, -2]))], [joined])
        case.operation("FULLY_CONNECTED", [joined, case.constant("f", [[1.0, 2.0]]), case.constant("f", [0.5]), case.int(0)],
                       [case.output("f", values.reshape(-1, 2) @ [[1.0], [2.0]] + 0.5, unknown=True)])


def joinedQuantizedRows(family):
    """Regions of an image, and a constant of another scale."""
    case = family.case("joinedQuantizedRows", runs=kOpenRuns)
    boxes = selection(case, 0.5)
    images, stored = case.temporary("f", [0, 2, 2, 1]), case.temporary(Type("s", 0.5, -3), [0, 2, 2, 1])
    pooled(case, boxes[1], boxes[3], images)
    case.operation("QUANTIZE", [images], [stored])
    constant = case.constant(Type("s", 1.0, 0), np.full((1, 2, 2, 1), 9))
    result = Type("s", 0.5, -3)
    case.operation("CONCATENATION", [stored, constant, stored, case.int(0)],
                   [case.output(result, np.repeat([2, 2, 15, 2, 2], 4).reshape(5, 2, 2, 1), unknown=True)])


def joinedProposals(family):
    """The first of two boxes overlaps the second, which has the higher score. Scores are of 8 bits, so that the boxes that
    count the rows are not those of the model."""
    case = family.case("joinedProposals", runs=kOpenRuns)
    eighths, pixels = Type("u", 0.0625, 0), Type("Q", 0.125, 0)
    scores = case.temporary(eighths, [0])
    case.operation("GENERATE_PROPOSALS",
                   [case.input(eighths, [[[[8, 12]]]]), case.input(Type("u", 0.0625, 128), np.full((1, 1, 1, 8), 128)),
                    case.constant(Type("q", 0.125, 0), [[0, 0, 32, 28], [0, 0, 32, 32]]), case.input(pixels, [[64, 64]]),
                    case.float(4.0), case.float(4.0), case.int(-1), case.int(-1), case.float(0.5), case.float(1.0), case.bool(0)],
                   [scores, case.output(pixels, [[0, 0, 32, 32]], unknown=True), case.output("i", [0], unknown=True)])
    case.operation("CONCATENATION", [scores, case.constant(eighths, [3]), scores, case.int(0)],
                   [case.output(eighths, [12, 3, 12], unknown=True)])


def selectedAgain(family):
    """Rows after the last of two selections have a score too, from the bias, and no result."""
    case = family.case("selectedAgain", runs=kOpenRuns)
    first, second = selection(case, 0.5), selection(case, 0.5)
    boxes, joined, batches = case.temporary("f", [0, 4]), case.temporary("f", [0]), case.temporary("i", [0])
    case.operation("CONCATENATION", [first[1], second[1], case.int(0)], [boxes])
    reals = [case.temporary("f", [0]) for _ in range(2)]  # CONCATENATION has no INT32
    for selected, real in zip((first, second), reals):
        case.operation("CAST", [selected[3]], [real])
    case.operation("CONCATENATION", [*reals, case.int(0)], [joined])
    case.operation("CAST", [joined], [batches])
    classes, deltas, moved = (case.temporary("f", [0, columns]) for columns in (2, 8, 8))
    for result, bias in ((classes, [0.1, 0.9]), (deltas, np.zeros(8))):
        case.operation("FULLY_CONNECTED", [boxes, case.constant("f", np.zeros((len(bias), 4))), case.constant("f", bias),
                                           case.int(0)], [result])
    case.operation("AXIS_ALIGNED_BBOX_TRANSFORM", [boxes, deltas, batches, case.constant("f", [[8.0, 8.0]])], [moved])
    case.operation("BOX_WITH_NMS_LIMIT",
                   [classes, moved, batches, case.float(0.5), case.int(-1), case.int(0), case.float(0.5),
                    case.float(1.0), case.float(0.25)],
                   [case.output(letter, value, unknown=True)
                    for letter, value in (("f", [0.9, 0.9]), ("f", kBoxes), ("i", [1, 1]), ("i", [0, 0]))])


def openProposals(family):
    """The second box overlaps the first one. Rows without a box have a score too, from the bias, and no result."""
    case = family.case("openProposals", runs=kOpenRuns)
    scores, boxes, batches = (case.temporary(letter, shape) for letter, shape in (("f", [0]), ("f", [0, 4]), ("i", [0])))
    image = case.input("f", [[8.0, 8.0]])
    case.operation("GENERATE_PROPOSALS",
                   [case.input("f", [[[[0.5, 0.75]]]]), case.input("f", np.zeros((1, 1, 1, 8))),
                    case.constant("f", [[0.0, 0.0, 4.0, 3.5], [0.0, 0.0, 4.0, 4.0]]), image, case.float(4.0),
                    case.float(4.0), case.int(-1), case.int(-1), case.float(0.5), case.float(1.0), case.bool(0)],
                   [scores, boxes, batches])
    flat, classes, deltas, moved = (case.temporary("f", [0] + rest) for rest in ([2, 2, 1], [2], [8], [8]))
    pooled(case, boxes, batches, flat)
    case.operation("FULLY_CONNECTED", [flat, case.constant("f", np.zeros((2, 4))), case.constant("f", [0.1, 0.9]),
                                       case.int(0)], [classes])
    case.operation("FULLY_CONNECTED", [flat, case.constant("f", np.zeros((8, 4))), case.constant("f", np.zeros(8)),
                                       case.int(0)], [deltas])
    case.operation("AXIS_ALIGNED_BBOX_TRANSFORM", [boxes, deltas, batches, image], [moved])
    case.operation("BOX_WITH_NMS_LIMIT",
                   [classes, moved, batches, case.float(0.5), case.int(-1), case.int(0), case.float(0.5),
                    case.float(1.0), case.float(0.25)],
                   [case.output(letter, value, unknown=True)
                    for letter, value in (("f", [0.9]), ("f", [[0, 0, 4, 4]]), ("i", [1]), ("i", [0]))])


def regions(family):
    """A peak with four equal neighbors lies in the middle of its cell."""
    heat = np.zeros((1, 3, 3, 1))
    heat[0, 1, 1, 0], heat[0, 0, 1, 0], heat[0, 2, 1, 0], heat[0, 1, 0, 0], heat[0, 1, 2, 0] = 1, .5, .5, .5, .5
    family.simple("keypoint", "HEATMAP_MAX_KEYPOINT", [("f", heat), ("f", [[3.0, 6.0, 9.0, 12.0]]), flag(0)],
                  [("f", [[1.0]]), ("f", [[[6.0, 9.0]]])])
    flat = np.full((1, 4, 4, 2), 2.5)
    family.simple("roiAlign", "ROI_ALIGN",
                  [("f", flat), ("f", [[0.0, 0.0, 4.0, 4.0]]), ("i", [0]), integer(2), integer(2), number(1.0),
                                   number(1.0), integer(2), integer(2), flag(0)], [("f", np.full((1, 2, 2, 2), 2.5))])
    x = ramp(1, 4, 4, 1)
    family.simple("roiPooling", "ROI_POOLING",
                  [("f", x), ("f", [[0.0, 0.0, 3.0, 3.0]]), ("i", [0]), integer(2), integer(2), number(1.0),
                                     number(1.0), flag(0)],
                  [("f", np.max(x.reshape(1, 2, 2, 2, 2, 1), (2, 4)))])


def make():
    family = Family("detection")
    boxes(family)
    limits(family)
    openRows(family)
    joinedRows(family)
    joinedQuantizedRows(family)
    joinedProposals(family)
    selectedAgain(family)
    openProposals(family)
    regions(family)
    return family
