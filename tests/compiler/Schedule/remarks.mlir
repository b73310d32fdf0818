// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-schedule=target=e256 --remarks-filter=schedule -o /dev/null 2>&1 | FileCheck %s
// RUN: avocet-opt %s --npu-schedule=target=e256 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty

// What the planner chose, what else it could have done, and the cost of that.

// OFF-NOT: remark

// CHECK: remark: {{.*}}[Passed] plan | Category:schedule | Choice="plan for 50 % of the free memory
// CHECK-SAME: Reason="the best so far"
// CHECK: remark: {{.*}}[Passed] cascade | Category:schedule | Choice="alone, all rows at once", {{.*}}CyclesChange=0,
// CHECK-SAME: HasBytes=2097152, LastLayer=0, Layer=0
// CHECK: remark: {{.*}}[Missed] cascade | Category:schedule | Choice="alone, 2 of 4 rows at a time"
// CHECK-SAME: Reason="more predicted cycles"
// CHECK: remark: {{.*}}[Passed] block | Category:schedule | Choice="4 x 4 x 16", {{.*}}Reason="fewest cycles of the tile"
func.func @main(%in: tensor<4x4x8xi8> {nn.name = "image"}) -> tensor<4x4x16xi8>
    attributes {npu.layers = [{name = "conv1", op = "CONV_2D", macs = 2048 : i64}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}, input = {zeroPoint = 3}} layer 0 : tensor<4x4x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<4x4x16xi8>
  return %0 : tensor<4x4x16xi8>
}
