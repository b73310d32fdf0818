// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-sink-transposes --split-input-file | FileCheck %s
// RUN: avocet-opt %s --nn-sink-transposes --nn-sink-transposes --split-input-file | FileCheck %s
// RUN: avocet-opt %s --nn-sink-transposes --split-input-file --remarks-filter=fusion 2>&1 | FileCheck %s --check-prefix=REMARK

// Where transposes are when they cannot all vanish: where they move the fewest bytes.

!i8 = !quant.uniform<i8:f32, 0.5:-3>

// The image is transposed when its elements have one byte.
// CHECK-LABEL: func.func @afterQuantize(
// REMARK: [Failure] layout {{.*}} Reason="elsewhere than between nn.quantize and nn.max_pool_2d as many bytes or more would be transposed"
func.func @afterQuantize(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x4x3x!i8> {
  // CHECK-NEXT: %[[Q:.*]] = nn.quantize %arg0
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[Q]] permutation [0, 2, 3, 1]
  // CHECK-NEXT: nn.max_pool_2d %[[T]]
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  %1 = nn.quantize %0 : (tensor<1x8x8x3xf32>) -> tensor<1x8x8x3x!i8>
  %2 = nn.max_pool_2d %1 kernel [2, 2] stride [2, 2] : (tensor<1x8x8x3x!i8>) -> tensor<1x4x4x3x!i8>
  return %2 : tensor<1x4x4x3x!i8>
}

// -----

// Before the tile there are fewer elements.
// CHECK-LABEL: func.func @beforeTile(
// REMARK: Reason="an input and nn.tile have different layouts"
func.func @beforeTile(%x: tensor<1x3x8x8xf32>) -> tensor<1x8x32x3xf32> {
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %arg0
  // CHECK-NEXT: nn.tile %[[T]] multiples [1, 1, 4, 1]
  // CHECK-NEXT: return
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  %1 = nn.tile %0 multiples [1, 1, 4, 1] : (tensor<1x8x8x3xf32>) -> tensor<1x8x32x3xf32>
  return %1 : tensor<1x8x32x3xf32>
}

// -----

// After the tile it moves above it.
// CHECK-LABEL: func.func @aboveTile(
func.func @aboveTile(%x: tensor<1x3x8x8xf32>) -> tensor<1x8x32x3xf32> {
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %arg0
  // CHECK-NEXT: nn.tile %[[T]] multiples [1, 1, 4, 1]
  // CHECK-NEXT: return
  %0 = nn.tile %x multiples [1, 1, 1, 4] : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x32xf32>
  %1 = nn.transpose %0 permutation [0, 2, 3, 1] : (tensor<1x3x8x32xf32>) -> tensor<1x8x32x3xf32>
  return %1 : tensor<1x8x32x3xf32>
}

// -----

// Of three readers, two have channels last.
// CHECK-LABEL: func.func @readersDiffer(
func.func @readersDiffer(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x8x8xf32>) {
  // CHECK-NEXT: %[[A:.*]] = nn.unary abs %arg0
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[A]] permutation [0, 3, 1, 2]
  // CHECK-NEXT: nn.max_pool_2d %[[A]]
  // CHECK-NEXT: nn.average_pool_2d %[[A]]
  // CHECK-NEXT: return %{{.*}}, %{{.*}}, %[[T]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  %1 = nn.unary abs %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = nn.transpose %1 permutation [0, 2, 3, 1] : (tensor<1x4x8x8xf32>) -> tensor<1x8x8x4xf32>
  %3 = nn.max_pool_2d %2 kernel [2, 2] stride [2, 2] : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  %4 = nn.average_pool_2d %2 kernel [2, 2] stride [2, 2] : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  return %3, %4, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x8x8xf32>
}

// -----

