#===- Detection.py - Cases of operations on boxes and regions
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Boxes are (x1, y1, x2, y2). The inputs of most cases are so simple that the answer is obvious."""

import numpy as np

from Cases import Family, flag, integer, number, ramp, tensor


def transformBoxes(rois, deltas, heights, widths):
    """Moves centres by dx, dy times the size, scales sizes by e to the power dw, dh, and clips boxes to the image."""
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
    anchors = np.array([[0.5, 0.5, 1.0, 1.0], [10.5, 10.5, 1.0, 1.0]])  # centre y, x, height, width
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


def regions(family):
    """A peak with four equal neighbours lies in the middle of its cell."""
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
    regions(family)
    return family
