// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-absorb-channel-orders))" | FileCheck %s
// Running the pass again changes nothing.
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-absorb-channel-orders))" -o %t
// RUN: avocet-opt %t --pass-pipeline="builtin.module(func.func(nn-absorb-channel-orders))" | diff - %t

!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.25>
!s = !quant.uniform<i8:f32:0, {1.0, 2.0, 3.0, 4.0}>

// Outputs 0, 2, 1, 3: weights, their scales and the bias move.
// CHECK: ![[SCALES:.*]] = !quant.uniform<i8:f32:0, {1.000000e+00,3.000000e+00,2.000000e+00,4.000000e+00}>
// CHECK-LABEL: func.func @outputs(
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[}}{{\[}}{{\[}}[1, 2]]], {{\[}}{{\[}}[5, 6]]], {{\[}}{{\[}}[3, 4]]], {{\[}}{{\[}}[7, 8]]]]> : tensor<4x1x1x2xi8> as tensor<4x1x1x2x![[SCALES]]>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[10, 30, 20, 40]> : tensor<4xi32>
// CHECK: %[[Y:.*]] = nn.conv_2d %arg0, %[[W]], %[[B]] :
// CHECK-NEXT: return %[[Y]]
func.func @outputs(%x: tensor<1x2x3x2x!x>) -> tensor<1x2x3x4x!x> {
  %w = nn.constant dense<[[[[1, 2]]], [[[3, 4]]], [[[5, 6]]], [[[7, 8]]]]> : tensor<4x1x1x2xi8> as tensor<4x1x1x2x!s>
  %b = nn.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x2x3x2x!x>, tensor<4x1x1x2x!s>, tensor<4xi32>) -> tensor<1x2x3x4x!x>
  %1 = nn.reshape %0 to [1, 2, 3, 2, 2] : (tensor<1x2x3x4x!x>) -> tensor<1x2x3x2x2x!x>
  %2 = nn.transpose %1 permutation [0, 1, 2, 4, 3] : (tensor<1x2x3x2x2x!x>) -> tensor<1x2x3x2x2x!x>
  %3 = nn.reshape %2 to [1, 2, 3, 4] : (tensor<1x2x3x2x2x!x>) -> tensor<1x2x3x4x!x>
  return %3 : tensor<1x2x3x4x!x>
}

// Something else reads the plain outputs.
// CHECK-LABEL: func.func @outputsWithReader(
// CHECK: nn.transpose
func.func @outputsWithReader(%x: tensor<1x2x3x1xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32>
  %0 = nn.conv_2d %x, %w : (tensor<1x2x3x1xf32>, tensor<4x1x1x1xf32>) -> tensor<1x2x3x4xf32>
  %1 = nn.reshape %0 to [1, 2, 3, 2, 2] : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2x2xf32>
  %2 = nn.transpose %1 permutation [0, 1, 2, 4, 3] : (tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x2x2xf32>
  %3 = nn.reshape %2 to [1, 2, 3, 4] : (tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x4xf32>
  return %0, %3 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}

// Elements leave their pixels.
// CHECK-LABEL: func.func @outputsToOtherPixels(
// CHECK: nn.transpose
func.func @outputsToOtherPixels(%x: tensor<1x2x3x1xf32>) -> tensor<1x2x4x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32>
  %0 = nn.conv_2d %x, %w : (tensor<1x2x3x1xf32>, tensor<4x1x1x1xf32>) -> tensor<1x2x3x4xf32>
  %1 = nn.transpose %0 permutation [0, 1, 3, 2] : (tensor<1x2x3x4xf32>) -> tensor<1x2x4x3xf32>
  return %1 : tensor<1x2x4x3xf32>
}

// Channel 1 of the input has the place 3 after the shuffle of 3 groups.
// CHECK-LABEL: func.func @inputs(
// CHECK: %[[W:.*]] = nn.constant dense<{{.*}}[0, 3, 1, 4, 2, 5]
// CHECK-NEXT: %[[Y:.*]] = nn.conv_2d %arg0, %[[W]]
// CHECK-NEXT: return %[[Y]]
func.func @inputs(%x: tensor<1x2x2x6x!x>) -> tensor<1x2x2x1x!x> {
  %w = nn.constant dense<[[[[0, 1, 2, 3, 4, 5]]]]> : tensor<1x1x1x6xi8> as tensor<1x1x1x6x!w>
  %0 = nn.reshape %x to [1, 2, 2, 3, 2] : (tensor<1x2x2x6x!x>) -> tensor<1x2x2x3x2x!x>
  %1 = nn.transpose %0 permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x3x2x!x>) -> tensor<1x2x2x2x3x!x>
  %2 = nn.reshape %1 to [1, 2, 2, 6] : (tensor<1x2x2x2x3x!x>) -> tensor<1x2x2x6x!x>
  %3 = nn.conv_2d %2, %w : (tensor<1x2x2x6x!x>, tensor<1x1x1x6x!w>) -> tensor<1x2x2x1x!x>
  return %3 : tensor<1x2x2x1x!x>
}

