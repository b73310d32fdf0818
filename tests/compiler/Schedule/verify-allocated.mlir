// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics --npu-verify-allocated=target=e256s

// expected-error @below {{has no sizes: it was not allocated}}
npu.program @noSizes attributes {target = "e256s", inputs = [], outputs = [], layers = []} {
}

// -----

// expected-error @below {{needs 393217 bytes of SRAM, the target has 393216}}
npu.program @large attributes {target = "e256", inputs = [], outputs = [], layers = [], sramBytes = 393217 : i64, scratchBytes = 0 : i64,
                              constantsBytes = 0 : i64} {
}

// -----

npu.program @noAddress attributes {target = "e256", inputs = [], outputs = [], layers = [], sramBytes = 64 : i64, scratchBytes = 0 : i64,
                              constantsBytes = 0 : i64} {
  // expected-error @below {{has no address}}
  %a = npu.buffer sram 64
}

// -----

npu.program @leaves attributes {target = "e256", inputs = [], outputs = [], layers = [], sramBytes = 64 : i64, scratchBytes = 0 : i64,
                              constantsBytes = 0 : i64} {
  // expected-error @below {{leaves its space of 64 bytes}}
  %a = npu.buffer sram 64 at 1
}

// -----

npu.program @command attributes {target = "e256", inputs = [], outputs = [], layers = [], sramBytes = 64 : i64, scratchBytes = 0 : i64,
                              constantsBytes = 0 : i64} {
  %a = npu.buffer sram 16 at 0
  %b = npu.buffer scratch 16 at 0
  // expected-error @below {{a transfer accesses bytes outside its buffer}}
  npu.dma %b, %a {runBytes = 17}
}
