// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

npu.program @range attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  // expected-error @below {{a segment is SOURCE+SIZE, '+' is missing}}
  %c = npu.buffer constants 64 contents [dense<1> : tensor<16xi8> [0 8]]
}

// -----

npu.program @shape attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %x = npu.buffer sram 64
  // expected-error @below {{a shape must be ROWSxWIDTHxCHANNELSxTYPE, with extents from 1 to 4294967295}}
  npu.tile_pool %x, %x {input = {4x2xi8}} layer 0
}

// -----

npu.program @zero attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %x = npu.buffer sram 64
  // expected-error @below {{a shape must be ROWSxWIDTHxCHANNELSxTYPE, with extents from 1 to 4294967295}}
  npu.tile_pool %x, %x {input = {4x0x2xi8}} layer 0
}

// -----

npu.program @type attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %x = npu.buffer sram 64
  // expected-error @below {{'i7' is none of}}
  npu.tile_pool %x, %x {input = {4x2x1xi7}} layer 0
}

// -----

npu.program @twice attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %x = npu.buffer sram 64
  // expected-error @below {{field 'ringRows' is set twice}}
  npu.tile_pool %x, %x {input = {4x2x1xi8, ringRows = 4, ringRows = 5}} layer 0
}
