// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file -verify-diagnostics --convert-tosa-to-nn

// The error conditions of the specification that the types do not exclude, of operators that move elements, and of branches. Most are those of
// MLIR's verifiers and of tosa-validate.

// CONCAT: axis outside of the rank.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x4xi8> {
  // expected-error @+1 {{'tosa.concat' op expect axis to be within range 0 < axis < rank(input1[firstRankedTensorIdx]), got 2}}
  %0 = tosa.concat %x, %x {axis = 2 : i32} : (tensor<4x2xi8>, tensor<4x2xi8>) -> tensor<4x4xi8>
  return %0 : tensor<4x4xi8>
}

// -----

// CONCAT: extents beside the axis.
func.func @main(%x: tensor<4x2xi8>, %y: tensor<3x2xi8>) -> tensor<4x4xi8> {
  // expected-error @+1 {{'tosa.concat' op expect all operand shapes to have the same sizes on non-axis dimensions, but got 3 vs 4 at in}}
  %0 = tosa.concat %x, %y {axis = 1 : i32} : (tensor<4x2xi8>, tensor<3x2xi8>) -> tensor<4x4xi8>
  return %0 : tensor<4x4xi8>
}

// -----

// CONCAT: sum of the extents.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x5xi8> {
  // expected-error @+1 {{'tosa.concat' op requires sum of axis dimensions of input1 equal to output axis dimension, got 4 and 5}}
  %0 = tosa.concat %x, %x {axis = 1 : i32} : (tensor<4x2xi8>, tensor<4x2xi8>) -> tensor<4x5xi8>
  return %0 : tensor<4x5xi8>
}

// -----

// PAD: negative padding.
func.func @main(%x: tensor<4x2xi8>) -> tensor<3x2xi8> {
  %p = tosa.const_shape {values = dense<[0, -1, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.pad is not supported: padding must be not negative, found -1}}
  %0 = tosa.pad %x, %p, %z : (tensor<4x2xi8>, !tosa.shape<4>, tensor<1xi8>) -> tensor<3x2xi8>
  return %0 : tensor<3x2xi8>
}

// -----

