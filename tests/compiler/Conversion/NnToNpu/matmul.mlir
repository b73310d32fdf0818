// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:-3>
!r = !quant.uniform<i8:f32, 0.25:7>
!p = !quant.uniform<i8:f32, 0.00390625:-128>

// Each matrix on the right is a set of weights, reordered on the DSP. The reordering is a layer of its own.
// CHECK-LABEL: func.func @sets(
// CHECK-SAME: npu.layers = [{name = "", op = "TRANSPOSE"}, {{{.*}}name = "", op = "BATCH_MATMUL"{{.*}}}]
// CHECK: %[[B:.*]] = npu.view %arg1
// CHECK: %[[W:.*]] = npu.dsp "rearrange"(%[[B]]) {{.*}}row_wise layer 0 : (tensor<4x1x128xi8>) -> tensor<4x1x128xi8>
// CHECK: npu.conv %{{.*}}, %[[W]], %{{.*}}weightZeroPoint = 7{{.*}} : tensor<12x2x32xi8>, tensor<4x1x128xi8>, tensor<48xi8> -> tensor<12x2x4xi8>
func.func @sets(%a: tensor<4x6x32x!q>, %b: tensor<4x4x32x!r>) -> tensor<4x6x4x!q> {
  %0 = nn.batch_matmul %a, %b transpose_rhs : (tensor<4x6x32x!q>, tensor<4x4x32x!r>) -> tensor<4x6x4x!q>
  return %0 : tensor<4x6x4x!q>
}

// One matrix on the right: all rows on the left are one matrix.
// CHECK-LABEL: func.func @oneSet(
// CHECK: npu.conv {{.*}} : tensor<12x2x8xf32>, tensor<1x1x32xf32>, tensor<48xi8> -> tensor<12x2x4xf32>
func.func @oneSet(%a: tensor<2x2x6x8xf32>, %b: tensor<1x8x4xf32>) -> tensor<2x2x6x4xf32> {
  %0 = nn.batch_matmul %a, %b : (tensor<2x2x6x8xf32>, tensor<1x8x4xf32>) -> tensor<2x2x6x4xf32>
  return %0 : tensor<2x2x6x4xf32>
}

