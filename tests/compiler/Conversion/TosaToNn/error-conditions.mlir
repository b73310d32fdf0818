// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file -verify-diagnostics --convert-tosa-to-nn

// The error conditions of the specification that the types do not exclude, each with its operator. Most are those of
// MLIR's verifiers and of tosa-validate.

// ARGMAX: axis outside of the rank.
func.func @main(%x: tensor<2x3xi8>) -> tensor<2xi32> {
  // expected-error @+1 {{'tosa.argmax' op specified axis is outside the rank of the tensor}}
  %0 = tosa.argmax %x {axis = 2 : i32} : (tensor<2x3xi8>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// ARGMAX: shape of the result.
func.func @main(%x: tensor<2x3xi8>) -> tensor<3xi32> {
  // expected-error @+1 {{'tosa.argmax' op expected output shape '2', got '3'}}
  %0 = tosa.argmax %x {axis = 1 : i32} : (tensor<2x3xi8>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// AVG_POOL2D: kernel below 1.
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x4x4x3xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.avg_pool2d' op expect all kernel values to be >= 1, got 0, 1}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 0, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x3xi8>
  return %0 : tensor<1x4x4x3xi8>
}

// -----

// AVG_POOL2D: stride below 1.
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x4x4x3xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.avg_pool2d' op expect all stride values to be >= 1, got 0, 1}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 1, 1>, stride = array<i64: 0, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x3xi8>
  return %0 : tensor<1x4x4x3xi8>
}

// -----

// AVG_POOL2D: negative padding.
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x2x3x3xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.avg_pool2d' op expect all padding values to be >= 0, got -1, 0, 0, 0}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: -1, 0, 0, 0>} : (tensor<1x4x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x3xi8>
  return %0 : tensor<1x2x3x3xi8>
}

// -----

// AVG_POOL2D: padding of a kernel.
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x5x3x3xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.avg_pool2d' op expected top/bottom padding to be less than the height of the kernel, got pad_top=2, pad_}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: 2, 0, 0, 0>} : (tensor<1x4x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x5x3x3xi8>
  return %0 : tensor<1x5x3x3xi8>
}

// -----

// AVG_POOL2D: a rest after the last window.
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x1x3x3xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.avg_pool2d' op expected input_height + pad_top + pad_bottom - kernel_y to be wholly divisible by stride_}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 2, 2>, stride = array<i64: 3, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x3x3xi8>
  return %0 : tensor<1x1x3x3xi8>
}

// -----

// AVG_POOL2D: rows of the result.
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x2x3x3xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.avg_pool2d' op calculated output height did not match expected: calculated=3, expected=2}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x3xi8>
  return %0 : tensor<1x2x3x3xi8>
}

// -----

// MAX_POOL2D: padding of a kernel.
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x3x5x3xi8> {
  // expected-error @+1 {{'tosa.max_pool2d' op expected left/right padding to be less than the width of the kernel, got pad_left=0, pad_}}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 2>} : (tensor<1x4x4x3xi8>) -> tensor<1x3x5x3xi8>
  return %0 : tensor<1x3x5x3xi8>
}

// -----

// MAX_POOL2D: a rest after the last window.
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x1x2x3xi8> {
  // expected-error @+1 {{'tosa.max_pool2d' op expected input_height + pad_top + pad_bottom - kernel_y to be wholly divisible by stride_}}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 2, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x3xi8>) -> tensor<1x1x2x3xi8>
  return %0 : tensor<1x1x2x3xi8>
}

// -----

// CONV2D: negative padding.
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<2x2x2x3xi8>) -> tensor<1x2x3x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @+1 {{'tosa.conv2d' op expect all padding values to be >= 0, got -1, 0, 0, 0}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: -1, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<2x2x2x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x2xi32>
  return %0 : tensor<1x2x3x2xi32>
}

// -----

// CONV2D: stride below 1.
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<2x2x2x3xi8>) -> tensor<1x3x3x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @+1 {{'tosa.conv2d' op expect all stride values to be >= 1, got 1, 0}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 0>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<2x2x2x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x2xi32>
  return %0 : tensor<1x3x3x2xi32>
}

// -----

