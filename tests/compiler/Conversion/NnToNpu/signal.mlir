// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu=target=e256 | FileCheck %s

// A row for each line, and a table of factors. A number takes 2 * log2(8) - 1 operations at least.
// CHECK: npu.layers = [{computeCycles = 38 : i64, {{.*}}name = "spectrum", op = "RFFT"
// CHECK-LABEL: func.func @rfft(
// CHECK: npu.view %{{.*}} : tensor<2x3x6xf32> -> tensor<6x1x6xf32>
// CHECK: npu.constant {{.*}} tensor<1x1x8xf32>
// CHECK: npu.dsp "realFourier"({{.*}}) parameters [8] zero_points [0, 0] -> [0, 0] row_wise layer 0 : (tensor<6x1x6xf32>, tensor<1x1x8xf32>) -> (tensor<6x1x5xf32>, tensor<6x1x5xf32>)
func.func @rfft(%x: tensor<2x3x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %0:2 = nn.rfft %x points 8 : (tensor<2x3x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) loc("spectrum")
  return %0#0, %0#1 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}
