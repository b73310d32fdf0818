// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not avocet-opt %s --convert-nn-to-npu="target=e1" 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: error: {{.*}}e1

!x = !quant.uniform<i8:f32, 0.5>

// The last two axes stay, the others fold into rows. The types of the network become attributes, and the section
// attributes are copied.
// CHECK-LABEL: func.func @storage(
// CHECK-SAME: tensor<8x2x1xi8> {nn.name = "image", npu.network_type = tensor<2x4x2x1x!{{[^>]*}}>})
// CHECK-SAME: -> (tensor<8x2x1xi8> {nn.name = "doubled", npu.network_type = tensor<2x4x2x1x!{{[^>]*}}>})
// CHECK-SAME: npu.constants_region = 3 : i32, npu.frame_bytes = 64 : i64, npu.layers = [{{{.*}}name = "sum", op = "ADD"{{.*}}}]
// CHECK-NEXT: npu.eltwise
func.func @storage(%x: tensor<2x4x2x1x!x> {nn.name = "image"}) -> (tensor<2x4x2x1x!x> {nn.name = "doubled"})
    attributes {npu.constants_region = 3 : i32, npu.frame_bytes = 64 : i64} {
  %0 = nn.add %x, %x : (tensor<2x4x2x1x!x>, tensor<2x4x2x1x!x>) -> tensor<2x4x2x1x!x> loc("sum")
  return %0 : tensor<2x4x2x1x!x>
}

// -----

// expected-error @below {{operand type 'tensor<?xf32>' is no tensor of 1 to 2^31 - 1 elements}}
func.func @openShape(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error @below {{operand type 'tensor<4xi4>' has elements that the device cannot store}}
func.func @element(%x: tensor<4xi4>) {
  return
}

// -----

// expected-error @below {{a network's function must have one block}}
func.func private @declaration(tensor<4xf32>)
