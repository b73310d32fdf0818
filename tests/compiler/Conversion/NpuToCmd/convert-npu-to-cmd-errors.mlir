// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-npu-to-cmd --split-input-file --verify-diagnostics

// expected-error @below {{must be allocated before it can become commands}}
npu.program @unallocated attributes {target = "e256", inputs = [], outputs = [], layers = []} {
}

// -----

npu.program @noAddress attributes {target = "e256", inputs = [], outputs = [], layers = [], sramBytes = 64 : i64,
                                   scratchBytes = 0 : i64, constantsBytes = 0 : i64} {
  // expected-error @below {{has no address}}
  %a = npu.buffer sram 64
}

// -----

npu.program @channel attributes {target = "e256", inputs = [], outputs = [], layers = [], sramBytes = 128 : i64,
                                 scratchBytes = 0 : i64, constantsBytes = 0 : i64} {
  %a = npu.buffer sram 64 at 0
  // expected-error @below {{uses DMA channel 7, target 'e256' has 1}}
  npu.dma %a {kind = fill, runBytes = 64} channel 7
}

// -----

// expected-error @below {{operand 0 has no tensor type of static shape}}
npu.program @shape attributes {target = "e256", inputs = [{type = tensor<?xi8>}], outputs = [], layers = [],
                               sramBytes = 0 : i64, scratchBytes = 0 : i64, constantsBytes = 0 : i64} {
}

// -----

// expected-error @below {{has the element type 'i4', which the device cannot store}}
npu.program @element attributes {target = "e256", inputs = [{type = tensor<4xi4>}], outputs = [], layers = [],
                                 sramBytes = 0 : i64, scratchBytes = 0 : i64, constantsBytes = 0 : i64} {
}

// -----

// expected-error @below {{network is not supported: constants: bytes, found 4611686018427387904, limit 4294967296; make its tensors smaller}}
npu.program @huge attributes {target = "e256", inputs = [], outputs = [], layers = [], sramBytes = 0 : i64,
                              scratchBytes = 0 : i64, constantsBytes = 4611686018427387904 : i64} {
}

// -----

// expected-error @below {{target 'e1' is unknown}}
npu.program @target attributes {target = "e1", inputs = [], outputs = [], layers = [], sramBytes = 0 : i64,
                                scratchBytes = 0 : i64, constantsBytes = 0 : i64} {
}

// -----

// expected-error @below {{holds no npu.program that names a target}}
module {}
