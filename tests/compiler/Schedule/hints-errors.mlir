// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-schedule=target=e256s --split-input-file --verify-diagnostics

// Hints that no schedule can follow, at the operation that they are about, or at the module.

// Names.

// expected-error @below {{hint 1: no operator is called 'pool'; 'avocet explain' lists the layers}}
// expected-error @below {{hint 2: 'conv' is the name, or a part of the name, of layers 0 'conv/1', 1 'conv/2', 2 'conv/3'; give the number of one of them}}
// expected-error @below {{hint 3: there is no layer 3; the network has layers 0 to 2}}
module attributes {avocet.hints = [{cut = "pool"}, {cut = "conv"}, {cut = 3}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

// Forms.

// expected-error @below {{hint 1: must have one of the keys 'cascade', 'cut', 'result', 'block' and 'transfers'}}
// expected-error @below {{hint 2: 'cascade' must be a list of one or two operators}}
// expected-error @below {{hint 3: 'rows' must be an integer from 1 to 4294967295}}
// expected-error @below {{hint 4: has the key 'rows', accepted beside 'cut' is none}}
// expected-error @below {{hint 5: must have either 'extents' or 'doublings'}}
// expected-error @below {{hint 6: 'memory' must be}}
// expected-error @below {{hint 7: 'extents' must be three integers from 1 to 4294967295: rows, columns, channels}}
// expected-error @below {{hint 8: 'pieces' excludes 'rows', 'parts' and 'ahead'}}
// expected-error @below {{hint 9: 'cut' must name operators: by a name, by the number of a layer, or as}}
module attributes {avocet.hints = [{row = 2}, {cascade = [], rows = 2}, {cascade = ["conv/1"], rows = 0}, {cut = "conv/1", rows = 2}, {block = 0}, {result = 0, memory = "flash"}, {block = 0, extents = [1, 2]}, {cascade = [0], pieces = 4096, rows = 2}, {cut = 1.5 : f32}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

// The order of the schedule.

module attributes {avocet.hints = [{cascade = [1, 0]}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{hint 1: layer 0 comes before layer 1 in the schedule; exchange them}}
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

// Rows.

module attributes {avocet.hints = [{cascade = [0], rows = 129}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 1: 'rows' is 129, accepted are 1 to 128, the rows of the last operation's result}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

// Memory.

module attributes {avocet.hints = [{cascade = [1, 2], rows = 256}]} {
  func.func @main(%in: tensor<256x128x8xi8> {nn.name = "image"}) -> tensor<256x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<256x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<256x128x8xi8>
    // expected-error @below {{hint 1: 256 rows at a time need at least 786592 bytes of SRAM, and there are 393216; 'rows' may be at most 76}}
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<256x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<256x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<256x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<256x128x8xi8>
    return %2 : tensor<256x128x8xi8>
  }
}

// -----

// Blocks.

module attributes {avocet.hints = [{block = 0, extents = [4, 8, 12]}, {block = 1, extents = [33, 8, 8]}, {block = 2, extents = [32, 64, 8]}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 1: the block has 12 channels, accepted are multiples of 8 up to 8}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{hint 2: the block has 33 rows, accepted are 1 to 32}}
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{hint 3: two of these blocks, with what they read, do not fit in the array's buffer of 49152 bytes; make the block smaller}}
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

// Contradictions.

module attributes {avocet.hints = [{cascade = [0, 1]}, {cut = 0}, {cascade = [1, 2]}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{hint 3: it contradicts hint 1; leave out one of them}}
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

module attributes {avocet.hints = [{cascade = [0, 1]}, {cut = 0}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 1: it contradicts hint 2; leave out one of them}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

module attributes {avocet.hints = [{cascade = [0, 1]}, {result = 0, memory = "sram"}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 2: it contradicts hint 1; leave out one of them}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

module attributes {avocet.hints = [{result = 0, memory = "sram"}, {result = "conv/1", memory = "dram"}, {result = 2, memory = "dram"}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 2: it contradicts hint 1; leave out one of them}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

module attributes {avocet.hints = [{block = 0, extents = [2, 8, 8]}, {block = 0, extents = [4, 8, 8]}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 2: it contradicts hint 1; leave out one of them}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

module attributes {avocet.hints = [{block = 0, extents = [2, 8, 8]}, {block = 0, doublings = [1, 0, 0]}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 2: it contradicts hint 1; leave out one of them}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

// Results.

module attributes {avocet.hints = [{result = 2, memory = "dram"}, {cascade = [0], spill = [1]}, {cascade = [1, 2], spill = [1]}, {result = {operator = 0, output = 1}, memory = "dram"}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 4: layer 0 has no output 1; outputs are counted from 0}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

module attributes {avocet.hints = [{result = 2, memory = "dram"}, {cascade = [0], spill = [1]}, {cascade = [1, 2], spill = [1]}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 2: 'spill' may only name results of the cascade's own operators}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{hint 3: no operator after the cascade reads this result, so it cannot be spilled}}
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{hint 1: no operator reads this result, so it goes straight to its network output}}
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

// Parts, and what only several operations can do.

module attributes {avocet.hints = [{cascade = [0], parts = 2}, {cascade = [1], ahead = true}, {cascade = [2], pieces = 100}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    // expected-error @below {{hint 1: 'parts' is 2, accepted are 1 to 1, the groups of output channels that weights are stored in}}
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{hint 2: one operation has no readers in its cascade, so 'ahead' must be false}}
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{hint 3: the operation cannot be cut into pieces of at most 100 bytes; try more, or leave 'pieces' out}}
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    return %2 : tensor<128x128x8xi8>
  }
}

// -----

// Each hint fits, but not all of them.

module attributes {avocet.hints = [{result = 0, memory = "sram"}, {result = 1, memory = "sram"}, {result = 2, memory = "sram"}, {cascade = [2]}]} {
  func.func @main(%in: tensor<128x128x8xi8> {nn.name = "image"}) -> tensor<128x128x8xi8>
      attributes {npu.layers = [{name = "conv/1"}, {name = "conv/2"}, {name = "conv/3"}, {name = "sum"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    // expected-error @below {{no schedule follows the hints: this operation and what must be in SRAM meanwhile do not fit in 393216 bytes}}
    // expected-note @below {{hint 4 says how it runs}}
    // expected-note @below {{hint 1 keeps 131072 bytes in SRAM meanwhile}}
    // expected-note @below {{hint 2 keeps 131072 bytes in SRAM meanwhile}}
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<128x128x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<128x128x8xi8>
    %3 = npu.eltwise %0, %2 {leftShift = 20} layer 3 : tensor<128x128x8xi8>, tensor<128x128x8xi8> -> tensor<128x128x8xi8>
    return %3 : tensor<128x128x8xi8>
  }
}

// -----

// Operations that need all rows, and the DSP, which has no blocks.

module attributes {avocet.hints = [{cascade = [0, 1]}, {block = 0, extents = [1, 1, 8]}]} {
  func.func @main(%in: tensor<16x16x8xf32> {nn.name = "image"}) -> tensor<16x16x8xf32> attributes {npu.layers = [{name = "norm1"}, {name = "norm2"}]} {
    // expected-error @below {{hint 2: the operation has no blocks, since it runs on the DSP; leave the hint out}}
    %0 = npu.dsp "localResponse"(%in) parameters [0, 8, 1, 2, 1065353216, 1065353216, 1065353216] zero_points [0] -> [0] row_wise layer 0 : (tensor<16x16x8xf32>) -> tensor<16x16x8xf32>
    // expected-error @below {{hint 1: the operation needs all rows of its operands at once, so it can only run alone}}
    %1 = npu.dsp "localResponse"(%0) parameters [0, 8, 1, 2, 1065353216, 1065353216, 1065353216] zero_points [0] -> [0] layer 1 : (tensor<16x16x8xf32>) -> tensor<16x16x8xf32>
    return %1 : tensor<16x16x8xf32>
  }
}
