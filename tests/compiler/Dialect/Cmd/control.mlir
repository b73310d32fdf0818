// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file | avocet-opt --split-input-file | FileCheck %s
// RUN: avocet-opt %s --split-input-file --mlir-print-op-generic | avocet-opt --split-input-file | FileCheck %s

// CHECK: cmd.control [
// CHECK-NEXT: loop_enter {loop = 3},
// CHECK-NEXT: loop_check {loop = 3},
// CHECK-NEXT: jump_if_false {region = 1, offset = 64, target = 5},
// CHECK-NEXT: run {section = 1},
// CHECK-NEXT: jump {target = 1},
// CHECK-NEXT: end]
// CHECK: cmd.stream dma 0 section 1 {
cmd.program @loop attributes {header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [], plan = [],
                              sources = []} {
  cmd.region input 0 bytes 128
  cmd.control [loop_enter {loop = 3}, loop_check {loop = 3}, jump_if_false {region = 1, offset = 64, target = 5},
               run {section = 1}, jump {target = 1}, end]
  // The same engine has a stream in each section; each section starts with all semaphores at 0.
  cmd.stream dma 0 {
    cmd.signal
    cmd.end
  }
  cmd.stream dma 0 section 1 {
    cmd.signal
    cmd.wait {value = 1}
    cmd.end
  }
}
