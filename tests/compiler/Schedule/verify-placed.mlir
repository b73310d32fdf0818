// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics --npu-verify-placed

// expected-error @below {{argument type 'tensor<4x8xi8>' is no storage tensor of rank 3}}
func.func @argument(%in: tensor<4x8xi8>) attributes {npu.layers = []} {
  return
}

// -----

// expected-error @below {{result type 'tensor<8xi8>' is no storage tensor of rank 3}}
func.func @result() -> tensor<8xi8> attributes {npu.layers = []} {
  %0 = npu.constant dense<1> : tensor<8xi8> : tensor<8xi8>
  return %0 : tensor<8xi8>
}

// -----

// expected-error @below {{needs npu.layers, an array of dictionaries}}
func.func @noLayers() {
  return
}

// -----

func.func @layer(%in: tensor<4x4x8xi8>) -> tensor<4x4x8xi8> attributes {npu.layers = [{}]} {
  // expected-error @below {{layer is 7, must be below 1}}
  %0 = npu.pool %in {} layer 7 : tensor<4x4x8xi8> -> tensor<4x4x8xi8>
  return %0 : tensor<4x4x8xi8>
}

// -----

func.func @otherDialect(%in: tensor<4x4x8xi8>) attributes {npu.layers = []} {
  // expected-error @below {{is not allowed at the placed level}}
  %0 = builtin.unrealized_conversion_cast %in : tensor<4x4x8xi8> to tensor<4x4x8xi8>
  return
}

// -----

// expected-error @below {{a placed function has one block}}
func.func private @declaration() attributes {npu.layers = []}

// -----

func.func @first() attributes {npu.layers = []} {
  return
}
// expected-error @below {{a placed module holds one func.func, or several and one cmd.control}}
func.func @second() attributes {npu.layers = []} {
  return
}

// -----

// expected-error @below {{must name the region of its constants (attribute npu.constants_region)}}
func.func @section() attributes {npu.layers = []} {
  return
}
cmd.control [end] {inputs = [], outputs = []}
