// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-recognize-operators | FileCheck %s
// RUN: avocet-opt %s --nn-recognize-operators --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] layer_norm | Category:fusion | Choice="instance normalization instead of means, differences and squares"
// REMARK-DAG: [Passed] rms_norm | Category:fusion | Choice="RMS normalization instead of squares, their mean and a root"
// REMARK-DAG: [Failure] rms_norm | Category:fusion | Reason="its axes are not the last ones, nor rows and columns"
// REMARK-DAG: [Failure] layer_norm | Category:fusion | Reason="the root is not that of its own variance"
// REMARK-DAG: [Failure] layer_norm | Category:fusion | Reason="its axes are not the last ones, nor rows and columns"
// REMARK-DAG: [Failure] layer_norm | Category:fusion | Reason="another operation reads the result of one of its steps"
// REMARK-DAG: [Failure] layer_norm | Category:fusion | Reason="each step rounds to a quantized number"

!q = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: func.func @layerNorm(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x8xf32>
// CHECK-NEXT: %[[A:.*]] = nn.reshape %[[X]] to [6, 1, 8, 1] : (tensor<2x3x8xf32>) -> tensor<6x1x8x1xf32>
// CHECK-NEXT: %[[B:.*]] = nn.instance_normalize %[[A]] gamma 1.000000e+00 beta 0.000000e+00 epsilon 9.99999974E-6
// CHECK-NEXT: %[[C:.*]] = nn.reshape %[[B]] to [2, 3, 8] : (tensor<6x1x8x1xf32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[C]]
func.func @layerNorm(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %0 = nn.mean %x axes [2] keep_dims : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %1 = nn.sub %x, %0 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %2 = nn.mul %1, %1 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %3 = nn.mean %2 axes [2] keep_dims : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %4 = nn.add %3, %epsilon : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %5 = nn.unary sqrt %4 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %6 = nn.div %1, %5 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  return %6 : tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @instanceNorm(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4x5xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.instance_normalize %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @instanceNorm(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %0 = nn.mean %x axes [1, 2] keep_dims : (tensor<2x3x4x5xf32>) -> tensor<2x1x1x5xf32>
  %1 = nn.binary squared_difference %0, %x : (tensor<2x1x1x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %2 = nn.mean %1 axes [1, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x5xf32>
  %3 = nn.reshape %2 to [2, 1, 1, 5] : (tensor<2x5xf32>) -> tensor<2x1x1x5xf32>
  %4 = nn.add %epsilon, %3 : (tensor<f32>, tensor<2x1x1x5xf32>) -> tensor<2x1x1x5xf32>
  %5 = nn.unary rsqrt %4 : (tensor<2x1x1x5xf32>) -> tensor<2x1x1x5xf32>
  %6 = nn.sub %x, %0 : (tensor<2x3x4x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x3x4x5xf32>
  %7 = nn.mul %5, %6 : (tensor<2x1x1x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %7 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func.func @sumWithMean(
// CHECK-SAME: %[[X:.*]]: tensor<16x8xf32>
// CHECK: %[[A:.*]] = nn.reshape %[[X]] to [16, 1, 8, 1] : (tensor<16x8xf32>) -> tensor<16x1x8x1xf32>
// CHECK: %[[B:.*]] = nn.instance_normalize %[[A]] gamma 1.000000e+00 beta 0.000000e+00
// CHECK: %[[C:.*]] = nn.depthwise_conv_2d
// CHECK-NEXT: %[[D:.*]] = nn.reshape %[[C]]
// CHECK-NEXT: return %[[D]]
func.func @sumWithMean(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %epsilon = nn.constant dense<1.0e-3> : tensor<f32>
  %gamma = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %beta = nn.constant dense<[8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]> : tensor<8xf32>
  %0 = nn.mean %x axes [1] keep_dims : (tensor<16x8xf32>) -> tensor<16x1xf32>
  %1 = nn.binary squared_difference %x, %0 : (tensor<16x8xf32>, tensor<16x1xf32>) -> tensor<16x8xf32>
  %2 = nn.mean %1 axes [1] keep_dims : (tensor<16x8xf32>) -> tensor<16x1xf32>
  %3 = nn.add %2, %epsilon : (tensor<16x1xf32>, tensor<f32>) -> tensor<16x1xf32>
  %4 = nn.unary rsqrt %3 : (tensor<16x1xf32>) -> tensor<16x1xf32>
  %5 = nn.mul %4, %gamma : (tensor<16x1xf32>, tensor<8xf32>) -> tensor<16x8xf32>
  %6 = nn.mul %x, %5 : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %7 = nn.mul %0, %5 : (tensor<16x1xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %8 = nn.sub %beta, %7 : (tensor<8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %9 = nn.add %6, %8 : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %9 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @otherVariance(
// CHECK-NOT: instance_normalize
// CHECK: return
func.func @otherVariance(%x: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %beta = nn.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %0 = nn.mean %x axes [1] keep_dims : (tensor<6x2xf32>) -> tensor<6x1xf32>
  %1 = nn.unary abs %x : (tensor<6x2xf32>) -> tensor<6x2xf32>
  %2 = nn.mean %1 axes [1] keep_dims : (tensor<6x2xf32>) -> tensor<6x1xf32>
  %3 = nn.unary rsqrt %2 : (tensor<6x1xf32>) -> tensor<6x1xf32>
  %4 = nn.mul %x, %3 : (tensor<6x2xf32>, tensor<6x1xf32>) -> tensor<6x2xf32>
  %5 = nn.mul %0, %3 : (tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x1xf32>
  %6 = nn.sub %beta, %5 : (tensor<2xf32>, tensor<6x1xf32>) -> tensor<6x2xf32>
  %7 = nn.add %4, %6 : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  return %7 : tensor<6x2xf32>
}

// CHECK-LABEL: func.func @rootMeanSquare(
// CHECK-SAME: %[[X:.*]]: tensor<6x8xf32>
// CHECK: %[[Y:.*]] = nn.rms_normalize %[[X]] epsilon 9.99999974E-6
// CHECK-NEXT: return %[[Y]]
func.func @rootMeanSquare(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %0 = nn.unary square %x : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %1 = nn.mean %0 axes [1] keep_dims : (tensor<6x8xf32>) -> tensor<6x1xf32>
  %2 = nn.add %1, %epsilon : (tensor<6x1xf32>, tensor<f32>) -> tensor<6x1xf32>
  %3 = nn.unary rsqrt %2 : (tensor<6x1xf32>) -> tensor<6x1xf32>
  %4 = nn.mul %x, %3 : (tensor<6x8xf32>, tensor<6x1xf32>) -> tensor<6x8xf32>
  return %4 : tensor<6x8xf32>
}

// CHECK-LABEL: func.func @rootMeanSquareOfColumns(
// CHECK-NOT: rms_normalize
// CHECK: return
func.func @rootMeanSquareOfColumns(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = nn.unary square %x : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %1 = nn.mean %0 axes [0] keep_dims : (tensor<6x8xf32>) -> tensor<1x8xf32>
  %2 = nn.unary sqrt %1 : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %3 = nn.div %x, %2 : (tensor<6x8xf32>, tensor<1x8xf32>) -> tensor<6x8xf32>
  return %3 : tensor<6x8xf32>
}

// CHECK-LABEL: func.func @firstAxis(
// CHECK-NOT: instance_normalize
// CHECK: return
func.func @firstAxis(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = nn.mean %x axes [0] keep_dims : (tensor<6x8xf32>) -> tensor<1x8xf32>
  %1 = nn.sub %x, %0 : (tensor<6x8xf32>, tensor<1x8xf32>) -> tensor<6x8xf32>
  %2 = nn.unary square %1 : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %3 = nn.mean %2 axes [0] keep_dims : (tensor<6x8xf32>) -> tensor<1x8xf32>
  %4 = nn.unary sqrt %3 : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %5 = nn.div %1, %4 : (tensor<6x8xf32>, tensor<1x8xf32>) -> tensor<6x8xf32>
  return %5 : tensor<6x8xf32>
}

// CHECK-LABEL: func.func @varianceIsRead(
// CHECK-NOT: instance_normalize
// CHECK: return
func.func @varianceIsRead(%x: tensor<6x8xf32>) -> (tensor<6x1xf32>, tensor<6x8xf32>) {
  %0 = nn.mean %x axes [1] keep_dims : (tensor<6x8xf32>) -> tensor<6x1xf32>
  %1 = nn.sub %x, %0 : (tensor<6x8xf32>, tensor<6x1xf32>) -> tensor<6x8xf32>
  %2 = nn.unary square %1 : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %3 = nn.mean %2 axes [1] keep_dims : (tensor<6x8xf32>) -> tensor<6x1xf32>
  %4 = nn.unary sqrt %3 : (tensor<6x1xf32>) -> tensor<6x1xf32>
  %5 = nn.div %1, %4 : (tensor<6x8xf32>, tensor<6x1xf32>) -> tensor<6x8xf32>
  return %3, %5 : tensor<6x1xf32>, tensor<6x8xf32>
}

// CHECK-LABEL: func.func @quantized(
// CHECK-NOT: instance_normalize
// CHECK: return
func.func @quantized(%x: tensor<6x8x!q>) -> tensor<6x8x!q> {
  %0 = nn.mean %x axes [1] keep_dims : (tensor<6x8x!q>) -> tensor<6x1x!q>
  %1 = nn.sub %x, %0 : (tensor<6x8x!q>, tensor<6x1x!q>) -> tensor<6x8x!q>
  %2 = nn.mul %1, %1 : (tensor<6x8x!q>, tensor<6x8x!q>) -> tensor<6x8x!q>
  %3 = nn.mean %2 axes [1] keep_dims : (tensor<6x8x!q>) -> tensor<6x1x!q>
  %4 = nn.unary rsqrt %3 : (tensor<6x1x!q>) -> tensor<6x1x!q>
  %5 = nn.mul %1, %4 : (tensor<6x8x!q>, tensor<6x1x!q>) -> tensor<6x8x!q>
  return %5 : tensor<6x8x!q>
}
