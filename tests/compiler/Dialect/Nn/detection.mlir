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
  %0 = nn.roi_pooling %x at %r, %n {strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<2x6x7x3x!x>, tensor<4x4x!b>, tensor<4xi32>) -> tensor<4x2x3x3x!x>
  // CHECK: nn.roi_align %{{.*}} at %{{.*}}, %{{.*}} {samplesX = 0 : i64, samplesY = 3 : i64
  %1 = nn.roi_align %x at %r, %n {samplesX = 0 : i64, samplesY = 3 : i64, strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<2x6x7x3x!x>, tensor<4x4x!b>, tensor<4xi32>) -> tensor<4x2x3x3x!y>
  return %0, %1 : tensor<4x2x3x3x!x>, tensor<4x2x3x3x!y>
}
