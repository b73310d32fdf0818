// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-merge-axes,canonicalize))" | FileCheck %s

!t = tensor<2x1x3x2x1x2x3x1x2xf32>

// Operations of single elements need one axis, and the reshapes between them vanish.
// CHECK-LABEL: func.func @elements(
func.func @elements(%x: !t, %y: !t) -> !t {
  // CHECK: nn.add %{{.*}}, %{{.*}} activation relu : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xf32>
  // CHECK-NEXT: nn.unary abs %{{.*}} : (tensor<144xf32>) -> tensor<144xf32>
  %0 = nn.add %x, %y activation relu : (!t, !t) -> !t
  %1 = nn.unary abs %0 : (!t) -> !t
  return %1 : !t
}

// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%x: !t, %y: tensor<3x2x1x1x3x1x1xf32>) -> !t {
  // CHECK: nn.mul %{{.*}}, %{{.*}} : (tensor<2x6x2x3x2xf32>, tensor<1x6x1x3x1xf32>) -> tensor<2x6x2x3x2xf32>
  %0 = nn.mul %x, %y : (!t, tensor<3x2x1x1x3x1x1xf32>) -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @select(
func.func @select(%c: tensor<2x1x3x2x1x2x3x1x2xi1>, %x: !t, %y: !t) -> !t {
  // CHECK: nn.select %{{.*}} : (tensor<144xi1>, tensor<144xf32>, tensor<144xf32>) -> tensor<144xf32>
  %0 = nn.select %c, %x, %y : (tensor<2x1x3x2x1x2x3x1x2xi1>, !t, !t) -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @reduce(
func.func @reduce(%x: !t) -> tensor<2x2x1x2x3x1xf32> {
  // CHECK: nn.reduce max %{{.*}} axes [1, 3] : (tensor<2x3x12x2xf32>) -> tensor<2x12xf32>
  %0 = nn.reduce max %x axes [1, 2, 8] : (!t) -> tensor<2x2x1x2x3x1xf32>
  return %0 : tensor<2x2x1x2x3x1xf32>
}

// A reduction of axes with one element is still one, as it may change the scale.
// CHECK-LABEL: func.func @reduceOne(
func.func @reduceOne(%x: !t) -> tensor<2x3x2x1x2x3x1x2xf32> {
  // CHECK: nn.mean %{{.*}} axes [1] : (tensor<2x1x72xf32>) -> tensor<2x72xf32>
  %0 = nn.mean %x axes [1] : (!t) -> tensor<2x3x2x1x2x3x1x2xf32>
  return %0 : tensor<2x3x2x1x2x3x1x2xf32>
}

// CHECK-LABEL: func.func @lines(
func.func @lines(%x: !t) -> (!t, !t, tensor<2x1x3x2x1x2x1x2xi32>, tensor<2x1x3x2x1x2x3x1x1xf32>, tensor<2x1x3x2x1x2x3x1x3xf32>) {
  // CHECK: nn.softmax %{{.*}} axis 1 : (tensor<6x2x12xf32>) -> tensor<6x2x12xf32>
  // CHECK: nn.softmax %{{.*}} : (tensor<72x2xf32>) -> tensor<72x2xf32>
  // CHECK: nn.arg_reduce max %{{.*}} axis 1 : (tensor<24x3x2xf32>) -> tensor<24x2xi32>
  // CHECK: nn.topk_v2 %{{.*}} k 1 last_first : (tensor<72x2xf32>) -> (tensor<72x1xf32>, tensor<72x1xi32>)
  // CHECK: nn.rfft %{{.*}} points 4 : (tensor<72x2xf32>) -> (tensor<72x3xf32>, tensor<72x3xf32>)
  %0 = nn.softmax %x axis 3 : (!t) -> !t
  %1 = nn.softmax %x : (!t) -> !t
  %2 = nn.arg_reduce max %x axis 6 : (!t) -> tensor<2x1x3x2x1x2x1x2xi32>
  %3, %4 = nn.topk_v2 %x k 1 last_first : (!t) -> (tensor<2x1x3x2x1x2x3x1x1xf32>, tensor<2x1x3x2x1x2x3x1x1xi32>)
  %5, %6 = nn.rfft %x points 4 : (!t) -> (tensor<2x1x3x2x1x2x3x1x3xf32>, tensor<2x1x3x2x1x2x3x1x3xf32>)
  return %0, %1, %2, %3, %5 : !t, !t, tensor<2x1x3x2x1x2x1x2xi32>, tensor<2x1x3x2x1x2x3x1x1xf32>, tensor<2x1x3x2x1x2x3x1x3xf32>
}

// CHECK-LABEL: func.func @concatenation(
func.func @concatenation(%x: !t) -> tensor<2x1x6x2x1x2x3x1x2xf32> {
  // CHECK: nn.concatenation %{{.*}}, %{{.*}} axis 1 : (tensor<2x72xf32>, tensor<2x72xf32>) -> tensor<2x144xf32>
  %0 = nn.concatenation %x, %x axis 2 : (!t, !t) -> tensor<2x1x6x2x1x2x3x1x2xf32>
  return %0 : tensor<2x1x6x2x1x2x3x1x2xf32>
}

// CHECK-LABEL: func.func @gather(
func.func @gather(%x: !t, %i: tensor<2x2xi32>) -> tensor<2x1x2x2x2x1x2x3x1x2xf32> {
  // CHECK: nn.gather %{{.*}} at %{{.*}} axis 1 : (tensor<2x3x24xf32>, tensor<4xi32>) -> tensor<2x4x24xf32>
  %0 = nn.gather %x at %i axis 2 : (!t, tensor<2x2xi32>) -> tensor<2x1x2x2x2x1x2x3x1x2xf32>
  return %0 : tensor<2x1x2x2x2x1x2x3x1x2xf32>
}

// CHECK-LABEL: func.func @transpose(
func.func @transpose(%x: !t) -> tensor<2x3x1x2x1x3x1x2x2xf32> {
  // CHECK: nn.transpose %{{.*}} permutation [2, 1, 0] : (tensor<2x6x12xf32>) -> tensor<12x6x2xf32>
  %0 = nn.transpose %x permutation [5, 6, 7, 8, 1, 2, 4, 3, 0] : (!t) -> tensor<2x3x1x2x1x3x1x2x2xf32>
  return %0 : tensor<2x3x1x2x1x3x1x2x2xf32>
}

// CHECK-LABEL: func.func @transposeOnes(
func.func @transposeOnes(%x: tensor<1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1xf32> {
  // CHECK-NOT: nn.transpose
  %0 = nn.transpose %x permutation [8, 7, 6, 5, 4, 3, 2, 1, 0] : (tensor<1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1xf32>
  return %0 : tensor<1x1x1x1x1x1x1x1x1xf32>
}

// One index of an axis, some rows with their elements, and every second element.
// CHECK-LABEL: func.func @slice(
func.func @slice(%x: tensor<2x4x2x3x2x1x5x1x2xf32>) -> tensor<1x2x2x3x2x1x3x1x2xf32> {
  // CHECK: nn.slice %{{.*}} begin [60, 4, 0] size [24, 3, 2] strides [1, -2, 1] : (tensor<96x5x2xf32>) -> tensor<24x3x2xf32>
  %0 = nn.slice %x begin [1, 1, 0, 0, 0, 0, 4, 0, 0] size [1, 2, 2, 3, 2, 1, 3, 1, 2] strides [1, 1, 1, 1, 1, 1, -2, 1, 1] : (tensor<2x4x2x3x2x1x5x1x2xf32>) -> tensor<1x2x2x3x2x1x3x1x2xf32>
  return %0 : tensor<1x2x2x3x2x1x3x1x2xf32>
}

// CHECK-LABEL: func.func @pad(
func.func @pad(%x: !t) -> tensor<2x1x5x2x1x2x3x1x3xf32> {
  // CHECK: nn.pad %{{.*}} low [0, 12, 0] high [0, 12, 1] value 2.000000e+00 : (tensor<2x36x2xf32>) -> tensor<2x60x3xf32>
  %0 = nn.pad %x low [0, 0, 1, 0, 0, 0, 0, 0, 0] high [0, 0, 1, 0, 0, 0, 0, 0, 1] value 2.0 : (!t) -> tensor<2x1x5x2x1x2x3x1x3xf32>
  return %0 : tensor<2x1x5x2x1x2x3x1x3xf32>
}

// Repetitions of one element are repetitions of those after it.
// CHECK-LABEL: func.func @tile(
func.func @tile(%x: !t) -> tensor<2x4x9x2x1x4x3x1x2xf32> {
  // CHECK: nn.tile %{{.*}} multiples [1, 12, 2] : (tensor<2x6x12xf32>) -> tensor<2x72x24xf32>
  %0 = nn.tile %x multiples [1, 4, 3, 1, 1, 2, 1, 1, 1] : (!t) -> tensor<2x4x9x2x1x4x3x1x2xf32>
  return %0 : tensor<2x4x9x2x1x4x3x1x2xf32>
}

// No axes of this transpose can be merged.
// CHECK-LABEL: func.func @reversed(
func.func @reversed(%x: tensor<2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2xf32> {
  // CHECK-NOT: nn.reshape
  // CHECK: nn.transpose %{{.*}} permutation [8, 7, 6, 5, 4, 3, 2, 1, 0] : (tensor<2x2x2x2x2x2x2x2x2xf32>)
  %0 = nn.transpose %x permutation [8, 7, 6, 5, 4, 3, 2, 1, 0] : (tensor<2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2xf32>
  return %0 : tensor<2x2x2x2x2x2x2x2x2xf32>
}

// Ranks that the device has stay as they are.
// CHECK-LABEL: func.func @low(
func.func @low(%x: tensor<1x2x1x2x1x2x1x2xf32>) -> tensor<1x2x1x2x1x2x1x2xf32> {
  // CHECK-NOT: nn.reshape
  // CHECK: nn.unary abs %{{.*}} : (tensor<1x2x1x2x1x2x1x2xf32>)
  %0 = nn.unary abs %x : (tensor<1x2x1x2x1x2x1x2xf32>) -> tensor<1x2x1x2x1x2x1x2xf32>
  return %0 : tensor<1x2x1x2x1x2x1x2xf32>
}
