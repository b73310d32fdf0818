// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>

// No fill; one move of input 0 from offset 0 to offset 0 over two axes: 12 elements with strides 1 and 2, then 2
// with strides 12 and 1. Adjacent axes that stay together are merged.
// CHECK-LABEL: func.func @transpose(
// CHECK: npu.dsp "rearrange"(%{{[a-z0-9]+}}) {{.*}}parameters [0, 0, 0, 0, 0, 2, 12, 1, 2, 2, 12, 1]
// CHECK-SAME: (tensor<2x3x4xi1>) -> tensor<3x4x2xi1>
func.func @transpose(%x: tensor<1x2x3x4xi1>) -> tensor<1x3x4x2xi1> {
  %0 = nn.unary logical_not %x : (tensor<1x2x3x4xi1>) -> tensor<1x2x3x4xi1>
  %1 = nn.transpose %0 permutation [0, 2, 3, 1] : (tensor<1x2x3x4xi1>) -> tensor<1x3x4x2xi1>
  return %1 : tensor<1x3x4x2xi1>
}

// Planes of an input are operands of their own, and each of 3 rows moves as soon as it is loaded: of input 0 4 elements
// from offset 0 to every second one from offset 0, then of input 1 to those from offset 1.
// CHECK-LABEL: func.func @planes(
// CHECK: %[[A:.*]] = npu.part %arg0 at [0, 0, 0]
// CHECK: %[[B:.*]] = npu.part %arg0 at [1, 0, 0]
// CHECK-DAG: %[[C:.*]] = npu.view %[[A]] : {{.*}} -> tensor<3x4x1xi1>
// CHECK-DAG: %[[D:.*]] = npu.view %[[B]] : {{.*}} -> tensor<3x4x1xi1>
// CHECK: npu.dsp "rearrange"(%[[C]], %[[D]]) parameters [4, 0, 0, 0, 0, 1, 4, 1, 2, 1, 0, 1, 1, 4, 1, 2] {{.*}} row_wise
func.func @planes(%x: tensor<1x2x3x4xi1>) -> tensor<1x3x4x2xi1> {
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x2x3x4xi1>) -> tensor<1x3x4x2xi1>
  return %0 : tensor<1x3x4x2xi1>
}

