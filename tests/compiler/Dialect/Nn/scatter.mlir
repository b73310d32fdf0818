// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s

!x = !quant.uniform<u8:f32, 0.5:128>

// CHECK-LABEL: func.func @slices(
func.func @slices(%x: tensor<2x3x4x!x>, %i: tensor<5x2xi32>, %u: tensor<5x4x!x>) -> (tensor<5x4x!x>, tensor<2x3x4x!x>) {
  // CHECK: nn.gather_nd %{{.*}} at %{{.*}} : (tensor<2x3x4x{{.*}}>, tensor<5x2xi32>) -> tensor<5x4x
  %0 = nn.gather_nd %x at %i : (tensor<2x3x4x!x>, tensor<5x2xi32>) -> tensor<5x4x!x>
  // CHECK: nn.scatter_nd set %{{.*}} at %{{.*}}, %{{.*}} :
  %1 = nn.scatter_nd set %x at %i, %u : (tensor<2x3x4x!x>, tensor<5x2xi32>, tensor<5x4x!x>) -> tensor<2x3x4x!x>
  return %0, %1 : tensor<5x4x!x>, tensor<2x3x4x!x>
}