// Constant weights are packed by the compiler.
// CHECK-LABEL: func.func @constant(
// CHECK-NOT: npu.dsp
// CHECK: npu.conv {{.*}} : tensor<3x2x2xf32>, tensor<16xi8>, tensor<24xi8> -> tensor<3x2x2xf32>
func.func @constant(%a: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %b = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = nn.batch_matmul %a, %b : (tensor<6x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}

// A layer with a computed filter takes the same way.
// CHECK-LABEL: func.func @fullyConnected(
// CHECK: npu.dsp "rearrange"(%arg1)
// CHECK: npu.conv
func.func @fullyConnected(%x: tensor<6x8x!q>, %w: tensor<4x8x!r>) -> tensor<6x4x!q> {
  %0 = nn.fully_connected %x, %w : (tensor<6x8x!q>, tensor<4x8x!r>) -> tensor<6x4x!q>
  return %0 : tensor<6x4x!q>
}

!wide = !quant.uniform<i16:f32, 0.001>
!byte = !quant.uniform<i8:f32, 0.5>

// Products of two 16-bit matrices are on the array too.
// CHECK-LABEL: func.func @wide(
// CHECK: %[[W:.*]] = npu.dsp "rearrange"
// CHECK: npu.conv %{{.*}}, %[[W]], {{.*}} : tensor<12x2x32xi16>, tensor<4x1x128xi16>, tensor<64xi8> -> tensor<12x2x4xi16>
func.func @wide(%a: tensor<4x6x32x!wide>, %b: tensor<4x4x32x!wide>) -> tensor<4x6x4x!wide> {
  %0 = nn.batch_matmul %a, %b transpose_rhs : (tensor<4x6x32x!wide>, tensor<4x4x32x!wide>) -> tensor<4x6x4x!wide>
  return %0 : tensor<4x6x4x!wide>
}

// What is between two products has the rows of the first one, and the second matrices are reordered before that.
// CHECK-LABEL: func.func @attention(
// CHECK: %[[K:.*]] = npu.dsp "rearrange"{{.*}} row_wise
// CHECK: %[[V:.*]] = npu.dsp "rearrange"{{.*}} row_wise
// CHECK: npu.conv %{{.*}}, %[[K]], {{.*}} -> tensor<12x2x8xi8>
// CHECK: npu.eltwise {{.*}} -> tensor<12x2x8xi8>
// CHECK: npu.dsp "softmax"({{.*}}) {{.*}} : (tensor<12x2x8xi8>) -> tensor<12x2x8xi8>
// CHECK: npu.conv %{{.*}}, %[[V]], {{.*}} -> tensor<12x2x32xi8>
func.func @attention(%q: tensor<4x6x32x!q>, %k: tensor<4x8x32x!q>, %v: tensor<4x8x32x!q>) -> tensor<4x6x32x!q> {
  %f = nn.constant dense<3> : tensor<8xi8> as tensor<8x!q>
  %0 = nn.batch_matmul %q, %k transpose_rhs : (tensor<4x6x32x!q>, tensor<4x8x32x!q>) -> tensor<4x6x8x!q>
  %1 = nn.mul %0, %f : (tensor<4x6x8x!q>, tensor<8x!q>) -> tensor<4x6x8x!q>
  %2 = nn.softmax %1 : (tensor<4x6x8x!q>) -> tensor<4x6x8x!p>
  %3 = nn.batch_matmul %2, %v : (tensor<4x6x8x!p>, tensor<4x8x32x!q>) -> tensor<4x6x32x!q>
  return %3 : tensor<4x6x32x!q>
}

// Each row of a hybrid product gets a scale at run time.
// CHECK-LABEL: func.func @hybrid(
// CHECK-COUNT-2: npu.dsp "dynamicQuantize"
// CHECK-NOT: npu.dsp "dynamicQuantize"
func.func @hybrid(%a: tensor<2x8xf32>, %b: tensor<8x4x!byte>) -> tensor<2x4xf32> {
  %0 = nn.batch_matmul %a, %b asymmetric : (tensor<2x8xf32>, tensor<8x4x!byte>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Several constant matrices are a layer each, whose weights the compiler packs too.
// CHECK-LABEL: func.func @constantSets(
// CHECK-NOT: npu.dsp
// CHECK: %[[A:.*]] = npu.conv {{.*}} : tensor<3x2x2xf32>, tensor<16xi8>, tensor<24xi8> -> tensor<3x2x2xf32>
// CHECK: %[[B:.*]] = npu.conv {{.*}} : tensor<3x2x2xf32>, tensor<16xi8>, tensor<24xi8> -> tensor<3x2x2xf32>
// CHECK: npu.join %{{.*}}, %{{.*}} along 0 : (tensor<6x1x2xf32>, tensor<6x1x2xf32>) -> tensor<12x1x2xf32>
func.func @constantSets(%a: tensor<2x6x2xf32>) -> tensor<2x6x2xf32> {
  %b = nn.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %0 = nn.batch_matmul %a, %b : (tensor<2x6x2xf32>, tensor<2x2x2xf32>) -> tensor<2x6x2xf32>
  return %0 : tensor<2x6x2xf32>
}

// A row that is left over is a layer of its own, so that the others fill both columns of a step.
// CHECK-LABEL: func.func @oddRows(
// CHECK: %[[W:.*]] = npu.constant
// CHECK: npu.conv %{{.*}}, %[[W]], {{.*}} -> tensor<98x2x64xi8>
// CHECK: npu.conv %{{.*}}, %[[W]], {{.*}} -> tensor<1x1x64xi8>
// CHECK: npu.join %{{.*}}, %{{.*}} along 0 : (tensor<196x1x64xi8>, tensor<1x1x64xi8>) -> tensor<197x1x64xi8>
func.func @oddRows(%x: tensor<197x64x!q>) -> tensor<197x64x!q> {
  %w = nn.constant dense<3> : tensor<64x64xi8> as tensor<64x64x!byte>
  %0 = nn.fully_connected %x, %w : (tensor<197x64x!q>, tensor<64x64x!byte>) -> tensor<197x64x!q>
  return %0 : tensor<197x64x!q>
}
