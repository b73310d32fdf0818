// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-tosa-to-nn | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3x4xi8>) -> tensor<4x5xi8> {
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %arg0 permutation [2, 0, 1]
  %0 = tosa.transpose %x {perms = array<i32: 2, 0, 1>} : (tensor<2x3x4xi8>) -> tensor<4x2x3xi8>
  %shape = tosa.const_shape {values = dense<[4, 6]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[T]] to [4, 6]
  %1 = tosa.reshape %0, %shape : (tensor<4x2x3xi8>, !tosa.shape<2>) -> tensor<4x6xi8>
  %start = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = tosa.const_shape {values = dense<[4, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // CHECK-NEXT: %[[S:.*]] = nn.slice %[[R]] begin [0, 1] size [4, 5] strides [1, 1]
  %2 = tosa.slice %1, %start, %size : (tensor<4x6xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<4x5xi8>
  // CHECK-NEXT: return %[[S]]
  return %2 : tensor<4x5xi8>
}

// -----

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %padding = tosa.const_shape {values = dense<[1, 1, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %value = "tosa.const"() <{values = dense<2.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  // CHECK-NEXT: %[[P:.*]] = nn.pad %arg0 low [1, 0] high [1, 0] value 2.5
  %0 = tosa.pad %x, %padding, %value : (tensor<2x3xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<4x3xf32>
  // CHECK-NEXT: return %[[P]]
  return %0 : tensor<4x3xf32>
}

// -----

// Shapes may be computed from static extents.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<6x4xf32>) -> tensor<8x3xf32> {
  %rows = tosa.dim %x {axis = 0 : i32} : (tensor<6x4xf32>) -> !tosa.shape<1>
  %columns = tosa.dim %x {axis = 1 : i32} : (tensor<6x4xf32>) -> !tosa.shape<1>
  %two = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %half = tosa.div_floor_shape %rows, %two : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %twice = tosa.mul_shape %columns, %two : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %shape = tosa.concat_shape %twice, %half : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  // CHECK-NEXT: nn.reshape %arg0 to [8, 3]
  %0 = tosa.reshape %x, %shape : (tensor<6x4xf32>, !tosa.shape<2>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

// Writers leave constants of arith and slices of tensor between the operations of TOSA.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4x4xi32>) -> tensor<2x4xi32> {
  // CHECK-NEXT: %[[C:.*]] = nn.constant dense<7>
  %c = arith.constant dense<7> : tensor<1x4xi32>
  // CHECK-NEXT: %[[S:.*]] = nn.slice %arg0 begin [0, 0] size [2, 4] strides [2, 1]
  %0 = tensor.extract_slice %x[0, 0] [2, 4] [2, 1] : tensor<4x4xi32> to tensor<2x4xi32>
  // CHECK: nn.add %{{.*}}, %[[C]]
  %1 = tosa.add %0, %c : (tensor<2x4xi32>, tensor<1x4xi32>) -> tensor<2x4xi32>
  return %1 : tensor<2x4xi32>
}
