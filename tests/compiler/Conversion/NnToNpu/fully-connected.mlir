// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-3>
!w = !quant.uniform<i8:f32, 0.125>

// One row is one pixel.
// CHECK-LABEL: func.func @vector(
// CHECK-SAME: tensor<1x1x8xi8>
// CHECK-NOT: npu.view
// CHECK: npu.conv {{.*}} : tensor<1x1x8xi8>, tensor<32xi8>, tensor<48xi8> -> tensor<1x1x4xi8>
func.func @vector(%x: tensor<1x8x!x>) -> tensor<1x4x!x> {
  %w = nn.constant dense<1> : tensor<4x8xi8> as tensor<4x8x!w>
  %0 = nn.fully_connected %x, %w : (tensor<1x8x!x>, tensor<4x8x!w>) -> tensor<1x4x!x>
  return %0 : tensor<1x4x!x>
}

// Six rows become an image whose width is that of an array step.
// CHECK-LABEL: func.func @matrix(
// CHECK: npu.view %{{.*}} : tensor<1x6x8xi8> -> tensor<3x2x8xi8>
// CHECK: npu.conv {{.*}} -> tensor<3x2x4xi8>
// CHECK: npu.view %{{.*}} : tensor<3x2x4xi8> -> tensor<1x6x4xi8>
func.func @matrix(%x: tensor<6x8x!x>) -> tensor<6x4x!x> {
  %w = nn.constant dense<1> : tensor<4x8xi8> as tensor<4x8x!w>
  %0 = nn.fully_connected %x, %w : (tensor<6x8x!x>, tensor<4x8x!w>) -> tensor<6x4x!x>
  return %0 : tensor<6x4x!x>
}

// Few outputs of long rows: in parts, whose weights come one after the other.
// CHECK-LABEL: func.func @few(
// CHECK-COUNT-4: npu.conv {{.*}} : tensor<1x1x4000xi8>, tensor<4000xi8>, tensor<12xi8> -> tensor<1x1x1xi8>
// CHECK: npu.join {{.*}} -> tensor<1x1x4xi8>
func.func @few(%x: tensor<1x4000x!x>) -> tensor<1x4x!x> {
  %w = nn.constant dense<1> : tensor<4x4000xi8> as tensor<4x4000x!w>
  %0 = nn.fully_connected %x, %w : (tensor<1x4000x!x>, tensor<4x4000x!w>) -> tensor<1x4x!x>
  return %0 : tensor<1x4x!x>
}
