// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --convert-nn-to-npu=target=e256 | FileCheck %s
// RUN: avocet-opt %s --split-input-file --convert-nn-to-npu=target=e256 --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Product, scale, mask, softmax and product are one attention. The projection after it is none of its steps.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: npu.layers = [
// CHECK-SAME: group = "ATTENTION values"{{[^}]*}} op = "BATCH_MATMUL"
// CHECK-SAME: group = "ATTENTION values"{{[^}]*}} op = "MUL"
// CHECK-SAME: group = "ATTENTION values"{{[^}]*}} op = "ADD"
// CHECK-SAME: group = "ATTENTION values"{{[^}]*}} op = "SOFTMAX"
// CHECK-SAME: group = "ATTENTION values"{{[^}]*}} op = "BATCH_MATMUL"
// CHECK-SAME: {computeCycles = {{[0-9]+ : i64, deviceCycles = [0-9]+ : i64, macs[^}]*}} op = "FULLY_CONNECTED"
// REMARK: remark: loc("values"): [Passed] attention | Category:fusion{{.*}} Choice="one layer for the attention", Steps=5
func.func @attention(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %mask: tensor<1x8x8xf32>) -> tensor<16x16xf32> {
  %scale = nn.constant dense<0.25> : tensor<1xf32>
  %w = nn.constant dense<0.5> : tensor<16x16xf32>
  %b = nn.constant dense<0.0> : tensor<16xf32>
  %0 = nn.batch_matmul %q, %k transpose_rhs : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x8xf32>
  %1 = nn.mul %0, %scale : (tensor<2x8x8xf32>, tensor<1xf32>) -> tensor<2x8x8xf32>
  %2 = nn.add %1, %mask : (tensor<2x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %3 = nn.softmax %2 : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %4 = nn.batch_matmul %3, %v : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32> loc("values")
  %5 = nn.reshape %4 to [16, 16] : (tensor<2x8x16xf32>) -> tensor<16x16xf32>
  %6 = nn.fully_connected %5, %w, %b : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<16x16xf32>
  return %6 : tensor<16x16xf32>
}

// -----

// Weights of experts are multiplied in the same way, but come from no product of two matrices.
// CHECK-LABEL: func.func @mixture
// CHECK-NOT: group
// REMARK: [Failure] attention | Category:fusion{{.*}} Choice="one layer for the attention", Reason="its softmax does not read a product of two matrices"
func.func @mixture(%gates: tensor<2x8x8xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = nn.softmax %gates : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %1 = nn.batch_matmul %0, %v : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