// PAD: extents of the result.
func.func @main(%x: tensor<4x2xi8>) -> tensor<6x2xi8> {
  %p = tosa.const_shape {values = dense<[0, 1, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.pad' op mismatch in output shape at dimension 0: expected 4 + 0 + 1 = 5, but got 6}}
  %0 = tosa.pad %x, %p, %z : (tensor<4x2xi8>, !tosa.shape<4>, tensor<1xi8>) -> tensor<6x2xi8>
  return %0 : tensor<6x2xi8>
}

// -----

// RESHAPE: number of elements.
func.func @main(%x: tensor<4x2xi8>) -> tensor<3x3xi8> {
  %p = tosa.const_shape {values = dense<[3, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{'tosa.reshape' op cannot reshape 8 elements into 9}}
  %0 = tosa.reshape %x, %p : (tensor<4x2xi8>, !tosa.shape<2>) -> tensor<3x3xi8>
  return %0 : tensor<3x3xi8>
}

// -----

// REVERSE: axis outside of the rank.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  // expected-error @+1 {{'tosa.reverse' op expect input tensor rank (2) to be larger than reverse axis (2)}}
  %0 = tosa.reverse %x {axis = 2 : i32} : (tensor<4x2xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// SLICE: negative start.
func.func @main(%x: tensor<4x2xi8>) -> tensor<2x2xi8> {
  %a = tosa.const_shape {values = dense<[-1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{operation tosa.slice starts at -1 with 2 elements on an axis of 4}}
  %0 = tosa.slice %x, %a, %s : (tensor<4x2xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// -----

// SLICE: end outside of the axis.
func.func @main(%x: tensor<4x2xi8>) -> tensor<2x2xi8> {
  %a = tosa.const_shape {values = dense<[3, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{operation tosa.slice starts at 3 with 2 elements on an axis of 4}}
  %0 = tosa.slice %x, %a, %s : (tensor<4x2xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// -----

// TILE: extents of the result.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x3xi8> {
  %m = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{operation tosa.tile has a result of shape [4, 3], its operands give [4, 4]}}
  %0 = tosa.tile %x, %m : (tensor<4x2xi8>, !tosa.shape<2>) -> tensor<4x3xi8>
  return %0 : tensor<4x3xi8>
}

// -----

// TRANSPOSE: an axis twice.
func.func @main(%x: tensor<4x2xi8>) -> tensor<2x2xi8> {
  // expected-error @+1 {{'tosa.transpose' op expected valid permutation indices}}
  %0 = tosa.transpose %x {perms = array<i32: 1, 1>} : (tensor<4x2xi8>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// -----

// TRANSPOSE: extents of the result.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  // expected-error @+1 {{'tosa.transpose' op expected output tensor dim 0 to match input dim 1 with value of 2}}
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<4x2xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// GATHER: batches.
func.func @main(%x: tensor<2x4x3xi8>, %i: tensor<1x5xi32>) -> tensor<2x5x3xi8> {
  // expected-error @+1 {{'tosa.gather' op requires indices dimension 0 to have size 2, got 1}}
  %0 = tosa.gather %x, %i : (tensor<2x4x3xi8>, tensor<1x5xi32>) -> tensor<2x5x3xi8>
  return %0 : tensor<2x5x3xi8>
}

// -----

// SCATTER: more slices than places.
func.func @main(%x: tensor<1x4x3xi8>, %i: tensor<1x5xi32>, %u: tensor<1x5x3xi8>) -> tensor<1x4x3xi8> {
  // expected-error @+1 {{'tosa.scatter' op requires dimensions K >= W, got K=4 and W=5}}
  %0 = tosa.scatter %x, %i, %u : (tensor<1x4x3xi8>, tensor<1x5xi32>, tensor<1x5x3xi8>) -> tensor<1x4x3xi8>
  return %0 : tensor<1x4x3xi8>
}

// -----

// RESIZE: scale below 1.
func.func @main(%x: tensor<1x4x4x1xi8>) -> tensor<1x4x4x1xi8> {
  %s = tosa.const_shape {values = dense<[0, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{'tosa.resize' op expect all scale values to be > 0, got 0, 1, 1, 1}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x4x1xi8>
  return %0 : tensor<1x4x4x1xi8>
}

// -----

// RESIZE: rows of the result.
func.func @main(%x: tensor<1x4x4x1xi8>) -> tensor<1x7x8x1xi8> {
  %s = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{'tosa.resize' op calculated output height did not match expected: calculated=8, expected=7}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x7x8x1xi8>
  return %0 : tensor<1x7x8x1xi8>
}

// -----

// RESIZE: offset below the numerator.
func.func @main(%x: tensor<1x4x4x1xi8>) -> tensor<1x8x8x1xi8> {
  %s = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-3, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[-2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{operation tosa.resize has the offset -3, must be -2 to 31}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x1xi8>
  return %0 : tensor<1x8x8x1xi8>
}

// -----

// RESIZE: a rest after the last row.
func.func @main(%x: tensor<1x4x4x1xi8>) -> tensor<1x2x8x1xi8> {
  %s = tosa.const_shape {values = dense<[2, 3, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[-1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{'tosa.resize' op expected (input_height - 1) * scale_y_n - offset_y + border_y to be wholly divisible by scale}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2x8x1xi8>
  return %0 : tensor<1x2x8x1xi8>
}

// -----

// COND_IF: condition of several elements.
func.func @main(%c: tensor<2xi1>, %x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error @+1 {{'tosa.cond_if' op 'condition' must be a size 1 tensor, got 'tensor<2xi1>'}}
  %0 = tosa.cond_if %c (%a = %x) : tensor<2xi1> (tensor<4xi8>) -> tensor<4xi8> {
  ^bb0(%a: tensor<4xi8>):
    tosa.yield %a : tensor<4xi8>
  } else {
  ^bb0(%a: tensor<4xi8>):
    tosa.yield %a : tensor<4xi8>
  }
  return %0 : tensor<4xi8>
}