// CONV2D: dilation below 1.
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<2x2x2x3xi8>) -> tensor<1x3x3x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @+1 {{'tosa.conv2d' op expect all dilation values to be >= 1, got 0, 1}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 0, 1>} : (tensor<1x4x4x3xi8>, tensor<2x2x2x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x2xi32>
  return %0 : tensor<1x3x3x2xi32>
}

// -----

// CONV2D: a rest after the last window.
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<2x2x2x3xi8>) -> tensor<1x1x3x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @+1 {{'tosa.conv2d' op expected input_height - 1 + pad_top + pad_bottom - (kernel_height - 1) * dilation_y to be who}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 3, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<2x2x2x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x3x2xi32>
  return %0 : tensor<1x1x3x2xi32>
}

// -----

// CONV2D: columns of the result.
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<2x2x2x3xi8>) -> tensor<1x3x4x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @+1 {{'tosa.conv2d' op calculated output width did not match expected: calculated=3, expected=4}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<2x2x2x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x4x2xi32>
  return %0 : tensor<1x3x4x2xi32>
}

// -----

// CONV2D: channels of the filter.
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<2x2x2x4xi8>) -> tensor<1x3x3x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @+1 {{operation tosa.conv2d is not supported: must have operands and results that its rules admit, found input has 3}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<2x2x2x4xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x2xi32>
  return %0 : tensor<1x3x3x2xi32>
}

// -----

// CONV2D: elements of the bias.
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<3x2x2x3xi8>) -> tensor<1x3x3x3xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-error @+1 {{'tosa.conv2d' op bias channels expected to be equal to output channels (3) or 1, got 2}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<3x2x2x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x3xi32>
  return %0 : tensor<1x3x3x3xi32>
}

// -----

// MATMUL: inner extents.
func.func @main(%x: tensor<1x2x3xi8>, %y: tensor<1x4x2xi8>) -> tensor<1x2x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.matmul is not supported: must have operands and results that its rules admit, found rows of lhs}}
  %0 = tosa.matmul %x, %y, %z, %z : (tensor<1x2x3xi8>, tensor<1x4x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2xi32>
  return %0 : tensor<1x2x2xi32>
}

// -----

// MATMUL: batches.
func.func @main(%x: tensor<2x2x3xi8>, %y: tensor<1x3x2xi8>) -> tensor<2x2x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.matmul has 2 matrices a and 1 matrices b, must be as many}}
  %0 = tosa.matmul %x, %y, %z, %z : (tensor<2x2x3xi8>, tensor<1x3x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x2x2xi32>
  return %0 : tensor<2x2x2xi32>
}

// -----

