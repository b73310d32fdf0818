// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

npu.program @addresses attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %a = npu.buffer sram 16
  // expected-error @below {{has 1 buffers, its command has 2 addresses}}
  npu.tile_pool %a {} layer 0
}

// -----

npu.program @contents attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  // expected-error @below {{segment takes bytes 8 to 24 of a constant of 16}}
  %a = npu.buffer constants 16 contents [dense<0> : tensor<16xi8> [8+16]]
}

// -----

npu.program @sizes attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  // expected-error @below {{needs a size of 1 or more}}
  %a = npu.buffer sram 0
}
