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

npu.program @block attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %a = npu.buffer sram 86016
  %b = npu.buffer sram 86016
  // expected-error @below {{target e256 refuses it: pool: block.width is 112, must be 1 to 64}}
  npu.tile_pool %a, %b {input = {8x112x96xi8}, output = {8x112x96xi8}, block = {height = 4, width = 112, channels = 96}} layer 0
}

// -----

npu.program @buffer attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %a = npu.buffer sram 262144
  %b = npu.buffer sram 262144
  // expected-error @below {{target e256 refuses it: pool: block: its input window and accumulators exceed the array's buffer of 49152 bytes}}
  npu.tile_pool %a, %b {input = {32x64x128xi8}, output = {32x64x128xi8}, block = {height = 32, width = 64, channels = 128}} layer 0
}

// -----

npu.program @dsp attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %a = npu.buffer sram 16
  %b = npu.buffer sram 16
  // expected-error @below {{target e256 refuses it: softmax: }}
  npu.tile_dsp %a, %b {kernel = 1, inputs = [{1x1x10xi8}], outputs = [{1x1x8xi8}], parameters = [1708777984, 25, 4294967234, 1065353216]} layer 0
}

// -----

npu.program @kernel attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %a = npu.buffer sram 16
  %b = npu.buffer sram 16
  // expected-error @below {{no kernel performs it: dsp}}
  npu.tile_dsp %a, %b {kernel = 999, inputs = [{1x1x10xi8}], outputs = [{1x1x10xi8}]} layer 0
}

// -----

// expected-error @below {{target 'e9' is unknown}}
npu.program @target attributes {target = "e9", inputs = [], outputs = [], layers = []} {
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
