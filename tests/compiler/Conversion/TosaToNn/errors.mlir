// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file -verify-diagnostics --convert-tosa-to-nn

func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{operation tosa.custom is not supported: domain 'acme', operator 'frobnicate'}}
  %0 = tosa.custom %x {operator_name = "frobnicate", domain_name = "acme", implementation_attrs = ""} : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// What the specification does not have is an error of its validation.
func.func @main(%a: tensor<1x2x3xi8>, %b: tensor<1x3x4xi8>) -> tensor<1x2x4xi16> {
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{illegal: operation operand/result data types did not align with any profile or extension}}
  %0 = tosa.matmul %a, %b, %zero, %zero : (tensor<1x2x3xi8>, tensor<1x3x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x4xi16>
  return %0 : tensor<1x2x4xi16>
}

// -----

// expected-error @+2 {{output 0 is not supported: static shape of rank at most 32}}
// expected-error @+1 {{input 0 is not supported: static shape of rank at most 32 with 1 to 2^31 - 1 elements, found tensor<?xi32>}}
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = tosa.abs %x : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// expected-error @+1 {{has 2 functions, and none is called 'main'; name the function of the network so}}
module {
  func.func @first(%x: tensor<2xi32>) -> tensor<2xi32> {
    %0 = tosa.abs %x : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @second(%x: tensor<2xi32>) -> tensor<2xi32> {
    %0 = tosa.abs %x : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}

// -----

// All refusals of a network are reported.
func.func @main(%x: tensor<4x6xi32>, %s: tensor<2xi8>) -> tensor<2x3xi32> {
  // expected-error @+1 {{operation tosa.custom is not supported}}
  %0 = tosa.custom %x {operator_name = "a", domain_name = "b", implementation_attrs = ""} : (tensor<4x6xi32>) -> tensor<4x6xi32>
  // expected-error @+1 {{operation tosa.custom is not supported}}
  %1 = tosa.custom %0 {operator_name = "c", domain_name = "d", implementation_attrs = ""} : (tensor<4x6xi32>) -> tensor<2x3xi32>
  return %1 : tensor<2x3xi32>
}

// -----

func.func @main(%x: tensor<6x4xf32>) -> tensor<8x3xf32> {
  %a = tosa.const_shape {values = dense<[-3, 9223372036854775807]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.exp2_shape %a : (!tosa.shape<2>) -> !tosa.shape<2>
  // expected-error @+2 {{operation tosa.slice is not supported: start must be constant, found a computed tensor}}
  // expected-error @+1 {{operation tosa.slice is not supported: size must be constant, found a computed tensor}}
  %0 = tosa.slice %x, %b, %b : (tensor<6x4xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

func.func @main(%x: tensor<4xi16>) -> tensor<4xi32> {
  %t = "tosa.const"() <{values = dense<1> : tensor<7xi16>}> : () -> tensor<7xi16>
  // expected-error @+1 {{operation tosa.table has a table of shape [7], must be [513]}}
  %0 = tosa.table %x, %t : (tensor<4xi16>, tensor<7xi16>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
