// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-schedule=target=e256 --split-input-file --remarks-filter=schedule -o /dev/null 2>&1 | FileCheck %s
// RUN: avocet-opt %s --npu-schedule=target=e256 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty

// What the planner chose, what else it could have done, and the cost of that.

// OFF-NOT: remark

// CHECK: remark: [Passed] plan | Category:schedule | Choice="plan for 25 % of the free memory
// CHECK-SAME: Reason="the best so far"
// CHECK: remark: [Passed] cascade | Category:schedule | Choice="alone, all rows at once", CyclesChange=0, HasBytes=2097152, Hint="{"cascade":["conv1"],"rows":4,"spill":[]}", LastLayer=0, Layer=0
// CHECK-SAME: Reason="every other way is worse in all figures"
// CHECK: remark: [Passed] block | Category:schedule | Choice="4 x 4 x 8", Cycles=148, Layer=0, Reason="fewest cycles of the tile"
// CHECK: remark: [Missed] block | Category:schedule | Choice="4 x 4 x 16", Cycles=164, Hint="{"block":"conv1","extents":[4,4,16]}", Layer=0, Reason="more cycles"
// CHECK: remark: [Analysis] layer | Category:schedule | Cycles={{[1-9][0-9]*}}, Layer=0
func.func @main(%in: tensor<4x4x8xi8> {nn.name = "image"}) -> tensor<4x4x16xi8>
    attributes {npu.layers = [{name = "conv1", op = "CONV_2D", macs = 2048 : i64}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}, input = {zeroPoint = 3}} layer 0 : tensor<4x4x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<4x4x16xi8>
  return %0 : tensor<4x4x16xi8>
}

// -----

// The map does not fit in SRAM as a whole.

// CHECK: remark: [Passed] cascade | Category:schedule | Choice="alone, 28 of 512 rows at a time"
// CHECK-SAME: Reason="fewest predicted cycles"
// CHECK: remark: [Missed] cascade | Category:schedule | Choice="alone, 2 of 512 rows at a time", CyclesChange=0,
// CHECK-SAME: NeedsBytes={{[0-9]+}}, Reason="as many predicted cycles"
func.func @main(%in: tensor<512x512x8xi8> {nn.name = "image"}) -> tensor<512x512x16xi8>
    attributes {npu.layers = [{name = "conv1", op = "CONV_2D", macs = 2048 : i64}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}, input = {zeroPoint = 3}} layer 0 : tensor<512x512x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<512x512x16xi8>
  return %0 : tensor<512x512x16xi8>
}