// Sums of floats depend on the order of their terms.
// CHECK-LABEL: func.func @inputsOfFloats(
// CHECK: nn.transpose
func.func @inputsOfFloats(%x: tensor<1x2x2x4xf32>) -> tensor<1x2x2x1xf32> {
  %w = nn.constant dense<[[[[0.0, 1.0, 2.0, 3.0]]]]> : tensor<1x1x1x4xf32>
  %0 = nn.reshape %x to [1, 2, 2, 2, 2] : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x2x2xf32>
  %1 = nn.transpose %0 permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x2x2xf32>) -> tensor<1x2x2x2x2xf32>
  %2 = nn.reshape %1 to [1, 2, 2, 4] : (tensor<1x2x2x2x2xf32>) -> tensor<1x2x2x4xf32>
  %3 = nn.conv_2d %2, %w : (tensor<1x2x2x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x2x2x1xf32>
  return %3 : tensor<1x2x2x1xf32>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK-DAG: %[[D:.*]] = nn.constant dense<{{.*}}[1, 3, 2, 4]{{.*}}> : tensor<1x1x1x4xi8>
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{.*}}[5, 7, 6, 8]{{.*}}> : tensor<1x1x1x4xi8>
// CHECK: %[[X:.*]] = nn.depthwise_conv_2d %arg0, %[[D]]
// CHECK-NEXT: %[[Y:.*]] = nn.conv_2d %[[X]], %[[W]]
// CHECK-NEXT: return %[[Y]]
func.func @depthwise(%x: tensor<1x2x2x4x!x>) -> tensor<1x2x2x1x!x> {
  %d = nn.constant dense<[[[[1, 2, 3, 4]]]]> : tensor<1x1x1x4xi8> as tensor<1x1x1x4x!w>
  %w = nn.constant dense<[[[[5, 6, 7, 8]]]]> : tensor<1x1x1x4xi8> as tensor<1x1x1x4x!w>
  %0 = nn.reshape %x to [1, 2, 2, 2, 2] : (tensor<1x2x2x4x!x>) -> tensor<1x2x2x2x2x!x>
  %1 = nn.transpose %0 permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x2x2x!x>) -> tensor<1x2x2x2x2x!x>
  %2 = nn.reshape %1 to [1, 2, 2, 4] : (tensor<1x2x2x2x2x!x>) -> tensor<1x2x2x4x!x>
  %3 = nn.depthwise_conv_2d %2, %d : (tensor<1x2x2x4x!x>, tensor<1x1x1x4x!w>) -> tensor<1x2x2x4x!x>
  %4 = nn.conv_2d %3, %w : (tensor<1x2x2x4x!x>, tensor<1x1x1x4x!w>) -> tensor<1x2x2x1x!x>
  return %4 : tensor<1x2x2x1x!x>
}

