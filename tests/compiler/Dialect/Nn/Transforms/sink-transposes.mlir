// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-sink-transposes --split-input-file | FileCheck %s

// Each function is in NCHW between two transposes, which the operation lets through.

// CHECK-LABEL: func.func @unary(
func.func @unary(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  // CHECK-NEXT: %[[R:.*]] = nn.unary abs %arg0 : (tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %1 = nn.unary abs %0 : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %2 = nn.transpose %1 permutation [0, 2, 3, 1] : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
  return %2 : tensor<1x4x5x3xf32>
}

// -----

// A constant for each channel: its axes come in the order of the result.
// CHECK-LABEL: func.func @channelConstant(
func.func @channelConstant(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  // CHECK-NEXT: %[[C:.*]] = nn.constant dense<{{\[\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00]]]> : tensor<1x1x3xf32>
  // CHECK-NEXT: %[[R:.*]] = nn.mul %arg0, %[[C]] activation relu : (tensor<1x4x5x3xf32>, tensor<1x1x3xf32>) -> tensor<1x4x5x3xf32>
  // CHECK-NEXT: return %[[R]]
  %c = nn.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %1 = nn.mul %0, %c activation relu : (tensor<1x3x4x5xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x5xf32>
  %2 = nn.transpose %1 permutation [0, 2, 3, 1] : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
  return %2 : tensor<1x4x5x3xf32>
}

// -----

// A constant for each column needs an axis after it.
// CHECK-LABEL: func.func @columnConstant(
func.func @columnConstant(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  // CHECK: %[[C:.*]] = nn.constant {{.*}} : tensor<5x1xf32>
  // CHECK: nn.sub %arg0, %[[C]] : (tensor<1x4x5x3xf32>, tensor<5x1xf32>) -> tensor<1x4x5x3xf32>
  // CHECK-NEXT: return
  %c = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %1 = nn.sub %0, %c : (tensor<1x3x4x5xf32>, tensor<5xf32>) -> tensor<1x3x4x5xf32>
  %2 = nn.transpose %1 permutation [0, 2, 3, 1] : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
  return %2 : tensor<1x4x5x3xf32>
}

// -----

// A computed number for each channel is reshaped, a computed plane is transposed: it is smaller than the image.
// CHECK-LABEL: func.func @computedOperands(
func.func @computedOperands(%x: tensor<1x4x5x3xf32>, %c: tensor<3x1x1xf32>, %p: tensor<3x4x1xf32>) -> tensor<1x4x5x3xf32> {
  // CHECK-NEXT: %[[C:.*]] = nn.reshape %arg1 to [1, 1, 3]
  // CHECK-NEXT: %[[A:.*]] = nn.add %arg0, %[[C]]
  // CHECK-NEXT: %[[P:.*]] = nn.transpose %arg2 permutation [1, 2, 0] : (tensor<3x4x1xf32>) -> tensor<4x1x3xf32>
  // CHECK-NEXT: %[[B:.*]] = nn.binary squared_difference %[[A]], %[[P]]
  // CHECK-NEXT: return %[[B]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %1 = nn.add %0, %c : (tensor<1x3x4x5xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x5xf32>
  %2 = nn.binary squared_difference %1, %p : (tensor<1x3x4x5xf32>, tensor<3x4x1xf32>) -> tensor<1x3x4x5xf32>
  %3 = nn.transpose %2 permutation [0, 2, 3, 1] : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
  return %3 : tensor<1x4x5x3xf32>
}

// -----

// CHECK-LABEL: func.func @truths(
func.func @truths(%x: tensor<1x4x5x3xf32>, %y: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  // CHECK-NEXT: %[[C:.*]] = nn.compare less %arg0, %arg1
  // CHECK-NEXT: %[[S:.*]] = nn.select %[[C]], %arg0, %arg1 : (tensor<1x4x5x3xi1>
  // CHECK-NEXT: %[[M:.*]] = nn.minimum %[[S]], %arg1
  // CHECK-NEXT: return %[[M]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %1 = nn.transpose %y permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %2 = nn.compare less %0, %1 : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xi1>
  %3 = nn.select %2, %0, %1 : (tensor<1x3x4x5xi1>, tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %4 = nn.minimum %3, %1 : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %5 = nn.transpose %4 permutation [0, 2, 3, 1] : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
  return %5 : tensor<1x4x5x3xf32>
}

// -----

!f = !quant.uniform<i8:f32, 0.5:-3>
!g = !quant.uniform<u8:f32, 0.5:125>
!s = !quant.uniform<i8:f32, 3.906250e-03:-128>

// CHECK-LABEL: func.func @quantized(
func.func @quantized(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xi32> {
  // CHECK-NOT: nn.transpose
  // CHECK: nn.quantize %arg0 : (tensor<1x4x5x3xf32>)
  // CHECK-NOT: nn.transpose
  // CHECK: return
  %c = nn.constant dense<[[[1]], [[2]], [[3]]]> : tensor<3x1x1xi8> as tensor<3x1x1x!f>
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %1 = nn.quantize %0 : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5x!f>
  %2 = nn.clamp relu6 %1 : (tensor<1x3x4x5x!f>) -> tensor<1x3x4x5x!f>
  %3 = nn.prelu %2, %c : (tensor<1x3x4x5x!f>, tensor<3x1x1x!f>) -> tensor<1x3x4x5x!f>
  %4 = nn.logistic %3 : (tensor<1x3x4x5x!f>) -> tensor<1x3x4x5x!s>
  %5 = nn.table %4 entries dense<7> : tensor<256xi8> : (tensor<1x3x4x5x!s>) -> tensor<1x3x4x5x!f>
  %6 = nn.bitcast %5 to !g : (tensor<1x3x4x5x!f>) -> tensor<1x3x4x5x!g>
  %7 = nn.rescale %6 numerics double_round [1073741824] >> [38] : (tensor<1x3x4x5x!g>) -> tensor<1x3x4x5x!f>
  %8 = nn.dequantize %7 : (tensor<1x3x4x5x!f>) -> tensor<1x3x4x5xf32>
  %9 = nn.cast %8 : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xi32>
  %10 = nn.transpose %9 permutation [0, 2, 3, 1] : (tensor<1x3x4x5xi32>) -> tensor<1x4x5x3xi32>
  return %10 : tensor<1x4x5x3xi32>
}

// -----

// CHECK-LABEL: func.func @moves(
func.func @moves(%x: tensor<1x4x5x3xf32>) -> tensor<1x6x4x5xf32> {
  // CHECK-NEXT: %[[S:.*]] = nn.slice %arg0 begin [0, 1, 0, 2] size [1, 3, 2, 2] strides [1, 1, 2, -1]
  // CHECK-NEXT: %[[P:.*]] = nn.pad %[[S]] low [0, 0, 0, 1] high [0, 0, 0, 2] value 1.000000e+00
  // CHECK-NEXT: %[[T:.*]] = nn.tile %[[P]] multiples [1, 2, 2, 1]
  // CHECK-NEXT: %[[C:.*]] = nn.concatenation %[[P]], %[[P]] axis 1
  // CHECK-NEXT: %[[A:.*]] = nn.concatenation %[[C]], %[[C]] axis 2
  // CHECK-NEXT: %[[B:.*]] = nn.add %[[T]], %[[A]] : (tensor<1x6x4x5xf32>, tensor<1x6x4x5xf32>)
  // CHECK-NEXT: return %[[B]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %1 = nn.slice %0 begin [0, 2, 1, 0] size [1, 2, 3, 2] strides [1, -1, 1, 2] : (tensor<1x3x4x5xf32>) -> tensor<1x2x3x2xf32>
  %2 = nn.pad %1 low [0, 1, 0, 0] high [0, 2, 0, 0] value 1.0 : (tensor<1x2x3x2xf32>) -> tensor<1x5x3x2xf32>
  %3 = nn.tile %2 multiples [1, 1, 2, 2] : (tensor<1x5x3x2xf32>) -> tensor<1x5x6x4xf32>
  %4 = nn.concatenation %2, %2 axis 2 : (tensor<1x5x3x2xf32>, tensor<1x5x3x2xf32>) -> tensor<1x5x6x2xf32>
  %5 = nn.concatenation %4, %4 axis 3 : (tensor<1x5x6x2xf32>, tensor<1x5x6x2xf32>) -> tensor<1x5x6x4xf32>
  %6 = nn.add %3, %5 : (tensor<1x5x6x4xf32>, tensor<1x5x6x4xf32>) -> tensor<1x5x6x4xf32>
  %7 = nn.transpose %6 permutation [0, 2, 3, 1] : (tensor<1x5x6x4xf32>) -> tensor<1x6x4x5xf32>
  return %7 : tensor<1x6x4x5xf32>
}

// -----

// CHECK-LABEL: func.func @lines(
func.func @lines(%x: tensor<2x4x5x3xf32>) -> tensor<2x4x5x3xf32> {
  // CHECK-NEXT: nn.softmax %arg0 : (tensor<2x4x5x3xf32>)
  // CHECK-NEXT: nn.log_softmax %{{.*}} beta 5.000000e-01 :
  // CHECK-NEXT: nn.l2_normalize %{{.*}} axis 0 :
  // CHECK-NEXT: nn.cumsum %{{.*}} exclusive axis 2 :
  // CHECK-NEXT: nn.rms_normalize %{{.*}} epsilon 1.250000e-01 :
  // CHECK-NEXT: nn.local_response_normalize {{.*}} beta 5.000000e-01 :
  // CHECK-NEXT: return
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  %1 = nn.softmax %0 axis 1 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %2 = nn.log_softmax %1 beta 0.5 axis -3 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %3 = nn.l2_normalize %2 axis 0 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %4 = nn.cumsum %3 exclusive : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %5 = nn.rms_normalize %4 epsilon 0.125 axis 1 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %6 = nn.local_response_normalize %5 radius 2 bias 1.0 alpha 2.0 beta 0.5 axis 1 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %7 = nn.transpose %6 permutation [0, 2, 3, 1] : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
  return %7 : tensor<2x4x5x3xf32>
}

// -----

// Results of reductions keep what is left of the order.
// CHECK-LABEL: func.func @reductions(
func.func @reductions(%x: tensor<2x4x5x3xf32>) -> (tensor<2x3xf32>, tensor<2x4x1x3xf32>, tensor<2x4x5xi32>) {
  // CHECK-NEXT: %[[M:.*]] = nn.mean %arg0 axes [1, 2] : (tensor<2x4x5x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %[[R:.*]] = nn.reduce max %arg0 axes [2] keep_dims : (tensor<2x4x5x3xf32>) -> tensor<2x4x1x3xf32>
  // CHECK-NEXT: %[[A:.*]] = nn.arg_reduce max %arg0 axis 3 : (tensor<2x4x5x3xf32>) -> tensor<2x4x5xi32>
  // CHECK-NEXT: return %[[M]], %[[R]], %[[A]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  %1 = nn.mean %0 axes [2, 3] : (tensor<2x3x4x5xf32>) -> tensor<2x3xf32>
  %2 = nn.reduce max %0 axes [3] keep_dims : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x1xf32>
  %3 = nn.transpose %2 permutation [0, 2, 3, 1] : (tensor<2x3x4x1xf32>) -> tensor<2x4x1x3xf32>
  %4 = nn.arg_reduce max %0 axis 1 : (tensor<2x3x4x5xf32>) -> tensor<2x4x5xi32>
  return %1, %3, %4 : tensor<2x3xf32>, tensor<2x4x1x3xf32>, tensor<2x4x5xi32>
}

// -----

// CHECK-LABEL: func.func @gather(
func.func @gather(%x: tensor<2x4x5x3xf32>, %i: tensor<7xi32>) -> tensor<2x4x5x7xf32> {
  // CHECK-NEXT: %[[G:.*]] = nn.gather %arg0 at %arg1 axis 3
  // CHECK-NEXT: return %[[G]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  %1 = nn.gather %0 at %i axis 1 : (tensor<2x3x4x5xf32>, tensor<7xi32>) -> tensor<2x7x4x5xf32>
  %2 = nn.transpose %1 permutation [0, 2, 3, 1] : (tensor<2x7x4x5xf32>) -> tensor<2x4x5x7xf32>
  return %2 : tensor<2x4x5x7xf32>
}

// -----

// Axes that are divided or joined stay together.
// CHECK-LABEL: func.func @reshapes(
func.func @reshapes(%x: tensor<2x4x5x6xf32>) -> (tensor<2x20x6xf32>, tensor<2x4x5x2x3xf32>, tensor<2x4x1x5x6xf32>) {
  // CHECK-DAG: %[[A:.*]] = nn.reshape %arg0 to [2, 20, 6]
  // CHECK-DAG: %[[B:.*]] = nn.reshape %arg0 to [2, 4, 5, 2, 3]
  // CHECK-DAG: %[[C:.*]] = nn.reshape %arg0 to [2, 4, 1, 5, 6]
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<2x4x5x6xf32>) -> tensor<2x6x4x5xf32>
  %1 = nn.reshape %0 to [2, 6, 20] : (tensor<2x6x4x5xf32>) -> tensor<2x6x20xf32>
  %2 = nn.transpose %1 permutation [0, 2, 1] : (tensor<2x6x20xf32>) -> tensor<2x20x6xf32>
  %3 = nn.reshape %0 to [2, 2, 3, 4, 5] : (tensor<2x6x4x5xf32>) -> tensor<2x2x3x4x5xf32>
  %4 = nn.transpose %3 permutation [0, 3, 4, 1, 2] : (tensor<2x2x3x4x5xf32>) -> tensor<2x4x5x2x3xf32>
  %5 = nn.reshape %0 to [2, 6, 4, 1, 5] : (tensor<2x6x4x5xf32>) -> tensor<2x6x4x1x5xf32>
  %6 = nn.transpose %5 permutation [0, 2, 3, 4, 1] : (tensor<2x6x4x1x5xf32>) -> tensor<2x4x1x5x6xf32>
  return %2, %4, %6 : tensor<2x20x6xf32>, tensor<2x4x5x2x3xf32>, tensor<2x4x1x5x6xf32>
}

// -----

// Rows of a matrix product can have any order, and so can the matrices.
// CHECK-LABEL: func.func @matrices(
func.func @matrices(%x: tensor<2x4x5x6xf32>, %y: tensor<4x6x5xf32>, %w: tensor<3x5xf32>) -> tensor<2x4x5x3xf32> {
  // CHECK: nn.batch_matmul %arg0, %{{.*}} : (tensor<2x4x5x6xf32>, {{.*}}) -> tensor<2x4x5x5xf32>
  // CHECK-NEXT: %[[F:.*]] = nn.fully_connected %{{.*}}, %arg2 keep_dims : (tensor<2x4x5x5xf32>
  // CHECK-NEXT: return %[[F]]
  %0 = nn.transpose %x permutation [1, 0, 2, 3] : (tensor<2x4x5x6xf32>) -> tensor<4x2x5x6xf32>
  %1 = nn.reshape %y to [4, 1, 6, 5] : (tensor<4x6x5xf32>) -> tensor<4x1x6x5xf32>
  %2 = nn.batch_matmul %0, %1 : (tensor<4x2x5x6xf32>, tensor<4x1x6x5xf32>) -> tensor<4x2x5x5xf32>
  %3 = nn.fully_connected %2, %w keep_dims : (tensor<4x2x5x5xf32>, tensor<3x5xf32>) -> tensor<4x2x5x3xf32>
  %4 = nn.transpose %3 permutation [1, 0, 2, 3] : (tensor<4x2x5x3xf32>) -> tensor<2x4x5x3xf32>
  return %4 : tensor<2x4x5x3xf32>
}

// -----

// An exchange of rows and columns becomes a flag. The left one has another reader, and is copied once, not twice.
// CHECK-LABEL: func.func @flags(
func.func @flags(%x: tensor<2x6x4xf32>, %y: tensor<2x5x6xf32>, %z: tensor<2x5x6xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x6xf32>) {
  // CHECK: %[[T:.*]] = nn.transpose %arg0
  // CHECK: nn.batch_matmul %[[T]], %arg1 transpose_rhs :
  // CHECK: nn.batch_matmul %[[T]], %arg2 transpose_rhs :
  %0 = nn.transpose %x permutation [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = nn.transpose %y permutation [0, 2, 1] : (tensor<2x5x6xf32>) -> tensor<2x6x5xf32>
  %2 = nn.batch_matmul %0, %1 : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  %3 = nn.transpose %z permutation [0, 2, 1] : (tensor<2x5x6xf32>) -> tensor<2x6x5xf32>
  %4 = nn.batch_matmul %0, %3 : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %2, %4, %0 : tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x6xf32>
}

// -----

// CHECK-LABEL: func.func @leftFlag(
func.func @leftFlag(%x: tensor<2x6x4xf32>, %y: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  // CHECK-NEXT: nn.batch_matmul %arg0, %arg1 transpose_lhs :
  %0 = nn.transpose %x permutation [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = nn.batch_matmul %0, %y : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %1 : tensor<2x4x5xf32>
}

// -----

// CHECK-LABEL: func.func @lastOnes(
func.func @lastOnes(%x: tensor<4x2x6xf32>) -> (tensor<4x2x3xf32>, tensor<4x2x3xi32>) {
  // CHECK-NEXT: %[[V:.*]], %[[I:.*]] = nn.topk_v2 %arg0 k 3
  // CHECK-NEXT: return %[[V]], %[[I]]
  %0 = nn.transpose %x permutation [1, 0, 2] : (tensor<4x2x6xf32>) -> tensor<2x4x6xf32>
  %v, %i = nn.topk_v2 %0 k 3 : (tensor<2x4x6xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xi32>)
  %1 = nn.transpose %v permutation [1, 0, 2] : (tensor<2x4x3xf32>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %i permutation [1, 0, 2] : (tensor<2x4x3xi32>) -> tensor<4x2x3xi32>
  return %1, %2 : tensor<4x2x3xf32>, tensor<4x2x3xi32>
}
