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

class Nn_DetectionOp<string mnemonic, bit verifies = 1> : Nn_Op<mnemonic> {
  let hasVerifier = verifies;
}

def Nn_DetectionPostprocessingOp : Nn_DetectionOp<"detection_postprocessing"> {
  let names = Nn_Names<"", "DETECTION_POSTPROCESSING">;
  let shapes = "detectionShapes(shapeOf(op.getScores()), shapeOf(op.getOffsets()), shapeOf(op.getAnchors()), "
               "op.getBackground(), DetectionPostprocessingOp::boxesOf(op), errors)";
  let elements = "elementOf(op.getScores()), elementOf(op.getScores()), integers(op.getScores(), 32), "
                 "integers(op.getScores(), 32)";
  let summary = "the best boxes of a detector that do not overlap";
  let description = [{
    `scores` are [batches, anchors, classes], `offsets` [batches, anchors, 4 or more], `anchors` [anchors, 4]. The
    results are scores, boxes, classes and numbers, for `maxDetections` boxes of each batch; unless `regular`, with
    `maxClasses` classes of each box. `scales` divide the offsets of y, x, h and w. With `background`, class 0 is no
    object; the next class has the number `firstLabel`.

    ```mlir
    func.func @main(%scores: tensor<1x6x3xf32>, %offsets: tensor<1x6x4xf32>, %anchors: tensor<6x4xf32>)
        -> (tensor<1x4xf32>, tensor<1x4x4xf32>, tensor<1x4xi32>, tensor<1xi32>) {
      %best, %boxes, %classes, %number = nn.detection_postprocessing %scores, %offsets, %anchors {
          background, firstLabel = 1 : i64, maxClasses = 1 : i64, maxDetections = 4 : i64, maxPerClass = 1 : i64,
          overlapThreshold = 0.5 : f32, scales = array<f32: 10., 10., 5., 5.>, scoreThreshold = 0.1 : f32}
          : (tensor<1x6x3xf32>, tensor<1x6x4xf32>, tensor<6x4xf32>)
          -> (tensor<1x4xf32>, tensor<1x4x4xf32>, tensor<1x4xi32>, tensor<1xi32>)
      return %best, %boxes, %classes, %number : tensor<1x4xf32>, tensor<1x4x4xf32>, tensor<1x4xi32>, tensor<1xi32>
    }
    ```
  }];
  let arguments = (ins Nn_DetectorNumber:$scores, Nn_DetectorNumber:$offsets, Nn_DetectorNumber:$anchors, DenseF32ArrayAttr:$scales,
                   UnitAttr:$regular, I64Attr:$maxDetections, I64Attr:$maxClasses, I64Attr:$maxPerClass,
                   F32Attr:$scoreThreshold, F32Attr:$overlapThreshold, UnitAttr:$background, I64Attr:$firstLabel,
                   UnitAttr:$tfliteRules);
  let results = (outs Nn_DetectorNumber:$bestScores, Nn_DetectorNumber:$boxes, Nn_Numbers:$classes, Nn_Numbers:$numbers);
  let assemblyFormat = "$scores `,` $offsets `,` $anchors attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The number of boxes of each batch in the results.
    static int64_t boxesOf(Adaptor op) {
      const int64_t classes = op.getRegular() ? 1 : static_cast<int64_t>(op.getMaxClasses());
      return static_cast<int64_t>(op.getMaxDetections()) * classes;
    }
  }];
}