// The result is an output too, whose order must stay.
// CHECK-LABEL: func.func @depthwiseOutput(
// CHECK: nn.transpose
func.func @depthwiseOutput(%x: tensor<1x2x2x4x!x>) -> tensor<1x2x2x4x!x> {
  %d = nn.constant dense<[[[[1, 2, 3, 4]]]]> : tensor<1x1x1x4xi8> as tensor<1x1x1x4x!w>
  %0 = nn.reshape %x to [1, 2, 2, 2, 2] : (tensor<1x2x2x4x!x>) -> tensor<1x2x2x2x2x!x>
  %1 = nn.transpose %0 permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x2x2x!x>) -> tensor<1x2x2x2x2x!x>
  %2 = nn.reshape %1 to [1, 2, 2, 4] : (tensor<1x2x2x2x2x!x>) -> tensor<1x2x2x4x!x>
  %3 = nn.depthwise_conv_2d %2, %d : (tensor<1x2x2x4x!x>, tensor<1x1x1x4x!w>) -> tensor<1x2x2x4x!x>
  return %3 : tensor<1x2x2x4x!x>
}

// A unit of ShuffleNet V2. Channels 2 and 3 of both groups follow each other, those of the made group first; the next
// convolution reads them as 0, 2, 1, 3. Channels 0 and 1 of both, at 0 and 6, take turns.
// CHECK-LABEL: func.func @unit(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x2x4x!{{.*}}>, %[[P:.*]]: tensor<1x2x2x4x!{{.*}}>)
// CHECK-DAG: %[[M:.*]] = nn.constant dense<{{.*}}[3, 0, 0, 0]{{.*}}[4, 0, 0, 0]{{.*}}[1, 0, 0, 0]{{.*}}[2, 0, 0, 0]{{.*}}> : tensor<4x1x1x4xi8>
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{.*}}[5, 7, 6, 8]{{.*}}> : tensor<1x1x1x4xi8>
// CHECK: %[[MADE:.*]] = nn.conv_2d %[[X]], %[[M]]
// CHECK-NEXT: %[[JOINED:.*]] = nn.concatenation %[[P]], %[[MADE]] axis 3
// CHECK-NEXT: %[[NEXT:.*]] = nn.slice %[[JOINED]] begin [0, 0, 0, 2] size [1, 2, 2, 4] strides [1, 1, 1, 1]
// CHECK: %[[RUNS:.*]] = nn.reshape %[[JOINED]] to [1, 2, 2, 4, 2]
// CHECK: %[[REST:.*]] = nn.slice %[[RUNS]] begin [0, 0, 0, 0, 0] size [1, 2, 2, 2, 2] strides [1, 1, 1, 3, 1]
// CHECK: %[[TURNS:.*]] = nn.transpose %[[REST]] permutation [0, 1, 2, 4, 3]
// CHECK: %[[PASSED:.*]] = nn.reshape %[[TURNS]] to [1, 2, 2, 4]
// CHECK: %[[Y:.*]] = nn.conv_2d %[[NEXT]], %[[W]]
// CHECK: return %[[Y]], %[[PASSED]]
func.func @unit(%x: tensor<1x2x2x4x!x>, %p: tensor<1x2x2x4x!x>) -> (tensor<1x2x2x1x!x>, tensor<1x2x2x4x!x>) {
  %m = nn.constant dense<[[[[1, 0, 0, 0]]], [[[2, 0, 0, 0]]], [[[3, 0, 0, 0]]], [[[4, 0, 0, 0]]]]> : tensor<4x1x1x4xi8> as tensor<4x1x1x4x!w>
  %w = nn.constant dense<[[[[5, 6, 7, 8]]]]> : tensor<1x1x1x4xi8> as tensor<1x1x1x4x!w>
  %0 = nn.conv_2d %x, %m : (tensor<1x2x2x4x!x>, tensor<4x1x1x4x!w>) -> tensor<1x2x2x4x!x>
  %1 = nn.concatenation %p, %0 axis 3 : (tensor<1x2x2x4x!x>, tensor<1x2x2x4x!x>) -> tensor<1x2x2x8x!x>
  %2 = nn.reshape %1 to [1, 2, 2, 2, 4] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x2x4x!x>
  %3 = nn.transpose %2 permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x2x4x!x>) -> tensor<1x2x2x4x2x!x>
  %4 = nn.reshape %3 to [1, 2, 2, 8] : (tensor<1x2x2x4x2x!x>) -> tensor<1x2x2x8x!x>
  %5 = nn.slice %4 begin [0, 0, 0, 0] size [1, 2, 2, 4] strides [1, 1, 1, 1] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x4x!x>
  %6 = nn.slice %4 begin [0, 0, 0, 4] size [1, 2, 2, 4] strides [1, 1, 1, 1] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x4x!x>
  %7 = nn.conv_2d %6, %w : (tensor<1x2x2x4x!x>, tensor<1x1x1x4x!w>) -> tensor<1x2x2x1x!x>
  return %7, %5 : tensor<1x2x2x1x!x>, tensor<1x2x2x4x!x>
}

