// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

!x = !quant.uniform<i16:f32, 0.5>
func.func @wideQuotient(%x: tensor<2x!x>) -> tensor<2x!x> {
  // expected-error @+1 {{takes quantized numbers of 8 bits alone}}
  %0 = nn.div %x, %x : (tensor<2x!x>, tensor<2x!x>) -> tensor<2x!x>
  return %0 : tensor<2x!x>
}

// -----

func.func @storedFloats(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  // expected-error @+1 {{operand #0 must be tensor}}
  %0 = nn.add %x, %x : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:125>
func.func @truncatedQuantized(%x: tensor<2x!x>) -> tensor<2x!x> {
  // expected-error @+1 {{only quotients of integers truncate}}
  %0 = nn.div %x, %x truncates : (tensor<2x!x>, tensor<2x!x>) -> tensor<2x!x>
  return %0 : tensor<2x!x>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:125>
func.func @quantizedPower(%x: tensor<2x!x>) -> tensor<2x!x> {
  // expected-error @+1 {{32-bit float or 16-bit float or 32-bit signless integer}}
  %0 = nn.pow %x, %x : (tensor<2x!x>, tensor<2x!x>) -> tensor<2x!x>
  return %0 : tensor<2x!x>
}

// -----

func.func @rootOfAnInteger(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{there is no sqrt of 'i32'}}
  %0 = nn.unary sqrt %x : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @notOfANumber(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{there is no logical_not of 'f32'}}
  %0 = nn.unary logical_not %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @comparedTypes(%x: tensor<2xf32>, %y: tensor<2xf16>) -> tensor<2xi1> {
  // expected-error @+1 {{storage types must be equal}}
  %0 = nn.compare less %x, %y : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

func.func @logicalShapes(%x: tensor<2xi1>, %y: tensor<3xi1>) -> tensor<3xi1> {
  // expected-error @+1 {{do not broadcast}}
  %0 = nn.logical and %x, %y : (tensor<2xi1>, tensor<3xi1>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// -----

func.func @selectDoesNotBroadcast(%c: tensor<1xi1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{shapes must be equal}}
  %0 = nn.select %c, %x, %x : (tensor<1xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @sumOfTruth(%x: tensor<2xi1>) -> tensor<1xi1> {
  // expected-error @+1 {{there is no sum of 'i1'}}
  %0 = nn.reduce sum %x axes [0] keep_dims : (tensor<2xi1>) -> tensor<1xi1>
  return %0 : tensor<1xi1>
}

// -----

func.func @unsortedAxes(%x: tensor<2x3xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{axes must be sorted and unique}}
  %0 = nn.reduce sum %x axes [1, 0] : (tensor<2x3xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @reducedShape(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{result 0 has the shape [2], operands and attributes give [3]}}
  %0 = nn.reduce sum %x axes [0] : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @argAxis(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{axis 2 is outside of rank 2}}
  %0 = nn.arg_reduce max %x axis 2 : (tensor<2x3xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @castShape(%x: tensor<2x3xf32>) -> tensor<6xi32> {
  // expected-error @+1 {{result 0 has the shape [6], operands and attributes give [2, 3]}}
  %0 = nn.cast %x : (tensor<2x3xf32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

func.func @sumOfNarrowIntegers(%x: tensor<2xi8>) -> tensor<2xi8> {
  // expected-error @+1 {{does not take 'i8'}}
  %0 = nn.add %x, %x : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// -----

func.func @angleOfIntegers(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{there is no atan2 of 'i32'}}
  %0 = nn.binary atan2 %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

!u = !quant.uniform<u8:f32, 0.5:125>
func.func @unsignedSquaredDifference(%x: tensor<2x!u>) -> tensor<2x!u> {
  // expected-error @+1 {{there is no squared_difference of '!quant.uniform<u8:f32, 5.000000e-01:125>'}}
  %0 = nn.binary squared_difference %x, %x : (tensor<2x!u>, tensor<2x!u>) -> tensor<2x!u>
  return %0 : tensor<2x!u>
}

// -----

func.func @shiftOfFloats(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{there is no right_shift of 'f32'}}
  %0 = nn.binary right_shift %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @truncatedQuotientOfFloats(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{only quotients of integers truncate}}
  %0 = nn.div %x, %x truncates : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @fixedPointComparisonOfFloats(%x: tensor<2xf32>) -> tensor<2xi1> {
  // expected-error @+1 {{only quantized numbers are compared in fixed point}}
  %0 = nn.compare less %x, %x fixed_point : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

func.func @cosineOfQuantized(%x: tensor<2x!quant.uniform<u8:f32, 0.5:125>>) -> tensor<2x!quant.uniform<u8:f32, 0.5:125>> {
  // expected-error @+1 {{there is no cos of}}
  %0 = nn.unary cos %x : (tensor<2x!quant.uniform<u8:f32, 0.5:125>>) -> tensor<2x!quant.uniform<u8:f32, 0.5:125>>
  return %0 : tensor<2x!quant.uniform<u8:f32, 0.5:125>>
}

// -----

func.func @paddingOutsideOfNarrowIntegers(%x: tensor<2xi8>) -> tensor<3xi8> {
  // expected-error @+1 {{value 1.280000e+02 is none of 'i8'}}
  %0 = nn.pad %x low [1] high [0] value 128.0 : (tensor<2xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// -----

!u = !quant.uniform<u8:f32, 0.5:125>
func.func @productOfUnsigned(%x: tensor<2x!u>) -> tensor<1x!u> {
  // expected-error @+1 {{there is no prod of}}
  %0 = nn.reduce prod %x axes [0] keep_dims : (tensor<2x!u>) -> tensor<1x!u>
  return %0 : tensor<1x!u>
}

// -----

!a = !quant.uniform<i16:f32, 0.5>
!b = !quant.uniform<i16:f32, 0.25>
func.func @wideSumRescales(%x: tensor<2x!a>) -> tensor<1x!b> {
  // expected-error @+1 {{element types must be equal}}
  %0 = nn.reduce sum %x axes [0] keep_dims : (tensor<2x!a>) -> tensor<1x!b>
  return %0 : tensor<1x!b>
}