// Nothing is gained: two images come, and one goes.
// CHECK-LABEL: func.func @stays(
// REMARK: Reason="a result of the network has another layout than nn.add"
func.func @stays(%x: tensor<1x8x8x4xf32>, %y: tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = nn.add %arg0, %arg1
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[A]]
  // CHECK-NEXT: return %[[T]]
  %0 = nn.add %x, %y : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %1 = nn.transpose %0 permutation [0, 3, 1, 2] : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// -----

// One transpose of a sum instead of two of its terms.
// CHECK-LABEL: func.func @afterSum(
func.func @afterSum(%x: tensor<1x8x8x4xf32>, %y: tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = nn.add %arg0, %arg1
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[A]]
  // CHECK-NEXT: return %[[T]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  %1 = nn.transpose %y permutation [0, 3, 1, 2] : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  %2 = nn.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// -----

// Of as many bytes, a relu is beside the layer that can take it.
// CHECK-LABEL: func.func @besideLayer(
func.func @besideLayer(%x: tensor<1x8x8x4xf32>, %w: tensor<2x1x1x4xf32>) -> tensor<1x2x8x8xf32> {
  // CHECK-NEXT: %[[C:.*]] = nn.conv_2d %arg0, %arg1
  // CHECK-NEXT: %[[R:.*]] = nn.clamp relu %[[C]]
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[R]]
  // CHECK-NEXT: return %[[T]]
  %0 = nn.conv_2d %x, %w : (tensor<1x8x8x4xf32>, tensor<2x1x1x4xf32>) -> tensor<1x8x8x2xf32>
  %1 = nn.transpose %0 permutation [0, 3, 1, 2] : (tensor<1x8x8x2xf32>) -> tensor<1x2x8x8xf32>
  %2 = nn.clamp relu %1 : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  return %2 : tensor<1x2x8x8xf32>
}

// -----

// A function along the last axis stays one: across lines it would take longer.
// CHECK-LABEL: func.func @alongLastAxis(
func.func @alongLastAxis(%x: tensor<1x3x8x8xf32>) -> tensor<1x8x32x3xf32> {
  // CHECK: nn.softmax %{{.*}} : (tensor<1x8x32x3xf32>)
  %0 = nn.tile %x multiples [1, 1, 1, 4] : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x32xf32>
  %1 = nn.transpose %0 permutation [0, 2, 3, 1] : (tensor<1x3x8x32xf32>) -> tensor<1x8x32x3xf32>
  %2 = nn.softmax %1 : (tensor<1x8x32x3xf32>) -> tensor<1x8x32x3xf32>
  return %2 : tensor<1x8x32x3xf32>
}

// -----

