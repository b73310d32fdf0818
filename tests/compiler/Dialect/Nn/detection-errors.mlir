// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @scales(%s: tensor<1x6x3xf32>, %o: tensor<1x6x4xf32>, %a: tensor<6x4xf32>) {
  // expected-error @+1 {{'scales' must be a positive number}}
  %0:4 = nn.detection_postprocessing %s, %o, %a {firstLabel = 0 : i64, maxClasses = 1 : i64, maxDetections = 4 : i64,
      maxPerClass = 1 : i64, overlapThreshold = 0.5 : f32, scales = array<f32: 10., 0., 5., 5.>, scoreThreshold = 0.0 : f32}
      : (tensor<1x6x3xf32>, tensor<1x6x4xf32>, tensor<6x4xf32>)
      -> (tensor<1x4xf32>, tensor<1x4x4xf32>, tensor<1x4xi32>, tensor<1xi32>)
  return
}

// -----

func.func @numbers(%s: tensor<1x6x3xf32>, %o: tensor<1x6x4xf32>, %a: tensor<6x4xf32>) {
  // expected-error @+1 {{has 0 boxes of each batch, must have 1 to 2147483647}}
  %0:4 = nn.detection_postprocessing %s, %o, %a {firstLabel = 0 : i64, maxClasses = 0 : i64, maxDetections = 4 : i64,
      maxPerClass = 1 : i64, overlapThreshold = 0.5 : f32, scales = array<f32: 1., 1., 1., 1.>, scoreThreshold = 0.0 : f32}
      : (tensor<1x6x3xf32>, tensor<1x6x4xf32>, tensor<6x4xf32>)
      -> (tensor<1x4xf32>, tensor<1x4x4xf32>, tensor<1x4xi32>, tensor<1xi32>)
  return
}

// -----

func.func @background(%s: tensor<1x6x1xf32>, %o: tensor<1x6x4xf32>, %a: tensor<6x4xf32>) {
  // expected-error @+1 {{scores must have a class besides the background}}
  %0:4 = nn.detection_postprocessing %s, %o, %a {background, firstLabel = 0 : i64, maxClasses = 1 : i64,
      maxDetections = 4 : i64, maxPerClass = 1 : i64, overlapThreshold = 0.5 : f32, scales = array<f32: 1., 1., 1., 1.>,
      scoreThreshold = 0.0 : f32} : (tensor<1x6x1xf32>, tensor<1x6x4xf32>, tensor<6x4xf32>)
      -> (tensor<1x4xf32>, tensor<1x4x4xf32>, tensor<1x4xi32>, tensor<1xi32>)
  return
}

// -----

func.func @offsets(%b: tensor<5x4xf32>, %o: tensor<5x6xf32>, %n: tensor<5xi32>, %i: tensor<2x2xf32>) {
  // expected-error @+1 {{offsets have 6 elements for each box, must have 4 for each class}}
  %0 = nn.axis_aligned_bbox_transform %b by %o, %n in %i
      : (tensor<5x4xf32>, tensor<5x6xf32>, tensor<5xi32>, tensor<2x2xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @heatmaps(%h: tensor<5x3x4x2xf32>, %b: tensor<5x4xf32>) {
  // expected-error @+1 {{heatmaps has the shape [5, 3, 4, 2], must have [5, 3, 3, 2]}}
  %1:2 = nn.heatmap_max_keypoint %h in %b : (tensor<5x3x4x2xf32>, tensor<5x4xf32>) -> (tensor<5x2xf32>, tensor<5x2x2xf32>)
  return
}

// -----

func.func @regions(%x: tensor<2x6x7x3xf32>, %r: tensor<4x4xf32>, %n: tensor<3xi32>) {
  // expected-error @+1 {{batches has the shape [3], must have [4]}}
  %0 = nn.roi_pooling %x at %r, %n to [2, 3] {strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<2x6x7x3xf32>, tensor<4x4xf32>, tensor<3xi32>) -> tensor<4x2x3x3xf32>
  return
}

// -----

func.func @stride(%x: tensor<2x6x7x3xf32>, %r: tensor<4x4xf32>, %n: tensor<4xi32>) {
  // expected-error @+1 {{'strideX' must be a positive number}}
  %0 = nn.roi_pooling %x at %r, %n to [2, 3] {strideX = -2.0 : f32, strideY = 4.0 : f32}
      : (tensor<2x6x7x3xf32>, tensor<4x4xf32>, tensor<4xi32>) -> tensor<4x2x3x3xf32>
  return
}

// -----

func.func @sigma(%b: tensor<5x4xf32>, %s: tensor<5xf32>) {
  // expected-error @+1 {{'sigma' must be 0 or more}}
  %0:3 = nn.non_max_suppression %b, %s {overlapThreshold = 0.5 : f32, rows = 2 : i64, scoreThreshold = 0.0 : f32, sigma = -1.0 : f32}
      : (tensor<5x4xf32>, tensor<5xf32>) -> (tensor<2xi32>, tensor<2xf32>, tensor<i32>)
  return
}

// -----

func.func @classes(%c: tensor<5x1xf32>, %d: tensor<5x4xf32>, %n: tensor<5xi32>) {
  // expected-error @+1 {{scores have 1 classes, must have 2 or more}}
  %1:4 = nn.box_with_nms_limit %c, %d, %n {kernel = 0 : i32, most = -1 : i32, nmsScoreThreshold = 0.1 : f32,
      overlapThreshold = 0.5 : f32, rows = 4 : i64, scoreThreshold = 0.0 : f32, sigma = 0.5 : f32}
      : (tensor<5x1xf32>, tensor<5x4xf32>, tensor<5xi32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>, tensor<4xi32>)
  return
}

// -----

func.func @deltas(%s: tensor<1x2x2x3xf32>, %o: tensor<1x2x2x3xf32>, %a: tensor<3x4xf32>, %i: tensor<1x2xf32>) {
  // expected-error @+1 {{offsets has the shape [1, 2, 2, 3], must have [1, 2, 2, 12]}}
  %0:3 = nn.generate_proposals %s, %o, %a, %i {leastSize = 1.0 : f32, mostAfter = 0 : i32, mostBefore = 9 : i32,
      overlapThreshold = 0.5 : f32, rows = 4 : i64, strideX = 4.0 : f32, strideY = 4.0 : f32}
      : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<3x4xf32>, tensor<1x2xf32>)
      -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>)
  return
}
