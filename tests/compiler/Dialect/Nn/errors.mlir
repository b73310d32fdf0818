// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

!x = !quant.uniform<i8:f32, 0.5:-3>
!w = !quant.uniform<i8:f32, 0.1>
func.func @windowTooLarge(%x: tensor<1x4x4x2x!x>, %w: tensor<2x5x3x2x!w>) {
  // expected-error @+1 {{height of the window is 5, more than the padded input's 4}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x5x3x2x!w>) -> tensor<1x1x2x2x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5:-3>
!w = !quant.uniform<i8:f32, 0.1>
func.func @resultExtent(%x: tensor<1x4x4x2x!x>, %w: tensor<2x3x3x2x!w>) {
  // expected-error @+1 {{result 0 has the shape [1, 2, 3, 2], operands and attributes give [1, 2, 2, 2]}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x3x3x2x!w>) -> tensor<1x2x3x2x!x>
  return
}

// -----

func.func @stride(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2xf32>) {
  // expected-error @+1 {{'stride' has the entry 0, must be 1 to 2147483647}}
  %0 = nn.conv_2d %x, %w stride [0, 1] : (tensor<1x4x4x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @padCount(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2xf32>) {
  // expected-error @+1 {{'pad' has 2 entries, must have 4}}
  %0 = nn.conv_2d %x, %w pad [1, 1] : (tensor<1x4x4x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @inputChannels(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x4xf32>) {
  // expected-error @+1 {{input has 2 channels, the filter reads 4}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2xf32>, tensor<2x3x3x4xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @batch(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2xf32>) {
  // expected-error @+1 {{result 0 has the shape [2, 2, 2, 2], operands and attributes give [1, 2, 2, 2]}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2xf32>, tensor<2x3x3x2xf32>) -> tensor<2x2x2x2xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:3, {0.1, 0.2}>
func.func @scaleAxis(%x: tensor<1x4x4x2x!x>, %w: tensor<2x3x3x2x!w>) {
  // expected-error @+1 {{filter is quantized along axis 3, its output channels are axis 0}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x3x3x2x!w>) -> tensor<1x2x2x2x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {0.1, 0.2}>
func.func @scaleCount(%x: tensor<1x4x4x2x!x>, %w: tensor<4x3x3x2x!w>) {
  // expected-error @+1 {{filter has 2 scales for 4 output channels}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<4x3x3x2x!w>) -> tensor<1x2x2x4x!x>
  return
}

// -----

!w = !quant.uniform<i8:f32, 0.1:3>
func.func @weightZeroPoint(%x: tensor<1x4x4x2xf32>, %w: tensor<4x3x3x2x!w>) {
  // expected-error @+1 {{zero point of a signed filter of an f32 input must be 0}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2xf32>, tensor<4x3x3x2x!w>) -> tensor<1x2x2x4xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
func.func @floatFilter(%x: tensor<1x4x4x2x!x>, %w: tensor<4x3x3x2xf32>) {
  // expected-error @+1 {{quantized input needs a quantized filter}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<4x3x3x2xf32>) -> tensor<1x2x2x4x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.1>
func.func @biasType(%x: tensor<1x4x4x2x!x>, %w: tensor<4x3x3x2x!w>, %b: tensor<4xf32>) {
  // expected-error @+1 {{bias must be 'i32' for input of '!quant.uniform<i8:f32, 5.000000e-01>'}}
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x2x!x>, tensor<4x3x3x2x!w>, tensor<4xf32>) -> tensor<1x2x2x4x!x>
  return
}

// -----

func.func @biasShape(%x: tensor<1x4x4x2xf32>, %w: tensor<4x3x3x2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{bias must have the shape [4], has 'tensor<3xf32>'}}
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x2xf32>, tensor<4x3x3x2xf32>, tensor<3xf32>) -> tensor<1x2x2x4xf32>
  return
}

// -----

func.func @multiplier(%x: tensor<1x4x4x2xf32>, %w: tensor<1x3x3x3xf32>) {
  // expected-error @+1 {{3 output channels are no multiple of 2 input channels}}
  %0 = nn.depthwise_conv_2d %x, %w : (tensor<1x4x4x2xf32>, tensor<1x3x3x3xf32>) -> tensor<1x2x2x3xf32>
  return
}

// -----

func.func @rows(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+1 {{result 0 has the shape [3, 4], operands and attributes give [2, 4]}}
  %0 = nn.fully_connected %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @unbounded(%x: tensor<65536x65536xf32>) {
  // expected-error @+1 {{must be tensor of rank at most 32 with 1 to 2^31 - 1 elements of 32-bit float}}
  %0 = nn.softmax %x : (tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  return
}

// -----

func.func @dynamic(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{must be tensor of rank at most 32 with 1 to 2^31 - 1 elements}}
  %0 = nn.softmax %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @poolPadding(%x: tensor<1x4x4x2xf32>) {
  // expected-error @+1 {{padding of the height reaches the window's 2}}
  %0 = nn.max_pool_2d %x kernel [2, 2] pad [2, 0, 0, 0] : (tensor<1x4x4x2xf32>) -> tensor<1x5x3x2xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i8:f32, 0.25>
func.func @poolScale(%x: tensor<1x4x4x2x!x>) {
  // expected-error @+1 {{element types must be equal}}
  %0 = nn.average_pool_2d %x kernel [4, 4] : (tensor<1x4x4x2x!x>) -> tensor<1x1x1x2x!y>
  return
}

// -----

func.func @meanAxis(%x: tensor<1x4x2xf32>) {
  // expected-error @+1 {{axis 3 is outside of rank 3}}
  %0 = nn.mean %x axes [3] : (tensor<1x4x2xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @meanOrder(%x: tensor<1x4x2xf32>) {
  // expected-error @+1 {{axes must be sorted and unique}}
  %0 = nn.mean %x axes [1, 1] : (tensor<1x4x2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @meanShape(%x: tensor<1x4x2xf32>) {
  // expected-error @+1 {{result 0 has the shape [1, 4], operands and attributes give [1, 2]}}
  %0 = nn.mean %x axes [1] : (tensor<1x4x2xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4x2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{shapes [4, 2] and [3] do not broadcast}}
  %0 = nn.add %x, %y : (tensor<4x2xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  return
}

// -----

!i = !quant.uniform<i8:f32, 0.5>
!u = !quant.uniform<u8:f32, 0.5>
func.func @storage(%x: tensor<4x!i>, %y: tensor<4x!u>) {
  // expected-error @+1 {{storage types must be equal}}
  %0 = nn.mul %x, %y : (tensor<4x!i>, tensor<4x!u>) -> tensor<4x!i>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
func.func @softmaxScale(%x: tensor<4x!x>) {
  // expected-error @+1 {{result must have scale 3.906250e-03 and zero point -128}}
  %0 = nn.softmax %x : (tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-05>
func.func @nearestScale(%x: tensor<4x!x>) {
  // expected-error @+1 {{nn.nearest needs 8-bit numbers, with a scale of at least 2^-16}}
  %0 = nn.softmax %x {nn.nearest} : (tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

func.func @nearestFloats(%x: tensor<4xf32>) {
  // expected-error @+1 {{nn.nearest needs 8-bit numbers}}
  %0 = nn.softmax %x {nn.nearest} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @clampToNothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{needs a bound}}
  %0 = nn.clamp none %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @clampWithoutOrder(%x: tensor<4xf32>) {
  // expected-error @+1 {{the bounds of a clamp must be numbers, the lower one first}}
  %0 = nn.clamp from 2.0 to -1.0 %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @clampWithoutBounds(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the name of a clamp, or its bounds as `from -1.0 to 1.0`}}
  %0 = nn.clamp between %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sumWithFloatScales(%x: tensor<4xf32>) {
  // expected-error @+1 {{has no numerics float_scales}}
  %0 = nn.add %x, %x numerics float_scales : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @layerWithShiftScales(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) {
  // expected-error @+1 {{has no numerics shift_scales}}
  %0 = nn.fully_connected %x, %w numerics shift_scales : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
func.func @constantStorage() {
  // expected-error @+1 {{elements of the value are 'i32', the result stores 'i8'}}
  %0 = nn.constant dense<0> : tensor<2xi32> as tensor<2x!x>
  return
}

// -----

func.func @constantBlob() {
  // expected-error @+1 {{resource 'short' has 4 bytes, the result needs 8}}
  %0 = nn.constant dense_resource<short> : tensor<2xi32>
  return
}
{-#
  dialect_resources: { builtin: { short: "0x0400000001020304" } }
#-}

// -----

func.func @reshape(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{input has 8 elements, the result 9}}
  %0 = nn.reshape %x to [9] : (tensor<4x2xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @padExtent(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{result 0 has the shape [4, 2], operands and attributes give [4, 3]}}
  %0 = nn.pad %x low [0, 0] high [0, 1] : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @concatenation(%x: tensor<4x2xf32>, %y: tensor<3x2xf32>) {
  // expected-error @+1 {{result 0 has the shape [8, 2], operands and attributes give [7, 2]}}
  %0 = nn.concatenation %x, %y axis 0 : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @quantize(%x: tensor<4xf32>) {
  // expected-error @+1 {{result must be quantized}}
  %0 = nn.quantize %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
func.func @lstmState(%x: tensor<1x5x3x!x>, %i: tensor<2x3x!x>, %r: tensor<2x2x!x>, %b: tensor<2xi32>) {
  // expected-error @+1 {{a quantized LSTM needs a 16-bit signed cell type with zero point 0}}
  %0 = nn.lstm %x input(%i, %i, %i, %i) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b) cell !x hidden !x
     : (tensor<1x5x3x!x>, tensor<2x3x!x>, tensor<2x3x!x>, tensor<2x3x!x>, tensor<2x3x!x>, tensor<2x2x!x>, tensor<2x2x!x>,
        tensor<2x2x!x>, tensor<2x2x!x>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x5x2x!x>
  return
}
