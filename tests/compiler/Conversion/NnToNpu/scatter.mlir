// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

// 5 rows of 2 coordinates, slices of 4 elements, of a table of 2 by 3; the sum is kind 1.
// CHECK-LABEL: func.func @slices(
// CHECK: npu.dsp "gatherNd"{{.*}}parameters [5, 2, 4, 2, 3, 0, 0, 0, 0, 0, 0]
// CHECK: npu.dsp "scatter"{{.*}}parameters [5, 2, 4, 2, 3, 0, 0, 0, 0, 0, 0, 1]
func.func @slices(%x: tensor<2x3x4xf32>, %i: tensor<5x2xi32>) -> tensor<2x3x4xf32> {
  %0 = nn.gather_nd %x at %i : (tensor<2x3x4xf32>, tensor<5x2xi32>) -> tensor<5x4xf32>
  %1 = nn.scatter_nd sum %x at %i, %0 : (tensor<2x3x4xf32>, tensor<5x2xi32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}