def Nn_AxisAlignedBboxTransformOp : Nn_DetectionOp<"axis_aligned_bbox_transform", /*verifies=*/0> {
  let names = Nn_Names<"", "AXIS_ALIGNED_BBOX_TRANSFORM">;
  let rows = "keepRows(open, {0, 1, 2})";
  let shapes = "movedBoxesShape(shapeOf(op.getBoxes()), shapeOf(op.getOffsets()), shapeOf(op.getBatches()), "
               "shapeOf(op.getImages()), errors)";
  let summary = "boxes moved and resized by offsets, inside of their images";
  let description = [{
    `boxes` are [boxes, 4] as x1, y1, x2, y2; `offsets` and the result [boxes, 4 * classes]; `batches` [boxes] are the
    numbers of the boxes' rows in `images`, [images, 2] as height and width.

    ```mlir
    func.func @main(%boxes: tensor<5x4xf32>, %offsets: tensor<5x8xf32>, %batches: tensor<5xi32>,
                    %images: tensor<2x2xf32>) -> tensor<5x8xf32> {
      %moved = nn.axis_aligned_bbox_transform %boxes by %offsets, %batches in %images
          : (tensor<5x4xf32>, tensor<5x8xf32>, tensor<5xi32>, tensor<2x2xf32>) -> tensor<5x8xf32>
      return %moved : tensor<5x8xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Boxes:$boxes, Nn_Real:$offsets, Nn_Numbers:$batches, Nn_Boxes:$images);
  let results = (outs Nn_Boxes:$output);
  let assemblyFormat = [{
    $boxes `by` $offsets `,` $batches `in` $images attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_HeatmapMaxKeypointOp : Nn_DetectionOp<"heatmap_max_keypoint", /*verifies=*/0> {
  let names = Nn_Names<"", "HEATMAP_MAX_KEYPOINT">;
  let rows = "keepRows(open, {0, 1})";
  let shapes = "keypointShapes(shapeOf(op.getHeatmaps()), shapeOf(op.getBoxes()), errors)";
  let summary = "value and position of the largest elements of heat maps";
  let description = [{
    `heatmaps` are [boxes, size, size, points], with a size of at least 2; `boxes` [boxes, 4]. The results are the values
    [boxes, points] and the positions [boxes, points, 2] in the image.

    ```mlir
    func.func @main(%maps: tensor<5x3x3x2xf32>, %boxes: tensor<5x4xf32>) -> (tensor<5x2xf32>, tensor<5x2x2xf32>) {
      %values, %positions = nn.heatmap_max_keypoint %maps in %boxes
          : (tensor<5x3x3x2xf32>, tensor<5x4xf32>) -> (tensor<5x2xf32>, tensor<5x2x2xf32>)
      return %values, %positions : tensor<5x2xf32>, tensor<5x2x2xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real:$heatmaps, Nn_Boxes:$boxes);
  let results = (outs Nn_Real:$scores, Nn_Boxes:$positions);
  let assemblyFormat = "$heatmaps `in` $boxes attr-dict `:` functional-type(operands, results)";
}

def Nn_NonMaxSuppressionOp : Nn_DetectionOp<"non_max_suppression"> {
  let names = Nn_Names<"NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5", "", "NonMaxSuppression">;
  let shapes = "suppressedShapes(shapeOf(op.getBoxes()), shapeOf(op.getScores()), "
               "static_cast<int64_t>(op.getRows()), errors)";
  let elements = "integers(op.getBoxes(), 32), elementOf(op.getScores()), integers(op.getBoxes(), 32)";
  let summary = "boxes with high scores that do not overlap";
  let description = [{
    `boxes` are [boxes, 4], `scores` [boxes]. The results are `rows` indices and scores, those of selected boxes and then
    zeros, and the number of selected ones. A positive `sigma` reduces scores of boxes that overlap.

    ```mlir
    func.func @main(%boxes: tensor<5x4xf32>, %scores: tensor<5xf32>)
        -> (tensor<2xi32>, tensor<2xf32>, tensor<i32>) {
      %indices, %selected, %number = nn.non_max_suppression %boxes, %scores {
          overlapThreshold = 0.5 : f32, rows = 2 : i64, scoreThreshold = 0.1 : f32, sigma = 0.0 : f32}
          : (tensor<5x4xf32>, tensor<5xf32>) -> (tensor<2xi32>, tensor<2xf32>, tensor<i32>)
      return %indices, %selected, %number : tensor<2xi32>, tensor<2xf32>, tensor<i32>
    }
    ```
  }];
  let arguments = (ins Nn_FloatBoxes:$boxes, Nn_FloatBoxes:$scores, I64Attr:$rows, F32Attr:$overlapThreshold,
                   F32Attr:$scoreThreshold, F32Attr:$sigma);
  let results = (outs Nn_Numbers:$indices, Nn_FloatBoxes:$selectedScores, Nn_Numbers:$number);
  let assemblyFormat = "$boxes `,` $scores attr-dict `:` functional-type(operands, results)";
}

/// The rows of the results are new, whatever those of the operands are.
def Nn_BoxWithNmsLimitOp : Nn_DetectionOp<"box_with_nms_limit"> {
  let names = Nn_Names<"", "BOX_WITH_NMS_LIMIT">;
  let rows = "keepRows(open, {0, 1, 2})";
  let elements = "elementOf(op.getScores()), elementOf(op.getBoxes()), integers(op.getBatches(), 32), "
                 "integers(op.getBatches(), 32)";
  let shapes = "limitedBoxesShapes(shapeOf(op.getScores()), shapeOf(op.getBoxes()), shapeOf(op.getBatches()), "
               "static_cast<int64_t>(op.getRows()), errors)";
  let summary = "the best boxes of each class that do not overlap";
  let description = [{
    `scores` are [boxes, classes] with a background as class 0, `boxes` [boxes, 4 * classes], `batches` [boxes]. The
    results have `rows` rows: the first boxes selected, then zeros. `most` is -1 for any number; `kernel` is
    that of NNAPI.

    ```mlir
    func.func @main(%scores: tensor<5x3xf32>, %boxes: tensor<5x12xf32>, %batches: tensor<5xi32>)
        -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>, tensor<4xi32>) {
      %best, %bestBoxes, %classes, %owners = nn.box_with_nms_limit %scores, %boxes, %batches {
          kernel = 2 : i32, most = -1 : i32, nmsScoreThreshold = 0.1 : f32, overlapThreshold = 0.5 : f32,
          rows = 4 : i64, scoreThreshold = 0.0 : f32, sigma = 0.5 : f32}
          : (tensor<5x3xf32>, tensor<5x12xf32>, tensor<5xi32>)
          -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>, tensor<4xi32>)
      return %best, %bestBoxes, %classes, %owners : tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>, tensor<4xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Real:$scores, Nn_Boxes:$boxes, Nn_Numbers:$batches, I64Attr:$rows,
                   F32Attr:$scoreThreshold, I32Attr:$most, I32Attr:$kernel, F32Attr:$overlapThreshold, F32Attr:$sigma, F32Attr:$nmsScoreThreshold);
  let results = (outs Nn_Real:$bestScores, Nn_Boxes:$bestBoxes, Nn_Numbers:$classes, Nn_Numbers:$owners);
  let assemblyFormat = "$scores `,` $boxes `,` $batches attr-dict `:` functional-type(operands, results)";
}

def Nn_GenerateProposalsOp : Nn_DetectionOp<"generate_proposals"> {
  let names = Nn_Names<"", "GENERATE_PROPOSALS">;
  let elements = "{}, {}, integers(op.getScores(), 32)";
  let shapes = "proposalShapes(shapeOf(op.getScores()), shapeOf(op.getOffsets()), shapeOf(op.getAnchors()), "
               "shapeOf(op.getImages()), static_cast<int64_t>(op.getRows()), errors)";
  let summary = "the best boxes from anchors at each pixel that do not overlap";
  let description = [{
    `scores` are [batches, height, width, anchors], `offsets` [batches, height, width, 4 * anchors], `anchors`
    [anchors, 4], `images` [batches, 2]. The results have `rows` rows: the first boxes selected, then zeros.
    `mostBefore` limits the boxes that are considered, `mostAfter` the selected ones of a batch; 0: no limit.

    ```mlir
    func.func @main(%scores: tensor<1x2x2x3xf32>, %offsets: tensor<1x2x2x12xf32>, %anchors: tensor<3x4xf32>,
                    %images: tensor<1x2xf32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>) {
      %best, %boxes, %batches = nn.generate_proposals %scores, %offsets, %anchors, %images {
          leastSize = 1.0 : f32, mostAfter = 0 : i32, mostBefore = 9 : i32, overlapThreshold = 0.5 : f32,
          rows = 4 : i64, strideX = 4.0 : f32, strideY = 4.0 : f32}
          : (tensor<1x2x2x3xf32>, tensor<1x2x2x12xf32>, tensor<3x4xf32>, tensor<1x2xf32>)
          -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>)
      return %best, %boxes, %batches : tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Real:$scores, Nn_Real:$offsets, Nn_Boxes:$anchors, Nn_Boxes:$images, I64Attr:$rows,
                   F32Attr:$strideY, F32Attr:$strideX, I32Attr:$mostBefore, I32Attr:$mostAfter, F32Attr:$overlapThreshold,
                   F32Attr:$leastSize);
  let results = (outs Nn_Real:$bestScores, Nn_Boxes:$bestBoxes, Nn_Numbers:$batches);
  let assemblyFormat = "$scores `,` $offsets `,` $anchors `,` $images attr-dict `:` functional-type(operands, results)";
}

class Nn_RegionOp<string mnemonic, dag moreArguments = (ins)> : Nn_DetectionOp<mnemonic> {
  let rows = "keepRows(open, {1, 2})";
  let shapes = "regionShape(shapeOf(op.getImages()), shapeOf(op.getRois()), shapeOf(op.getBatches()), op.getSize(), errors)";
  let arguments = !con((ins Nn_Real:$images, Nn_Boxes:$rois, Nn_Numbers:$batches, DenseI64ArrayAttr:$size,
                        F32Attr:$strideY, F32Attr:$strideX), moreArguments);
  let results = (outs Nn_Real:$output);
  let assemblyFormat = "$images `at` $rois `,` $batches `to` $size attr-dict `:` functional-type(operands, results)";
}

def Nn_RoiPoolingOp : Nn_RegionOp<"roi_pooling"> {
  let names = Nn_Names<"", "ROI_POOLING", "MaxRoiPool">;
  let summary = "the largest elements of the bins of regions";
  let description = [{
    Regions [regions, 4] of images [batches, height, width, channels] become [regions, rows, columns, channels], where
    `size` is [rows, columns].
    `batches` [regions] are the numbers of the images; coordinates are divided by the strides.

    ```mlir
    func.func @main(%images: tensor<2x6x7x3xf32>, %rois: tensor<4x4xf32>, %batches: tensor<4xi32>)
        -> tensor<4x3x3x3xf32> {
      %bins = nn.roi_pooling %images at %rois, %batches to [3, 3] {strideX = 2.0 : f32, strideY = 4.0 : f32}
          : (tensor<2x6x7x3xf32>, tensor<4x4xf32>, tensor<4xi32>) -> tensor<4x3x3x3xf32>
      return %bins : tensor<4x3x3x3xf32>
    }
    ```
  }];
}

def Nn_RoiAlignOp : Nn_RegionOp<"roi_align", (ins I64Attr:$samplesY, I64Attr:$samplesX)> {
  let names = Nn_Names<"", "ROI_ALIGN", "RoiAlign">;
  let summary = "means of interpolated samples in the bins of regions";
  let description = [{
    As `nn.roi_pooling`, with a number of samples in each bin; 0 makes it one for each pixel.

    ```mlir
    func.func @main(%images: tensor<2x6x7x3xf32>, %rois: tensor<4x4xf32>, %batches: tensor<4xi32>)
        -> tensor<4x3x3x3xf32> {
      %bins = nn.roi_align %images at %rois, %batches to [3, 3] {
          samplesX = 0 : i64, samplesY = 3 : i64, strideX = 2.0 : f32, strideY = 4.0 : f32}
          : (tensor<2x6x7x3xf32>, tensor<4x4xf32>, tensor<4xi32>) -> tensor<4x3x3x3xf32>
      return %bins : tensor<4x3x3x3xf32>
    }
    ```
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNDETECTIONOPS_TD
