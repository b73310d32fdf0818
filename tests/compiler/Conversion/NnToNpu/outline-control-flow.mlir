// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --nn-outline-control-flow | FileCheck %s

// A network without branches is not changed.
// CHECK-LABEL: func.func @straight(%arg0: tensor<4xf32>)
// CHECK-NOT: npu.region
func.func @straight(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nn.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Branches write the network's output (region 3) directly; the first section computes the values that both read.
// CHECK-LABEL: cmd.control [
// CHECK-NEXT: run,
// CHECK-NEXT: jump_if_false {region = 1, target = 4},
// CHECK-NEXT: run {section = 1},
// CHECK-NEXT: jump {target = 5},
// CHECK-NEXT: run {section = 2},
// CHECK-NEXT: end]
// CHECK-SAME: inputs = [{nn.name = "c", npu.network_type = tensor<1xi1>}, {npu.network_type = tensor<4xf32>}]
// CHECK-SAME: outputs = [{npu.network_type = tensor<4xf32>}]
// CHECK: func.func @main_0(%{{.*}}: tensor<4xf32> {npu.offset = 0 : i64, npu.region = 2 : i32})
// CHECK-SAME: -> (tensor<4xf32> {npu.offset = 0 : i64, npu.region = 5 : i32})
// CHECK-SAME: attributes {npu.constants_region = 4 : i32, npu.frame_bytes = 64 : i64}
// CHECK: func.func @main_1(%{{.*}}: tensor<4xf32> {npu.offset = 0 : i64, npu.region = 5 : i32})
// CHECK-SAME: -> (tensor<4xf32> {npu.offset = 0 : i64, npu.region = 3 : i32})
// CHECK: nn.constant
// CHECK: nn.add
// CHECK: func.func @main_2
// CHECK-NEXT: return %arg0
func.func @main(%c: tensor<1xi1> {nn.name = "c"}, %x: tensor<4xf32>) -> tensor<4xf32> {
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %d = nn.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = nn.if %c : (tensor<1xi1>) -> tensor<4xf32> {
    %a = nn.add %d, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    nn.yield %a : tensor<4xf32>
  } else {
    nn.yield %d : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Sections: initial values, condition, body, copy of the next iteration's values, and the copy to the output.
// CHECK-LABEL: cmd.control [
// CHECK-NEXT: run,
// CHECK-NEXT: loop_enter,
// CHECK-NEXT: loop_check,
// CHECK-NEXT: run {section = 1},
// CHECK-NEXT: jump_if_false {region = 5, offset = 128, target = 8},
// CHECK-NEXT: run {section = 2},
// CHECK-NEXT: run {section = 3},
// CHECK-NEXT: jump {target = 2},
// CHECK-NEXT: run {section = 4},
// CHECK-NEXT: end]
// CHECK: func.func @main_0(%{{.*}}: tensor<8xi1> {npu.offset = 0 : i64, npu.region = 1 : i32}, %{{.*}}: tensor<4xf32> {npu.offset = 0 : i64, npu.region = 2 : i32})
// CHECK-SAME: -> (tensor<8xi1> {npu.offset = 0 : i64, npu.region = 5 : i32}, tensor<4xf32> {npu.offset = 64 : i64, npu.region = 5 : i32})
// CHECK: func.func @main_1({{.*}}) -> (tensor<1xi1> {npu.offset = 128 : i64, npu.region = 5 : i32})
// CHECK: func.func @main_2({{.*}}) -> (tensor<8xi1> {npu.offset = 128 : i64, npu.region = 5 : i32}, tensor<4xf32> {npu.offset = 192 : i64
// CHECK: func.func @main_3(%{{.*}}: tensor<8xi1> {npu.offset = 128 : i64, npu.region = 5 : i32}, %{{.*}}: tensor<4xf32> {npu.offset = 192 : i64
// CHECK-SAME: -> (tensor<8xi1> {npu.offset = 0 : i64, npu.region = 5 : i32}, tensor<4xf32> {npu.offset = 64 : i64
// CHECK-NEXT: return %arg0, %arg1
// CHECK: func.func @main_4(%{{.*}}: tensor<4xf32> {npu.offset = 64 : i64, npu.region = 5 : i32}) -> (tensor<4xf32> {npu.offset = 0 : i64, npu.region = 3 : i32})
func.func @main(%f: tensor<8xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r:2 = nn.while %f, %x : (tensor<8xi1>, tensor<4xf32>) -> (tensor<8xi1>, tensor<4xf32>) while {
  ^bb0(%g: tensor<8xi1>, %v: tensor<4xf32>):
    %c = nn.slice %g begin [0] size [1] strides [1] : (tensor<8xi1>) -> tensor<1xi1>
    nn.yield %c : tensor<1xi1>
  } do {
  ^bb0(%g: tensor<8xi1>, %v: tensor<4xf32>):
    %s = nn.slice %g begin [1] size [7] strides [1] : (tensor<8xi1>) -> tensor<7xi1>
    %h = nn.pad %s low [0] high [1] value 0.0 : (tensor<7xi1>) -> tensor<8xi1>
    %w = nn.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    nn.yield %h, %w : tensor<8xi1>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
