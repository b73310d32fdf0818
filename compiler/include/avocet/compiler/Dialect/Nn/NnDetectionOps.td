//===- NnDetectionOps.td - Boxes and regions of images -----*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of object detectors. Their arithmetic is that of the DSP kernels (dsp/Detection.h, dsp/Regions.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNDETECTIONOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNDETECTIONOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

def Nn_Numbers : Nn_TensorOf<[I32]>;
def Nn_FloatBoxes : Nn_TensorOf<[F32]>;
def Nn_Boxes : Nn_TensorOf<[F32, F16, Nn_PerTensor16]>;
def Nn_DetectorNumber : Nn_TensorOf<[F32, F16]>;

class Nn_DetectionOp<string mnemonic> : Nn_Op<mnemonic> {
  let hasVerifier = 1;
}

def Nn_DetectionPostprocessingOp : Nn_DetectionOp<"detection_postprocessing"> {
  let summary = "the best boxes of a detector that do not overlap";
  let description = [{
    `scores` are [batches, anchors, classes], `offsets` [batches, anchors, 4 or more], `anchors` [anchors, 4]. The
    results are scores, boxes, classes and numbers, for `maxDetections` boxes of each batch; unless `regular`, with
    `maxClasses` classes of each box. `scales` divide the offsets of y, x, h and w. With `background`, class 0 is no
    object; the next class has the number `firstLabel`.
  }];
  let arguments = (ins Nn_DetectorNumber:$scores, Nn_DetectorNumber:$offsets, Nn_DetectorNumber:$anchors, DenseF32ArrayAttr:$scales,
                   UnitAttr:$regular, I64Attr:$maxDetections, I64Attr:$maxClasses, I64Attr:$maxPerClass,
                   F32Attr:$scoreThreshold, F32Attr:$overlapThreshold, UnitAttr:$background, I64Attr:$firstLabel,
                   UnitAttr:$tfliteRules);
  let results = (outs Nn_DetectorNumber:$bestScores, Nn_DetectorNumber:$boxes, Nn_Numbers:$classes, Nn_Numbers:$numbers);
  let assemblyFormat = "$scores `,` $offsets `,` $anchors attr-dict `:` functional-type(operands, results)";
}