// From element 10 of 12: 2 rows upwards, every second column.
// CHECK-LABEL: func.func @slice(
// CHECK: npu.dsp "rearrange"{{.*}}parameters [0, 0, 0, 9, 0, 2, 2, -6, 2, 2, 2, 1]
func.func @slice(%x: tensor<4x3xi32>) -> tensor<2x2xi32> {
  %0 = nn.slice %x begin [3, 0] size [2, 2] strides [-2, 2] : (tensor<4x3xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// Filled with 1.0 in 16 bits (15360); one box is copied into it.
// CHECK-LABEL: func.func @pad(
// CHECK: npu.dsp "rearrange"{{.*}}parameters [1, 15360, 0, 0, 4, 2, 2, 3, 4, 3, 1, 1]
func.func @pad(%x: tensor<2x3xf16>) -> tensor<4x4xf16> {
  %0 = nn.pad %x low [1, 0] high [1, 1] value 1.0 : (tensor<2x3xf16>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// The same for bf16, whose 1.0 is 16256.
// CHECK-LABEL: func.func @padStoredFloats(
// CHECK: npu.dsp "rearrange"{{.*}}parameters [1, 16256, 0, 0, 4, 2, 2, 3, 4, 3, 1, 1]
func.func @padStoredFloats(%x: tensor<2x3xbf16>) -> tensor<4x4xbf16> {
  %0 = nn.pad %x low [1, 0] high [1, 1] value 1.0 : (tensor<2x3xbf16>) -> tensor<4x4xbf16>
  return %0 : tensor<4x4xbf16>
}

// Each row moves by itself if no element leaves its row: a shuffle of channels can run in stripes beside the array.
// CHECK-LABEL: func.func @shuffle(
// CHECK: npu.dsp "rearrange"(%arg0) parameters [4, 0, 0, 0, 0, 3, 5, 6, 6, 3, 1, 2, 2, 3, 1]
// CHECK-SAME: row_wise
// CHECK-SAME: (tensor<4x5x6xi32>) -> tensor<4x5x6xi32>
func.func @shuffle(%x: tensor<1x4x5x6xi32>) -> tensor<1x4x5x6xi32> {
  %0 = nn.reshape %x to [1, 4, 5, 2, 3] : (tensor<1x4x5x6xi32>) -> tensor<1x4x5x2x3xi32>
  %1 = nn.transpose %0 permutation [0, 1, 2, 4, 3] : (tensor<1x4x5x2x3xi32>) -> tensor<1x4x5x3x2xi32>
  %2 = nn.reshape %1 to [1, 4, 5, 6] : (tensor<1x4x5x3x2xi32>) -> tensor<1x4x5x6xi32>
  return %2 : tensor<1x4x5x6xi32>
}

// A transpose reads columns at distances where they are, and writes between the channels of a join.
// CHECK-LABEL: func.func @shuffleOfParts(
// CHECK: %[[A:.*]] = npu.pool %arg0
// CHECK: %[[RUNS:.*]] = npu.view %[[A]] : tensor<2x3x8xi8> -> tensor<6x4x2xi8>
// CHECK: npu.part %[[RUNS]] at [0, 0, 0] by [1, 3] : tensor<6x4x2xi8> -> tensor<6x2x2xi8>
// CHECK-NEXT: %[[MOVED:.*]] = npu.dsp "rearrange"(%[[A]]) parameters [4, 0, 0, 0, 0, 3, 3, 8, 4, 2, 1, 2, 2, 6, 1]
// CHECK-SAME: row_wise {{.*}} : (tensor<2x3x8xi8>) -> tensor<2x3x4xi8>
// CHECK-NOT: npu.pool %{{.*}} -> tensor<2x3x4xi8>
// CHECK: npu.join %{{.*}}, %[[A]]
func.func @shuffleOfParts(%x: tensor<1x2x3x8x!q>) -> tensor<1x2x3x12x!q> {
  %0 = nn.max_pool_2d %x kernel [1, 1] activation relu6 : (tensor<1x2x3x8x!q>) -> tensor<1x2x3x8x!q>
  %1 = nn.reshape %0 to [1, 2, 3, 4, 2] : (tensor<1x2x3x8x!q>) -> tensor<1x2x3x4x2x!q>
  %2 = nn.slice %1 begin [0, 0, 0, 0, 0] size [1, 2, 3, 2, 2] strides [1, 1, 1, 3, 1] : (tensor<1x2x3x4x2x!q>) -> tensor<1x2x3x2x2x!q>
  %3 = nn.transpose %2 permutation [0, 1, 2, 4, 3] : (tensor<1x2x3x2x2x!q>) -> tensor<1x2x3x2x2x!q>
  %4 = nn.reshape %3 to [1, 2, 3, 4] : (tensor<1x2x3x2x2x!q>) -> tensor<1x2x3x4x!q>
  %5 = nn.concatenation %4, %0 axis 3 : (tensor<1x2x3x4x!q>, tensor<1x2x3x8x!q>) -> tensor<1x2x3x12x!q>
  return %5 : tensor<1x2x3x12x!q>
}

// Inputs of the network are copied to their places by the array, or by one operation of the DSP, for which boxes along
// the outermost axis are one run each.
// CHECK-LABEL: func.func @concatenation(
// CHECK: %[[X:.*]] = npu.pool %arg0
// CHECK: %[[Y:.*]] = npu.pool %arg1
// CHECK: npu.join %[[X]], %[[Y]] along 1
// CHECK: npu.dsp "rearrange"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {{.*}}[0, 0, 0, 0, 0, 1, 6, 1, 1, 1, 0, 6, 1, 3, 1, 1]
func.func @concatenation(%x: tensor<2x256xf32>, %y: tensor<1x256xf32>, %z: tensor<2x3xi32>, %w: tensor<1x3xi32>)
    -> (tensor<3x256xf32>, tensor<3x3xi32>) {
  %0 = nn.concatenation %x, %y axis 0 : (tensor<2x256xf32>, tensor<1x256xf32>) -> tensor<3x256xf32>
  %1 = nn.concatenation %z, %w axis 0 : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<3x3xi32>
  return %0, %1 : tensor<3x256xf32>, tensor<3x3xi32>
}

// Outputs that are inputs are copied, with any element type. The array copies dense bytes as pixels of many channels.
// CHECK-LABEL: func.func @copies(
// CHECK: %[[BYTES:.*]] = npu.view %{{.*}} : tensor<1x2x3xf32> -> tensor<1x1x24xi8>
// CHECK: npu.pool %[[BYTES]]
// CHECK: npu.pool {{.*}} -> tensor<1x1x12xi8>
func.func @copies(%x: tensor<2x3xf32>, %y: tensor<1x3xi32>) -> (tensor<2x3xf32>, tensor<1x3xi32>) {
  return %x, %y : tensor<2x3xf32>, tensor<1x3xi32>
}
