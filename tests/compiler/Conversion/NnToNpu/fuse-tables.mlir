// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!q = !quant.uniform<i8:f32, 0.5:-3>
!r = !quant.uniform<i8:f32, 0.25:7>
!s = !quant.uniform<i8:f32, 0.125>
!f = !quant.uniform<i8:f32, 0.125>
!p = !quant.uniform<i8:f32, 0.00390625:-128>

// The convolution looks its result up. The layer has the names and work of both.
// CHECK-LABEL: func.func @swish(
// CHECK-SAME: name = "conv + swish", op = "CONV_2D + UNARY"
// CHECK: npu.conv {{.*}} table %{{[0-9a-z_]+}} {{.*}} layer 0
// CHECK-NOT: npu.lookup
// REMARK: [Passed] table | Category:fusion{{.*}} Choice="the output stage looks the results up"
func.func @swish(%x: tensor<1x4x4x8x!q>) -> tensor<1x4x4x8x!r> {
  %w = nn.constant dense<1> : tensor<8x1x1x8xi8> as tensor<8x1x1x8x!f>
  %b = nn.constant dense<0> : tensor<8xi32>
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x8x!q>, tensor<8x1x1x8x!f>, tensor<8xi32>) -> tensor<1x4x4x8x!r> loc("conv")
  %1 = nn.unary hard_swish %0 : (tensor<1x4x4x8x!r>) -> tensor<1x4x4x8x!r> loc("swish")
  return %1 : tensor<1x4x4x8x!r>
}

// A product with one number is a function of bytes. Before a softmax the output stage looks it up, though that is slower.
// CHECK-LABEL: func.func @scores(
// CHECK: npu.conv {{.*}} table
// CHECK-NOT: npu.eltwise
func.func @scores(%q: tensor<2x8x16x!q>, %k: tensor<2x8x16x!r>) -> tensor<2x8x8x!p> {
  %factor = nn.constant dense<2> : tensor<1xi8> as tensor<1x!s>
  %0 = nn.batch_matmul %q, %k transpose_rhs : (tensor<2x8x16x!q>, tensor<2x8x16x!r>) -> tensor<2x8x8x!r>
  %1 = nn.mul %0, %factor : (tensor<2x8x8x!r>, tensor<1x!s>) -> tensor<2x8x8x!s>
  %2 = nn.softmax %1 : (tensor<2x8x8x!s>) -> tensor<2x8x8x!p>
  return %2 : tensor<2x8x8x!p>
}

// The array multiplies faster than it looks up, so that few terms do not hide the look-ups.
// CHECK-LABEL: func.func @scale(
// CHECK: npu.conv
// CHECK: npu.eltwise
func.func @scale(%q: tensor<2x8x16x!q>, %k: tensor<2x8x16x!r>) -> tensor<2x8x8x!s> {
  %factor = nn.constant dense<2> : tensor<1xi8> as tensor<1x!s>
  %0 = nn.batch_matmul %q, %k transpose_rhs : (tensor<2x8x16x!q>, tensor<2x8x16x!r>) -> tensor<2x8x8x!r>
  %1 = nn.mul %0, %factor : (tensor<2x8x8x!r>, tensor<1x!s>) -> tensor<2x8x8x!s>
  return %1 : tensor<2x8x8x!s>
}

// Another reader needs the numbers before the function.
// CHECK-LABEL: func.func @two_readers(
// CHECK: npu.conv {{.*}} {input = {{.*}} layer 0 : tensor<4x4x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<4x4x8xi8>
// CHECK: npu.lookup
// REMARK: [Failure] table | Category:fusion{{.*}} Reason="its input has another reader"
func.func @two_readers(%x: tensor<1x4x4x8x!q>) -> (tensor<1x4x4x8x!r>, tensor<1x4x4x8x!r>) {
  %w = nn.constant dense<1> : tensor<8x1x1x8xi8> as tensor<8x1x1x8x!f>
  %b = nn.constant dense<0> : tensor<8xi32>
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x8x!q>, tensor<8x1x1x8x!f>, tensor<8xi32>) -> tensor<1x4x4x8x!r>
  %1 = nn.unary hard_swish %0 : (tensor<1x4x4x8x!r>) -> tensor<1x4x4x8x!r>
  return %0, %1 : tensor<1x4x4x8x!r>, tensor<1x4x4x8x!r>
}

// Many terms hide them.
// CHECK-LABEL: func.func @dense(
// CHECK: npu.conv {{.*}} table
// CHECK-NOT: npu.eltwise
func.func @dense(%x: tensor<16x512x!q>) -> tensor<16x64x!s> {
  %w = nn.constant dense<1> : tensor<64x512xi8> as tensor<64x512x!f>
  %b = nn.constant dense<0> : tensor<64xi32>
  %factor = nn.constant dense<2> : tensor<1xi8> as tensor<1x!s>
  %0 = nn.fully_connected %x, %w, %b : (tensor<16x512x!q>, tensor<64x512x!f>, tensor<64xi32>) -> tensor<16x64x!r>
  %1 = nn.mul %0, %factor : (tensor<16x64x!r>, tensor<1x!s>) -> tensor<16x64x!s>
  return %1 : tensor<16x64x!s>
}

// A product with one number that no convolution makes stays one: a look-up of its own takes longer.
// CHECK-LABEL: func.func @alone(
// CHECK: npu.eltwise
func.func @alone(%x: tensor<1x4x4x8x!q>) -> tensor<1x4x4x8x!r> {
  %factor = nn.constant dense<2> : tensor<1xi8> as tensor<1x!s>
  %0 = nn.mul %x, %factor : (tensor<1x4x4x8x!q>, tensor<1x!s>) -> tensor<1x4x4x8x!r>
  return %0 : tensor<1x4x4x8x!r>
}