// The made group comes first and the branch takes the first half: the made group stays first, and the rest of the other
// one, at 6, is the odd channels.
// CHECK-LABEL: func.func @unitOfFirstHalf(
// CHECK-DAG: nn.constant dense<{{.*}}[5, 7, 6, 8]{{.*}}> : tensor<1x1x1x4xi8>
// CHECK: %[[JOINED:.*]] = nn.concatenation %{{.*}}, %arg1 axis 3
// CHECK: nn.slice %[[JOINED]] begin [0, 0, 0, 2] size [1, 2, 2, 4]
// CHECK: nn.slice %{{.*}} begin [0, 0, 0, 0, 0] size [1, 2, 2, 2, 2] strides [1, 1, 1, 3, 1]
func.func @unitOfFirstHalf(%x: tensor<1x2x2x4x!x>, %p: tensor<1x2x2x4x!x>) -> (tensor<1x2x2x1x!x>, tensor<1x2x2x4x!x>) {
  %m = nn.constant dense<[[[[1, 0, 0, 0]]], [[[2, 0, 0, 0]]], [[[3, 0, 0, 0]]], [[[4, 0, 0, 0]]]]> : tensor<4x1x1x4xi8> as tensor<4x1x1x4x!w>
  %w = nn.constant dense<[[[[5, 6, 7, 8]]]]> : tensor<1x1x1x4xi8> as tensor<1x1x1x4x!w>
  %0 = nn.conv_2d %x, %m : (tensor<1x2x2x4x!x>, tensor<4x1x1x4x!w>) -> tensor<1x2x2x4x!x>
  %1 = nn.concatenation %0, %p axis 3 : (tensor<1x2x2x4x!x>, tensor<1x2x2x4x!x>) -> tensor<1x2x2x8x!x>
  %2 = nn.reshape %1 to [1, 2, 2, 2, 4] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x2x4x!x>
  %3 = nn.transpose %2 permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x2x4x!x>) -> tensor<1x2x2x4x2x!x>
  %4 = nn.reshape %3 to [1, 2, 2, 8] : (tensor<1x2x2x4x2x!x>) -> tensor<1x2x2x8x!x>
  %5 = nn.slice %4 begin [0, 0, 0, 4] size [1, 2, 2, 4] strides [1, 1, 1, 1] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x4x!x>
  %6 = nn.slice %4 begin [0, 0, 0, 0] size [1, 2, 2, 4] strides [1, 1, 1, 1] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x4x!x>
  %7 = nn.conv_2d %6, %w : (tensor<1x2x2x4x!x>, tensor<1x1x1x4x!w>) -> tensor<1x2x2x1x!x>
  return %7, %5 : tensor<1x2x2x1x!x>, tensor<1x2x2x4x!x>
}

