// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

!x = !quant.uniform<u8:f32, 0.5:128>
!w = !quant.uniform<i8:f32:0, {1.0, 0.5, 0.25, 0.125}>

// CHECK-LABEL: @grouped
func.func @grouped(%x: tensor<2x4x4x6x!x>, %w: tensor<4x3x3x3x!w>, %b: tensor<4xi32>) -> tensor<2x4x4x4x!x> {
  // CHECK: nn.grouped_conv_2d %{{.*}}, %{{.*}}, %{{.*}} groups 2 pad [1, 1, 1, 1] activation relu numerics float_scales
  %0 = nn.grouped_conv_2d %x, %w, %b groups 2 pad [1, 1, 1, 1] activation relu numerics float_scales
     : (tensor<2x4x4x6x!x>, tensor<4x3x3x3x!w>, tensor<4xi32>) -> tensor<2x4x4x4x!x>
  return %0 : tensor<2x4x4x4x!x>
}

// CHECK-LABEL: @transposed
func.func @transposed(%x: tensor<1x2x2x3xf16>, %w: tensor<5x3x3x3xf16>) -> tensor<1x5x6x5xf16> {
  // CHECK: nn.transpose_conv_2d %{{.*}}, %{{.*}} stride [2, 2] pad [0, 0, 0, -1]
  %0 = nn.transpose_conv_2d %x, %w stride [2, 2] pad [0, 0, 0, -1]
     : (tensor<1x2x2x3xf16>, tensor<5x3x3x3xf16>) -> tensor<1x5x6x5xf16>
  return %0 : tensor<1x5x6x5xf16>
}

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<1x4x4x2xf16>, %y: tensor<1x4x4x2x!x>) {
  // CHECK: nn.l2_pool_2d %{{.*}} kernel [2, 2] stride [2, 2]
  %0 = nn.l2_pool_2d %x kernel [2, 2] stride [2, 2] : (tensor<1x4x4x2xf16>) -> tensor<1x2x2x2xf16>
  // CHECK: nn.average_pool_2d %{{.*}} kernel [2, 2] centered
  %1 = nn.average_pool_2d %y kernel [2, 2] centered : (tensor<1x4x4x2x!x>) -> tensor<1x3x3x2x!x>
  return
}
