// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s

!b = !quant.uniform<u16:f32, 0.125>
!x = !quant.uniform<u8:f32, 0.5:128>
!y = !quant.uniform<u8:f32, 0.25:3>

// CHECK-LABEL: func.func @detector(
func.func @detector(%s: tensor<2x6x3xf16>, %o: tensor<2x6x5xf16>, %a: tensor<6x4xf16>)
    -> (tensor<2x8xf16>, tensor<2x8x4xf16>, tensor<2x8xi32>, tensor<2xi32>) {
  // CHECK: nn.detection_postprocessing %{{.*}}, %{{.*}}, %{{.*}} {background, {{.*}}maxClasses = 2 : i64, maxDetections = 4 : i64
  %0:4 = nn.detection_postprocessing %s, %o, %a {background, firstLabel = 1 : i64, maxClasses = 2 : i64,
      maxDetections = 4 : i64, maxPerClass = 1 : i64, overlapThreshold = 0.5 : f32, scales = array<f32: 10., 10., 5., 5.>,
      scoreThreshold = 0.0 : f32} : (tensor<2x6x3xf16>, tensor<2x6x5xf16>, tensor<6x4xf16>)
      -> (tensor<2x8xf16>, tensor<2x8x4xf16>, tensor<2x8xi32>, tensor<2xi32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2x8xf16>, tensor<2x8x4xf16>, tensor<2x8xi32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @boxes(
func.func @boxes(%b: tensor<5x4x!b>, %o: tensor<5x8x!x>, %n: tensor<5xi32>, %i: tensor<2x2x!b>, %h: tensor<5x3x3x2x!x>)
    -> (tensor<5x8x!b>, tensor<5x2x!y>, tensor<5x2x2x!b>) {
  // CHECK: nn.axis_aligned_bbox_transform %{{.*}} by %{{.*}}, %{{.*}} in %{{.*}} :
  %0 = nn.axis_aligned_bbox_transform %b by %o, %n in %i
      : (tensor<5x4x!b>, tensor<5x8x!x>, tensor<5xi32>, tensor<2x2x!b>) -> tensor<5x8x!b>
  // CHECK: nn.heatmap_max_keypoint %{{.*}} in %{{.*}} :
  %1:2 = nn.heatmap_max_keypoint %h in %b : (tensor<5x3x3x2x!x>, tensor<5x4x!b>) -> (tensor<5x2x!y>, tensor<5x2x2x!b>)
  return %0, %1#0, %1#1 : tensor<5x8x!b>, tensor<5x2x!y>, tensor<5x2x2x!b>
}

// CHECK-LABEL: func.func @regions(
func.func @regions(%x: tensor<2x6x7x3x!x>, %r: tensor<4x4x!b>, %n: tensor<4xi32>)
    -> (tensor<4x2x3x3x!x>, tensor<4x2x3x3x!y>) {
  // CHECK: nn.roi_pooling %{{.*}} at %{{.*}}, %{{.*}} {strideX = 2.000000e+00 : f32, strideY = 4.000000e+00 : f32} :
  %0 = nn.roi_pooling %x at %r, %n to [2, 3] {strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<2x6x7x3x!x>, tensor<4x4x!b>, tensor<4xi32>) -> tensor<4x2x3x3x!x>
  // CHECK: nn.roi_align %{{.*}} at %{{.*}}, %{{.*}} {samplesX = 0 : i64, samplesY = 3 : i64
  %1 = nn.roi_align %x at %r, %n to [2, 3] {samplesX = 0 : i64, samplesY = 3 : i64, strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<2x6x7x3x!x>, tensor<4x4x!b>, tensor<4xi32>) -> tensor<4x2x3x3x!y>
  return %0, %1 : tensor<4x2x3x3x!x>, tensor<4x2x3x3x!y>
}

// CHECK-LABEL: func.func @selections(
func.func @selections(%b: tensor<5x4xf32>, %s: tensor<5xf32>, %c: tensor<5x3x!x>, %d: tensor<5x12x!b>, %n: tensor<5xi32>)
    -> (tensor<2xi32>, tensor<i32>, tensor<4x!x>, tensor<4x4x!b>) {
  // CHECK: nn.non_max_suppression %{{.*}}, %{{.*}} {overlapThreshold = 5.000000e-01 : f32
  %0:3 = nn.non_max_suppression %b, %s {overlapThreshold = 0.5 : f32, rows = 2 : i64, scoreThreshold = 0.0 : f32, sigma = 0.0 : f32}
      : (tensor<5x4xf32>, tensor<5xf32>) -> (tensor<2xi32>, tensor<2xf32>, tensor<i32>)
  // CHECK: nn.box_with_nms_limit %{{.*}}, %{{.*}}, %{{.*}} {kernel = 2 : i32, most = -1 : i32
  %1:4 = nn.box_with_nms_limit %c, %d, %n {kernel = 2 : i32, most = -1 : i32, nmsScoreThreshold = 0.1 : f32,
      overlapThreshold = 0.5 : f32, rows = 4 : i64, scoreThreshold = 0.0 : f32, sigma = 0.5 : f32}
      : (tensor<5x3x!x>, tensor<5x12x!b>, tensor<5xi32>) -> (tensor<4x!x>, tensor<4x4x!b>, tensor<4xi32>, tensor<4xi32>)
  return %0#0, %0#2, %1#0, %1#1 : tensor<2xi32>, tensor<i32>, tensor<4x!x>, tensor<4x4x!b>
}

// CHECK-LABEL: func.func @proposals(
func.func @proposals(%s: tensor<1x2x2x3xf32>, %o: tensor<1x2x2x12xf32>, %a: tensor<3x4xf32>, %i: tensor<1x2xf32>)
    -> tensor<4x4xf32> {
  // CHECK: nn.generate_proposals %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {leastSize = 1.000000e+00 : f32, mostAfter = 0 : i32
  %0:3 = nn.generate_proposals %s, %o, %a, %i {leastSize = 1.0 : f32, mostAfter = 0 : i32, mostBefore = 9 : i32,
      overlapThreshold = 0.5 : f32, rows = 4 : i64, strideX = 4.0 : f32, strideY = 4.0 : f32}
      : (tensor<1x2x2x3xf32>, tensor<1x2x2x12xf32>, tensor<3x4xf32>, tensor<1x2xf32>)
      -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xi32>)
  return %0#1 : tensor<4x4xf32>
}
