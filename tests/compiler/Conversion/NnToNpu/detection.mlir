// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!b = !quant.uniform<u16:f32, 0.125>
!x = !quant.uniform<u8:f32, 0.5:128>

// 2 batches of 6 anchors, 3 classes, 5 coordinates.
// CHECK-LABEL: func.func @detector(
// CHECK: npu.dsp "detectionPostprocess"{{.*}}parameters [2, 6, 3, 5,{{.*}} -> (tensor<1x2x8xf16>, tensor<2x8x4xf16>, tensor<1x2x8xi32>, tensor<1x1x2xi32>)
func.func @detector(%s: tensor<2x6x3xf16>, %o: tensor<2x6x5xf16>, %a: tensor<6x4xf16>)
    -> (tensor<2x8xf16>, tensor<2x8x4xf16>, tensor<2x8xi32>, tensor<2xi32>) {
  %0:4 = nn.detection_postprocessing %s, %o, %a {background, firstLabel = 1 : i64, maxClasses = 2 : i64,
      maxDetections = 4 : i64, maxPerClass = 1 : i64, overlapThreshold = 0.5 : f32, scales = array<f32: 10., 10., 5., 5.>,
      scoreThreshold = 0.0 : f32} : (tensor<2x6x3xf16>, tensor<2x6x5xf16>, tensor<6x4xf16>)
      -> (tensor<2x8xf16>, tensor<2x8x4xf16>, tensor<2x8xi32>, tensor<2xi32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2x8xf16>, tensor<2x8x4xf16>, tensor<2x8xi32>, tensor<2xi32>
}

// Zero points are those of the operands; scales are parameters (0.125 is 1040187392, 0.5 is 1056964608).
// CHECK-LABEL: func.func @boxes(
// CHECK: npu.dsp "boxTransform"{{.*}}parameters [5, 2, 2, 1040187392, 1056964608, 1040187392, 1040187392] zero_points [0, 128, 0, 0]
// CHECK: npu.dsp "heatmapKeypoint"{{.*}}parameters [5, 3, 2, 1056964608, 1040187392, 1056964608, 1040187392]
func.func @boxes(%b: tensor<5x4x!b>, %o: tensor<5x8x!x>, %n: tensor<5xi32>, %i: tensor<2x2x!b>, %h: tensor<5x3x3x2x!x>)
    -> (tensor<5x8x!b>, tensor<5x2x!x>, tensor<5x2x2x!b>) {
  %0 = nn.axis_aligned_bbox_transform %b by %o, %n in %i
      : (tensor<5x4x!b>, tensor<5x8x!x>, tensor<5xi32>, tensor<2x2x!b>) -> tensor<5x8x!b>
  %1:2 = nn.heatmap_max_keypoint %h in %b : (tensor<5x3x3x2x!x>, tensor<5x4x!b>) -> (tensor<5x2x!x>, tensor<5x2x2x!b>)
  return %0, %1#0, %1#1 : tensor<5x8x!b>, tensor<5x2x!x>, tensor<5x2x2x!b>
}

// CHECK-LABEL: func.func @regions(
// CHECK: npu.dsp "regions"{{.*}}parameters [0, 2, 6, 7, 3, 4, 2, 3, 1082130432, 1073741824, 0, 0,
// CHECK: npu.dsp "regions"{{.*}}parameters [1, 2, 6, 7, 3, 4, 2, 3, 1082130432, 1073741824, 5, 0,
func.func @regions(%x: tensor<2x6x7x3x!x>, %r: tensor<4x4x!b>, %n: tensor<4xi32>)
    -> (tensor<4x2x3x3x!x>, tensor<4x2x3x3x!x>) {
  %0 = nn.roi_pooling %x at %r, %n to [2, 3] {strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<2x6x7x3x!x>, tensor<4x4x!b>, tensor<4xi32>) -> tensor<4x2x3x3x!x>
  %1 = nn.roi_align %x at %r, %n to [2, 3] {samplesX = 0 : i64, samplesY = 5 : i64, strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<2x6x7x3x!x>, tensor<4x4x!b>, tensor<4xi32>) -> tensor<4x2x3x3x!x>
  return %0, %1 : tensor<4x2x3x3x!x>, tensor<4x2x3x3x!x>
}

// CHECK-LABEL: func.func @selections(
// CHECK: npu.dsp "nonMaxSuppression"{{.*}}parameters [5, 2, 1056964608, 0, 0]
// CHECK: npu.dsp "boxNmsLimit"{{.*}}parameters [5, 3, 4, 1056964608, 1040187392, 0, -1, 2,
func.func @selections(%b: tensor<5x4xf32>, %s: tensor<5xf32>, %c: tensor<5x3x!x>, %d: tensor<5x12x!b>, %n: tensor<5xi32>)
    -> (tensor<2xi32>, tensor<i32>, tensor<4x!x>, tensor<4x4x!b>) {
  %0:3 = nn.non_max_suppression %b, %s {overlapThreshold = 0.5 : f32, rows = 2 : i64, scoreThreshold = 0.0 : f32, sigma = 0.0 : f32}
      : (tensor<5x4xf32>, tensor<5xf32>) -> (tensor<2xi32>, tensor<2xf32>, tensor<i32>)
  %1:4 = nn.box_with_nms_limit %c, %d, %n {kernel = 2 : i32, most = -1 : i32, nmsScoreThreshold = 0.1 : f32,
      overlapThreshold = 0.5 : f32, rows = 4 : i64, scoreThreshold = 0.0 : f32, sigma = 0.5 : f32}
      : (tensor<5x3x!x>, tensor<5x12x!b>, tensor<5xi32>) -> (tensor<4x!x>, tensor<4x4x!b>, tensor<4xi32>, tensor<4xi32>)
  return %0#0, %0#2, %1#0, %1#1 : tensor<2xi32>, tensor<i32>, tensor<4x!x>, tensor<4x4x!b>
}

// CHECK-LABEL: func.func @proposals(
// CHECK: npu.dsp "generateProposals"{{.*}}parameters [1, 2, 3, 3, 4, 1082130432, 1073741824, 9, 0,
func.func @proposals(%s: tensor<1x2x3x3xf32>, %o: tensor<1x2x3x12xf32>, %a: tensor<3x4xf32>, %i: tensor<1x2xf32>)
    -> tensor<4x4xf32> {
  %0:3 = nn.generate_proposals %s, %o, %a, %i {leastSize = 1.0 : f32, mostAfter = 0 : i32, mostBefore = 9 : i32,
      overlapThreshold = 0.5 : f32, rows = 4 : i64, strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<1x2x3x3xf32>, tensor<1x2x3x12xf32>, tensor<3x4xf32>, tensor<1x2xf32>)
      -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>)
  return %0#1 : tensor<4x4xf32>
}

