// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics --npu-verify-scheduled

npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  // expected-error @below {{is not allowed at the scheduled level}}
  %0 = npu.constant dense<1> : tensor<8xi8> : tensor<8xi8>
}

// -----

npu.program @leaves attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %a = npu.buffer sram 16
  %b = npu.buffer scratch 16
  // expected-error @below {{a transfer accesses bytes outside its buffer}}
  npu.dma %b, %a {runBytes = 17}
}

// -----

npu.program @offChip attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %a = npu.buffer sram 16
  %b = npu.buffer scratch 16
  // expected-error @below {{works outside SRAM}}
  npu.tile_pool %b, %a {} layer 0
}

// -----

npu.program @tile attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %a = npu.buffer sram 32
  %b = npu.buffer sram 16
  // expected-error @below {{a tile accesses bytes outside its buffers}}
  npu.tile_pool %a, %b {input = {4x1x8xi8}, output = {4x1x8xi8}} layer 0
}

// -----

// expected-error @below {{a scheduled module holds one npu.program}}
module {}

// -----

npu.program @first attributes {target = "e256", inputs = [], outputs = [], layers = []} {
}
// expected-error @below {{a scheduled module holds one npu.program, or several and one cmd.control}}
npu.program @second attributes {target = "e256", inputs = [], outputs = [], layers = []} {
}

// -----

// expected-error @below {{must have places for its operands if it is a section, and none otherwise}}
npu.program @place attributes {target = "e256", inputs = [{type = tensor<8xi8>, npu.region = 1 : i32, npu.offset = 0 : i64}], outputs = [], layers = []} {
}

// -----

// expected-error @below {{has a frame of negative size}}
npu.program @frame attributes {target = "e256", inputs = [], outputs = [], layers = [], npu.frame_bytes = -1 : i64} {
}