// Of a made group that comes first, the last half follows the other group: the rest is read from 6 back to 0.
// CHECK-LABEL: func.func @unitMadeFirst(
// CHECK-DAG: nn.constant dense<{{.*}}[6, 8, 5, 7]{{.*}}> : tensor<1x1x1x4xi8>
// CHECK: %[[JOINED:.*]] = nn.concatenation %arg1, %{{.*}} axis 3
// CHECK: nn.slice %{{.*}} begin [0, 0, 0, 3, 0] size [1, 2, 2, 2, 2] strides [1, 1, 1, -3, 1]
func.func @unitMadeFirst(%x: tensor<1x2x2x4x!x>, %p: tensor<1x2x2x4x!x>) -> (tensor<1x2x2x1x!x>, tensor<1x2x2x4x!x>) {
  %m = nn.constant dense<[[[[1, 0, 0, 0]]], [[[2, 0, 0, 0]]], [[[3, 0, 0, 0]]], [[[4, 0, 0, 0]]]]> : tensor<4x1x1x4xi8> as tensor<4x1x1x4x!w>
  %w = nn.constant dense<[[[[5, 6, 7, 8]]]]> : tensor<1x1x1x4xi8> as tensor<1x1x1x4x!w>
  %0 = nn.conv_2d %x, %m : (tensor<1x2x2x4x!x>, tensor<4x1x1x4x!w>) -> tensor<1x2x2x4x!x>
  %1 = nn.concatenation %0, %p axis 3 : (tensor<1x2x2x4x!x>, tensor<1x2x2x4x!x>) -> tensor<1x2x2x8x!x>
  %2 = nn.reshape %1 to [1, 2, 2, 2, 4] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x2x4x!x>
  %3 = nn.transpose %2 permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x2x4x!x>) -> tensor<1x2x2x4x2x!x>
  %4 = nn.reshape %3 to [1, 2, 2, 8] : (tensor<1x2x2x4x2x!x>) -> tensor<1x2x2x8x!x>
  %5 = nn.slice %4 begin [0, 0, 0, 0] size [1, 2, 2, 4] strides [1, 1, 1, 1] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x4x!x>
  %6 = nn.slice %4 begin [0, 0, 0, 4] size [1, 2, 2, 4] strides [1, 1, 1, 1] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x4x!x>
  %7 = nn.conv_2d %6, %w : (tensor<1x2x2x4x!x>, tensor<1x1x1x4x!w>) -> tensor<1x2x2x1x!x>
  return %7, %5 : tensor<1x2x2x1x!x>, tensor<1x2x2x4x!x>
}

// No convolution makes a group.
// CHECK-LABEL: func.func @unitOfInputs(
// CHECK: nn.transpose %{{.*}} permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x2x4x!
func.func @unitOfInputs(%x: tensor<1x2x2x4x!x>, %p: tensor<1x2x2x4x!x>) -> (tensor<1x2x2x1x!x>, tensor<1x2x2x4x!x>) {
  %w = nn.constant dense<[[[[5, 6, 7, 8]]]]> : tensor<1x1x1x4xi8> as tensor<1x1x1x4x!w>
  %1 = nn.concatenation %x, %p axis 3 : (tensor<1x2x2x4x!x>, tensor<1x2x2x4x!x>) -> tensor<1x2x2x8x!x>
  %2 = nn.reshape %1 to [1, 2, 2, 2, 4] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x2x4x!x>
  %3 = nn.transpose %2 permutation [0, 1, 2, 4, 3] : (tensor<1x2x2x2x4x!x>) -> tensor<1x2x2x4x2x!x>
  %4 = nn.reshape %3 to [1, 2, 2, 8] : (tensor<1x2x2x4x2x!x>) -> tensor<1x2x2x8x!x>
  %5 = nn.slice %4 begin [0, 0, 0, 0] size [1, 2, 2, 4] strides [1, 1, 1, 1] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x4x!x>
  %6 = nn.slice %4 begin [0, 0, 0, 4] size [1, 2, 2, 4] strides [1, 1, 1, 1] : (tensor<1x2x2x8x!x>) -> tensor<1x2x2x4x!x>
  %7 = nn.conv_2d %6, %w : (tensor<1x2x2x4x!x>, tensor<1x1x1x4x!w>) -> tensor<1x2x2x1x!x>
  return %7, %5 : tensor<1x2x2x1x!x>, tensor<1x2x2x4x!x>
}