// CLAMP: bounds in the wrong order.
func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error @+1 {{'tosa.clamp' op expected min_val <= max_val, got min_val=5 : i8, max_val=4 : i8}}
  %0 = tosa.clamp %x {min_val = 5 : i8, max_val = 4 : i8} : (tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// CLAMP: a bound that is no number.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tosa.clamp' op min/max attributes should not be 'NaN', got min_val=0x7FC00000 : f32, max_val=4.000000e+00 : f}}
  %0 = tosa.clamp %x {min_val = 0x7FC00000 : f32, max_val = 4.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// ADD: extents that do not broadcast.
func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x2xi32>) -> tensor<2x3xi32> {
  // expected-error @+1 {{'tosa.add' op operands don't have broadcast-compatible shapes}}
  %0 = tosa.add %x, %y : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

// ADD: ranks that differ.
func.func @main(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  // expected-error @+1 {{'tosa.add' op operands don't have matching ranks}}
  %0 = tosa.add %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

// MUL: shift of numbers below 32 bits.
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi32> {
  %s = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.mul has the shift 1 of numbers other than i32, must be 0}}
  %0 = tosa.mul %x, %y, %s : (tensor<4xi8>, tensor<4xi8>, tensor<1xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// MUL: negative shift.
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %s = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.mul has the shift -1, must be 0 to 63}}
  %0 = tosa.mul %x, %y, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// TABLE: entries.
func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
  %t = "tosa.const"() <{values = dense<1> : tensor<255xi8>}> : () -> tensor<255xi8>
  // expected-error @+1 {{operation tosa.table has 255 table, must have 256}}
  %0 = tosa.table %x, %t : (tensor<4xi8>, tensor<255xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// NEGATE: zero point of 32 bits.
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %p = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  // expected-error @+1 {{'tosa.negate' op input1 zero point must be zero for non-int8 integer types}}
  %0 = tosa.negate %x, %p, %z32 : (tensor<4xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// REDUCE_SUM: axis outside of the rank.
func.func @main(%x: tensor<4x2xi32>) -> tensor<4x1xi32> {
  // expected-error @+1 {{'tosa.reduce_sum' op expect input tensor rank (2) to be larger than reduce axis (2)}}
  %0 = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<4x2xi32>) -> tensor<4x1xi32>
  return %0 : tensor<4x1xi32>
}

// -----

// REDUCE_SUM: extent of the result.
func.func @main(%x: tensor<4x2xi32>) -> tensor<4x2xi32> {
  // expected-error @+1 {{'tosa.reduce_sum' op expect reduced dimension size to be 1, got 2}}
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x2xi32>) -> tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

// -----

// RESCALE: zero point of 32 bits.
func.func @main(%x: tensor<4x2xi32>) -> tensor<4x2xi8> {
  %m = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op expect input_zp of 0, got 1}}
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// RESCALE: unsigned numbers of 32 bits.
func.func @main(%x: tensor<4x2xi32>) -> tensor<4x2xi8> {
  %m = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.rescale is not supported: input: numbers of more than 16 bits are signed, found input_unsigned}}
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = true, output_unsigned = false} : (tensor<4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// RESCALE: zero point of the unsigned result.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x2xi16> {
  %m = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zo = "tosa.const"() <{values = dense<5> : tensor<1xi16>}> : () -> tensor<1xi16>
  // expected-error @+1 {{'tosa.rescale' op expect output_zp of 0 or 32768 for unsigned int16 output, got 5}}
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = true} : (tensor<4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi16>) -> tensor<4x2xi16>
  return %0 : tensor<4x2xi16>
}

// -----

// RESCALE: multipliers of 48 bits.
func.func @main(%x: tensor<4x2xi48>) -> tensor<4x2xi8> {
  %m = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.rescale has sums of 48 bits and scale32, which is for narrower ones}}
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4x2xi48>, tensor<1xi32>, tensor<1xi8>, tensor<1xi48>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// RESCALE: two roundings of 16 bits.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %m = "tosa.const"() <{values = dense<5> : tensor<1xi16>}> : () -> tensor<1xi16>
  %s = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.rescale has multipliers of 16 bits and DOUBLE_ROUND, which is for those of 32}}
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = false, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4x2xi8>, tensor<1xi16>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// RESCALE: multipliers for each channel.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %m = "tosa.const"() <{values = dense<[5, 6, 7]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %s = "tosa.const"() <{values = dense<[10, 11, 12]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op expect shape of { 2 } for multiplier input, got { 3 }}}
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<4x2xi8>, tensor<3xi32>, tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// RESCALE: shift below 2.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %m = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.rescale has the multiplier 5 and the shift 1}}
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// RESCALE: negative multiplier.
func.func @main(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %m = "tosa.const"() <{values = dense<-5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{operation tosa.rescale has the multiplier -5 and the shift 10}}
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// -----

// FFT2D: extents that are no powers of two.
func.func @main(%x: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  // expected-error @+1 {{'tosa.fft2d' op expected width to be a power of two, got 6}}
  %0, %1 = tosa.fft2d %x, %x {inverse = false} : (tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> (tensor<1x4x6xf32>, tensor<1x4x6xf32>)
  return %0 : tensor<1x4x6xf32>
}

// -----

// RFFT2D: columns of the result.
func.func @main(%x: tensor<1x4x8xf32>) -> tensor<1x4x4xf32> {
  // expected-error @+1 {{'tosa.rfft2d' op expected output width to be equal to input_width / 2 + 1, got 4}}
  %0, %1 = tosa.rfft2d %x : (tensor<1x4x8xf32>) -> (tensor<1x4x4xf32>, tensor<1x4x4xf32>)
  return %0 : tensor<1x4x4xf32>
}