// Transposes of a constant are other constants, a large one as well. The own form stays where it is read.
// CHECK-LABEL: func.func @constants(
func.func @constants(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x2xf32>) {
  // CHECK-DAG: %[[C:.*]] = nn.constant dense<{{.*}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
  // CHECK-DAG: %[[D:.*]] = nn.constant dense<{{.*}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
  // CHECK-DAG: %[[S:.*]] = nn.constant dense<7.000000e+00> : tensor<3x2xf32>
  // CHECK-NEXT: return %[[D]], %[[C]], %[[S]]
  %c = nn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %s = nn.constant dense<7.0> : tensor<2x3xf32>
  %0 = nn.transpose %c permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = nn.transpose %s permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0, %c, %1 : tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func.func @storedConstant(
func.func @storedConstant() -> tensor<3x2xi8> {
  // CHECK-NEXT: %[[C:.*]] = nn.constant dense_resource<stored_1> : tensor<3x2xi8>
  // CHECK-NEXT: return %[[C]]
  %c = nn.constant dense_resource<stored> : tensor<2x3xi8>
  %0 = nn.transpose %c permutation [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %0 : tensor<3x2xi8>
}

// CHECK: stored_1: "0x10000000010402050306"
{-#
  dialect_resources: {
    builtin: {
      stored: "0x10000000010203040506"
    }
  }
#-}

// -----

// Chains are one transpose, and axes of extent 1 need none.
// CHECK-LABEL: func.func @chains(
func.func @chains(%x: tensor<2x3x4x1xf32>) -> (tensor<4x2x3x1xf32>, tensor<2x3x4x1xf32>, tensor<1x2x3x4xf32>) {
  // CHECK-DAG: %[[T:.*]] = nn.transpose %arg0 permutation [2, 0, 1, 3]
  // CHECK-DAG: %[[R:.*]] = nn.reshape %arg0 to [1, 2, 3, 4]
  // CHECK-NEXT: return %[[T]], %arg0, %[[R]]
  %0 = nn.transpose %x permutation [1, 2, 0, 3] : (tensor<2x3x4x1xf32>) -> tensor<3x4x2x1xf32>
  %1 = nn.transpose %0 permutation [1, 2, 0, 3] : (tensor<3x4x2x1xf32>) -> tensor<4x2x3x1xf32>
  %2 = nn.transpose %0 permutation [2, 0, 1, 3] : (tensor<3x4x2x1xf32>) -> tensor<2x3x4x1xf32>
  %3 = nn.transpose %0 permutation [3, 2, 0, 1] : (tensor<3x4x2x1xf32>) -> tensor<1x2x3x4xf32>
  return %1, %2, %3 : tensor<4x2x3x1xf32>, tensor<2x3x4x1xf32>, tensor<1x2x3x4xf32>
}

// -----

// Operations that mix axes, or that need the last one, keep their layout.
// CHECK-LABEL: func.func @obstacles(
func.func @obstacles(%x: tensor<2x4x6xf32>, %i: tensor<3x5xi32>) -> (tensor<6x8xf32>, tensor<6x2x3xf32>, tensor<6x3x5x4xf32>) {
  // CHECK-COUNT-4: nn.transpose
  %0 = nn.transpose %x permutation [2, 0, 1] : (tensor<2x4x6xf32>) -> tensor<6x2x4xf32>
  %1 = nn.reshape %0 to [2, 6, 4] : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
  %2 = nn.transpose %1 permutation [1, 0, 2] : (tensor<2x6x4xf32>) -> tensor<6x2x4xf32>
  %3 = nn.reshape %2 to [6, 8] : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
  %4, %5 = nn.topk_v2 %0 k 3 : (tensor<6x2x4xf32>) -> (tensor<6x2x3xf32>, tensor<6x2x3xi32>)
  %6 = nn.transpose %x permutation [2, 1, 0] : (tensor<2x4x6xf32>) -> tensor<6x4x2xf32>
  %7 = nn.gather %6 at %i axis 2 : (tensor<6x4x2xf32>, tensor<3x5xi32>) -> tensor<6x4x3x5xf32>
  %8 = nn.transpose %7 permutation [0, 2, 3, 1] : (tensor<6x4x3x5xf32>) -> tensor<6x3x5x4xf32>
  return %3, %4, %8 : tensor<6x8xf32>, tensor<6x2x3xf32>, tensor<6x3x5x4xf32>
}

// -----

!q = !quant.uniform<i8:f32, 1.0:-3>
!c = !quant.uniform<i8:f32:3, {0.5, 0.25, 1.0}>

// Multipliers for each element of the last axis: it stays the last. So do scales of an axis, which have no other place.
// CHECK-LABEL: func.func @channels(
func.func @channels(%x: tensor<2x5x3xi32>, %y: tensor<3x5x2xi32>) -> (tensor<2x5x3x!q>, tensor<3x5x2x!q>, tensor<2x3xf32>) {
  // CHECK: nn.rescale %arg0
  // CHECK: nn.transpose %arg1 permutation [2, 1, 0]
  // CHECK: nn.rescale
  // CHECK: nn.transpose
  // CHECK: nn.cast
  // CHECK: nn.transpose
  %0 = nn.transpose %x permutation [1, 0, 2] : (tensor<2x5x3xi32>) -> tensor<5x2x3xi32>
  %1 = nn.rescale %0 numerics double_round [1073741824, 1518500250, 1073741824] >> [38, 37, 38] : (tensor<5x2x3xi32>) -> tensor<5x2x3x!q>
  %2 = nn.transpose %1 permutation [1, 0, 2] : (tensor<5x2x3x!q>) -> tensor<2x5x3x!q>
  %3 = nn.transpose %y permutation [2, 1, 0] : (tensor<3x5x2xi32>) -> tensor<2x5x3xi32>
  %4 = nn.rescale %3 numerics double_round [1073741824, 1518500250, 1073741824] >> [38, 37, 38] : (tensor<2x5x3xi32>) -> tensor<2x5x3x!q>
  %5 = nn.transpose %4 permutation [2, 1, 0] : (tensor<2x5x3x!q>) -> tensor<3x5x2x!q>
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> as tensor<3x2x!c>
  %6 = nn.cast %w : (tensor<3x2x!c>) -> tensor<3x2xf32>
  %7 = nn.transpose %6 permutation [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %2, %5, %7 : tensor<2x5x3x!q>, tensor<3x5x2x!q>, tensor<2x3xf32>
}

// -----

// Branches and loops read and yield what the network says; inside of them transposes vanish.
// CHECK-LABEL: func.func @branches(
// REMARK: [Passed] layout {{.*}} Choice="its axes are in the order [1, 0]"
// REMARK: Reason="elsewhere than between nn.if and nn.unary as many bytes or more would be transposed"
func.func @branches(%c: tensor<1xi1>, %x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[T:.*]] = nn.transpose %arg1 permutation [1, 0]
  // CHECK: %[[I:.*]] = nn.if %arg0
  // CHECK-NEXT: %[[A:.*]] = nn.unary abs %[[T]]
  // CHECK-NEXT: nn.yield %[[A]]
  // CHECK: else
  // CHECK: nn.yield %[[T]]
  // CHECK: %[[U:.*]] = nn.transpose %[[I]] permutation [1, 0]
  // CHECK-NEXT: %[[N:.*]] = nn.unary neg %[[U]]
  // CHECK-NEXT: return %[[N]]
  %0 = nn.transpose %x permutation [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %1 = nn.if %c : (tensor<1xi1>) -> tensor<3x4xf32> {
    %2 = nn.transpose %0 permutation [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %3 = nn.unary abs %2 : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %4 = nn.transpose %3 permutation [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    nn.yield %4 : tensor<3x4xf32>
  } else {
    nn.yield %0 : tensor<3x4xf32>
  }
  %5 = nn.transpose %1 permutation [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %6 = nn.unary neg %5 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %6 : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func.func @loop(
func.func @loop(%x: tensor<4x3xf32>, %limit: tensor<1x1xf32>) -> tensor<3x4xf32> {
  // CHECK: nn.while
  // CHECK: do {
  // CHECK: ^bb0(%[[A:.*]]: tensor<4x3xf32>):
  // CHECK-NEXT: %[[S:.*]] = nn.add %[[A]], %[[A]]
  // CHECK-NEXT: nn.yield %[[S]]
  // CHECK: nn.transpose
  %0 = nn.while %x : (tensor<4x3xf32>) -> tensor<4x3xf32> while {
  ^bb0(%a: tensor<4x3xf32>):
    %1 = nn.reduce max %a axes [0, 1] keep_dims : (tensor<4x3xf32>) -> tensor<1x1xf32>
    %2 = nn.compare less %1, %limit : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %3 = nn.reshape %2 to [1] : (tensor<1x1xi1>) -> tensor<1xi1>
    nn.yield %3 : tensor<1xi1>
  } do {
  ^bb0(%a: tensor<4x3xf32>):
    %4 = nn.transpose %a permutation [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %5 = nn.add %4, %4 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %6 = nn.transpose %5 permutation [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    nn.yield %6 : tensor<4x3xf32>
  }
  %7 = nn.transpose %0 permutation [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return %7 : tensor<3x4xf32>
}
