// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<u8:f32, 0.5:125>
!y = !quant.uniform<u8:f32, 0.25:4>

// Kept leading axes become rows; adjacent axes that are both reduced or both kept are merged: 3 * 4 reduced, 5 kept.
// CHECK-LABEL: func.func @middle(
// CHECK: %[[V:.*]] = npu.view %{{.*}} : tensor<6x4x5xf32> -> tensor<2x1x60xf32>
// CHECK: npu.dsp "reduce"(%[[V]]) parameters [2, 0, 0, 2, 12, 5, 0, 0, 0, 0, 0, 0, 1, 0] {{.*}}row_wise
// CHECK-SAME: -> tensor<2x1x5xf32>
func.func @middle(%x: tensor<2x3x4x5xf32>) -> tensor<2x5xf32> {
  %0 = nn.reduce max %x axes [1, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// Means over axes that are not rows, pixels or channels become reductions.
// CHECK-LABEL: func.func @meanOfBatch(
// CHECK: npu.dsp "reduce"({{.*}}parameters [4, {{[0-9]+}}, {{[-0-9]+}}, 2, 2, 32, 0, 0, 0, 0, 0, 0, 1, 0]
// CHECK-SAME: (tensor<1x1x64xui8>) -> tensor<1x1x32xui8>
func.func @meanOfBatch(%x: tensor<2x4x4x2x!x>) -> tensor<4x4x2x!y> {
  %0 = nn.mean %x axes [0] : (tensor<2x4x4x2x!x>) -> tensor<4x4x2x!y>
  return %0 : tensor<4x4x2x!y>
}

// CHECK-LABEL: func.func @all(
// CHECK: npu.dsp "reduce"({{.*}}parameters [3, 0, 0, 1, 6, {{.*}}, 1, 0]{{.*}} : (tensor<1x1x6xi1>) -> tensor<1x1x1xi1>
func.func @all(%x: tensor<2x3xi1>) -> tensor<i1> {
  %0 = nn.reduce all %x axes [0, 1] : (tensor<2x3xi1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// The rows of the storage stay if the reduced axes are inside of a row.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[V:.*]] = npu.view %{{.*}} : tensor<6x4x5xf32> -> tensor<6x1x20xf32>
// CHECK: npu.dsp "reduce"(%[[V]]) parameters [0, 0, 0, 2, 4, 5, 0, 0, 0, 0, 0, 0, 2, 0] {{.*}}row_wise
// CHECK-SAME: -> tensor<6x1x4xf32>
func.func @rows(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.reduce sum %x axes [3] : (tensor<2x3x4x5xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @positions(
// CHECK: npu.view %{{.*}} : tensor<6x4x5xf16> -> tensor<2x1x60xf16>
// CHECK: npu.dsp "argReduce"({{.*}}parameters [1, 3, 20]{{.*}}row_wise{{.*}} -> tensor<2x1x20xi32>
func.func @positions(%x: tensor<2x3x4x5xf16>) -> tensor<2x4x5xi32> {
  %0 = nn.arg_reduce min %x axis 1 : (tensor<2x3x4x5xf16>) -> tensor<2x4x5xi32>
  return %0 : tensor<2x4x5xi32>
}

// CHECK-LABEL: func.func @truth(
// CHECK: npu.dsp "binary"({{.*}}[12, {{.*}}1056964608, 1048576000, {{.*}}row_wise{{.*}} -> tensor<1x2x3xi1>
// CHECK: npu.dsp "unary"({{.*}}parameters [13, 1065353216, 0]
// CHECK: npu.dsp "binary"({{.*}}[14,
// CHECK: npu.dsp "select"({{.*}}row_wise
// CHECK: npu.dsp "cast"({{.*}}row_wise{{.*}} : (tensor<1x2x3xui8>) -> tensor<1x2x3xf16>
func.func @truth(%x: tensor<2x3x!x>, %y: tensor<3x!y>) -> tensor<2x3xf16> {
  %0 = nn.compare greater %x, %y : (tensor<2x3x!x>, tensor<3x!y>) -> tensor<2x3xi1>
  %1 = nn.unary logical_not %0 : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %2 = nn.logical and %0, %1 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %3 = nn.select %2, %x, %x : (tensor<2x3xi1>, tensor<2x3x!x>, tensor<2x3x!x>) -> tensor<2x3x!x>
  %4 = nn.cast %3 : (tensor<2x3x!x>) -> tensor<2x3xf16>
  return %4 : tensor<2x3xf16>
}

// Each of two factors is rescaled by 0.5 / sqrt(0.25).
// CHECK-LABEL: func.func @product(
// CHECK: npu.dsp "reduce"({{.*}}parameters [1, 1073741824, 1, 2, 2, 3, 0, 0, 0, 0, 0, 0, 1, 0]
func.func @product(%x: tensor<2x3x!quant.uniform<i16:f32, 0.5>>) -> tensor<3x!quant.uniform<i16:f32, 0.25>> {
  %0 = nn.reduce prod %x axes [0] : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>) -> tensor<3x!quant.uniform<i16:f32, 0.25>>
  return %0 : tensor<3x!quant.uniform<i16:f32, 0.25>>
}