// Scores that exceed the memory are reduced to the best classes of each anchor.
// CHECK-LABEL: func.func @manyClasses(
// CHECK: %[[OBJECTS:.*]] = npu.dsp "rearrange"{{.*}} : {{.*}} -> tensor<8000x1x90xf32>
// CHECK: %[[BEST:.*]]:2 = npu.dsp "topK"(%[[OBJECTS]]) {{.*}} -> (tensor<8000x1x2xf32>, tensor<8000x1x2xi32>)
// CHECK: npu.dsp "detectionPostprocess"(%[[BEST]]#0, %{{.*}}, %{{.*}}, %[[BEST]]#1)
func.func @manyClasses(%s: tensor<1x8000x91xf32>, %o: tensor<1x8000x4xf32>, %a: tensor<8000x4xf32>)
    -> (tensor<1x20xf32>, tensor<1x20x4xf32>, tensor<1x20xi32>, tensor<1xi32>) {
  %0:4 = nn.detection_postprocessing %s, %o, %a {background, firstLabel = 0 : i64, maxClasses = 2 : i64,
      maxDetections = 10 : i64, maxPerClass = 1 : i64, overlapThreshold = 0.5 : f32,
      scales = array<f32: 10., 10., 5., 5.>, scoreThreshold = 0.1 : f32}
      : (tensor<1x8000x91xf32>, tensor<1x8000x4xf32>, tensor<8000x4xf32>)
      -> (tensor<1x20xf32>, tensor<1x20x4xf32>, tensor<1x20xi32>, tensor<1xi32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<1x20xf32>, tensor<1x20x4xf32>, tensor<1x20xi32>, tensor<1xi32>
}
