// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-3>

// CHECK-LABEL: func.func @pools(
// CHECK: npu.pool %{{.*}} {{{.*}}window = {kernelHeight = 2, kernelWidth = 2, strideHeight = 2, strideWidth = 2}
// CHECK-SAME: clamp = {min = -3, max = 9}
// CHECK: npu.pool {{.*}} {kind = average
// CHECK-SAME: padTop = 1
// CHECK-SAME: pad_bottom 1 pad_right 1
func.func @pools(%x: tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x> {
  %0 = nn.max_pool_2d %x kernel [2, 2] stride [2, 2] activation relu6 : (tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x>
  %1 = nn.average_pool_2d %0 kernel [3, 3] pad [1, 1, 1, 1] : (tensor<1x2x2x2x!x>) -> tensor<1x2x2x2x!x>
  return %1 : tensor<1x2x2x2x!x>
}

// CHECK-LABEL: func.func @bitcast(
// CHECK: %[[V:.*]] = npu.view %{{.*}} : tensor<1x1x4xi16> -> tensor<1x4x2xi8>
// CHECK: npu.view %[[V]] : tensor<1x4x2xi8> -> tensor<1x1x8xi8>
// CHECK: npu.pool {{.*}} -> tensor<1x1x8xi8>
func.func @bitcast(%x: tensor<4xi16>) -> (tensor<4x2xi8> {nn.name = "bytes"}) {
  %0 = nn.bitcast %x to i8 : (tensor<4xi16>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// Outputs have their own memory, so a view of an input is copied.
// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: npu.layers = [{name = "flat", op = "COPY"}]
// CHECK-NEXT: %[[V:.*]] = npu.view %{{.*}} : tensor<4x4x2xi8> -> tensor<1x1x32xi8>
// CHECK-NEXT: %[[C:.*]] = npu.pool %[[V]]
// CHECK-NEXT: return %[[C]]
func.func @reshape(%x: tensor<1x4x4x2x!x>) -> (tensor<1x32x!x> {nn.name = "flat"}) {
  %0 = nn.reshape %x to [1, 32] : (tensor<1x4x4x2x!x>) -> tensor<1x32x!x>
  return %0 : tensor<1x32x!x>
}

// A pad that is not fused becomes a depthwise convolution whose filter has a single 1.
// CHECK-LABEL: func.func @pad(
// CHECK: npu.conv
// CHECK-SAME: kind = depthwise
// CHECK-SAME: window = {kernelHeight = 4, padTop = 3}
// CHECK-SAME: pad_bottom 3
// CHECK-SAME: tensor<4x4x2xi8>{{.*}} -> tensor<7x4x2xi8>
func.func @pad(%x: tensor<1x4x4x2x!x>) -> tensor<1x7x4x2x!x> {
  %0 = nn.pad %x low [0, 1, 0, 0] high [0, 2, 0, 0] : (tensor<1x4x4x2x!x>) -> tensor<1x7x4x2x!x>
  return %0 : tensor<1x7x4x2x!x>
}