def Nn_AxisAlignedBboxTransformOp : Nn_DetectionOp<"axis_aligned_bbox_transform"> {
  let summary = "boxes moved and resized by offsets, inside of their images";
  let description = [{
    `boxes` are [boxes, 4] as x1, y1, x2, y2; `offsets` and the result [boxes, 4 * classes]; `batches` [boxes] are the
    numbers of the boxes' rows in `images`, [images, 2] as height and width.
  }];
  let arguments = (ins Nn_Boxes:$boxes, Nn_Real:$offsets, Nn_Numbers:$batches, Nn_Boxes:$images);
  let results = (outs Nn_Boxes:$output);
  let assemblyFormat = [{
    $boxes `by` $offsets `,` $batches `in` $images attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_HeatmapMaxKeypointOp : Nn_DetectionOp<"heatmap_max_keypoint"> {
  let summary = "value and position of the largest elements of heat maps";
  let description = [{
    `heatmaps` are [boxes, size, size, points], with a size of at least 2; `boxes` [boxes, 4]. The results are the values
    [boxes, points] and the positions [boxes, points, 2] in the image.
  }];
  let arguments = (ins Nn_Real:$heatmaps, Nn_Boxes:$boxes);
  let results = (outs Nn_Real:$scores, Nn_Boxes:$positions);
  let assemblyFormat = "$heatmaps `in` $boxes attr-dict `:` functional-type(operands, results)";
}

def Nn_NonMaxSuppressionOp : Nn_DetectionOp<"non_max_suppression"> {
  let summary = "boxes with high scores that do not overlap";
  let description = [{
    `boxes` are [boxes, 4], `scores` [boxes]. The results are the first indices and scores of selected boxes, then
    zeros, and the number of selected ones. A positive `sigma` reduces scores of boxes that overlap.
  }];
  let arguments = (ins Nn_FloatBoxes:$boxes, Nn_FloatBoxes:$scores, F32Attr:$overlapThreshold, F32Attr:$scoreThreshold,
                   F32Attr:$sigma);
  let results = (outs Nn_Numbers:$indices, Nn_FloatBoxes:$selectedScores, Nn_Numbers:$number);
  let assemblyFormat = "$boxes `,` $scores attr-dict `:` functional-type(operands, results)";
}

def Nn_BoxWithNmsLimitOp : Nn_DetectionOp<"box_with_nms_limit"> {
  let summary = "the best boxes of each class that do not overlap";
  let description = [{
    `scores` are [boxes, classes] with a background as class 0, `boxes` [boxes, 4 * classes], `batches` [boxes]. The
    results have a fixed number of rows: the first boxes selected, then zeros. `most` is -1 for any number; `kernel` is
    that of NNAPI.
  }];
  let arguments = (ins Nn_Real:$scores, Nn_Boxes:$boxes, Nn_Numbers:$batches, F32Attr:$scoreThreshold, I32Attr:$most,
                   I32Attr:$kernel, F32Attr:$overlapThreshold, F32Attr:$sigma, F32Attr:$nmsScoreThreshold);
  let results = (outs Nn_Real:$bestScores, Nn_Boxes:$bestBoxes, Nn_Numbers:$classes, Nn_Numbers:$owners);
  let assemblyFormat = "$scores `,` $boxes `,` $batches attr-dict `:` functional-type(operands, results)";
}

def Nn_GenerateProposalsOp : Nn_DetectionOp<"generate_proposals"> {
  let summary = "the best boxes from anchors at each pixel that do not overlap";
  let description = [{
    `scores` are [batches, height, width, anchors], `offsets` [batches, height, width, 4 * anchors], `anchors`
    [anchors, 4], `images` [batches, 2]. The results have a fixed number of rows: the first boxes selected, then zeros.
    `mostBefore` limits the boxes that are considered, `mostAfter` the selected ones of a batch; 0: no limit.
  }];
  let arguments = (ins Nn_Real:$scores, Nn_Real:$offsets, Nn_Boxes:$anchors, Nn_Boxes:$images, F32Attr:$strideY,
                   F32Attr:$strideX, I32Attr:$mostBefore, I32Attr:$mostAfter, F32Attr:$overlapThreshold,
                   F32Attr:$leastSize);
  let results = (outs Nn_Real:$bestScores, Nn_Boxes:$bestBoxes, Nn_Numbers:$batches);
  let assemblyFormat = "$scores `,` $offsets `,` $anchors `,` $images attr-dict `:` functional-type(operands, results)";
}

class Nn_RegionOp<string mnemonic, dag moreArguments = (ins)> : Nn_DetectionOp<mnemonic> {
  let arguments = !con((ins Nn_Real:$images, Nn_Boxes:$rois, Nn_Numbers:$batches, F32Attr:$strideY,
                        F32Attr:$strideX), moreArguments);
  let results = (outs Nn_Real:$output);
  let assemblyFormat = "$images `at` $rois `,` $batches attr-dict `:` functional-type(operands, results)";
}

def Nn_RoiPoolingOp : Nn_RegionOp<"roi_pooling"> {
  let summary = "the largest elements of the bins of regions";
  let description = [{
    Regions [regions, 4] of images [batches, height, width, channels] become [regions, rows, columns, channels].
    `batches` [regions] are the numbers of the images; coordinates are divided by the strides.
  }];
}

def Nn_RoiAlignOp : Nn_RegionOp<"roi_align", (ins I64Attr:$samplesY, I64Attr:$samplesX)> {
  let summary = "means of interpolated samples in the bins of regions";
  let description = "As `nn.roi_pooling`, with a number of samples in each bin; 0 makes it one for each pixel.";
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNDETECTIONOPS_TD
