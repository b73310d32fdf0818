// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A network with a branch inside a loop, phase by phase. Resuming from text or bytecode gives the same commands as one
// compilation, and the model cache translates back to the program that it was written from.

// RUN: avocet-opt %s -mlir-print-debuginfo -o %t.import
// RUN: avocet-opt --avocet-compile="target=e256" %t.import -mlir-print-debuginfo -o %t.cmd
// RUN: avocet-opt --avocet-compile="target=e256 stop-after=nn" %t.import -mlir-print-debuginfo -o %t.nn
// RUN: avocet-opt --avocet-compile="target=e256 stop-after=place" %t.nn -mlir-print-debuginfo -o %t.place
// RUN: avocet-opt --avocet-compile="target=e256 stop-after=schedule" %t.place --emit-bytecode -mlir-print-debuginfo -o %t.schedule
// RUN: avocet-opt --avocet-compile="target=e256 stop-after=allocate" %t.schedule -mlir-print-debuginfo -o %t.allocate
// RUN: avocet-opt --avocet-compile="target=e256" %t.allocate -mlir-print-debuginfo | cmp - %t.cmd

// RUN: avocet-opt %t.nn --mlir-print-op-generic -mlir-print-debuginfo | avocet-opt -mlir-print-debuginfo | cmp - %t.nn
// RUN: avocet-opt %t.allocate --mlir-print-op-generic -mlir-print-debuginfo | avocet-opt -mlir-print-debuginfo | cmp - %t.allocate
// RUN: avocet-opt %t.cmd --emit-bytecode | avocet-opt -mlir-print-debuginfo | avocet-opt -mlir-print-debuginfo | cmp - %t.cmd

// RUN: avocet-translate --cmd-to-avom %t.cmd -o %t.avom
// RUN: avocet-translate --avom-to-cmd %t.avom -o %t.back
// RUN: avocet-translate --cmd-to-avom %t.back | cmp - %t.avom
// RUN: FileCheck %s < %t.back

// CHECK: cmd.program @main attributes
// CHECK-SAME: inputs = [
// CHECK-NEXT: {bytes = 8 : i64,
// CHECK-NEXT: {bytes = 16 : i64,
// CHECK: cmd.region input 0 bytes 8
// CHECK-NEXT: cmd.region input 1 bytes 16
// CHECK-NEXT: cmd.region output 0 bytes 16
// CHECK-NEXT: cmd.region constants 0 bytes 16
// CHECK-NEXT: cmd.region scratch 0
// CHECK: cmd.control [
// CHECK-NEXT: run,
// CHECK-NEXT: loop_enter,
// CHECK-NEXT: loop_check,
// CHECK-NEXT: run {section = 1},
// CHECK-NEXT: jump_if_false {region = 5, offset = 128, target = 13},
// CHECK-NEXT: run {section = 2},
// CHECK-NEXT: jump_if_false {region = 5, offset = {{.*}}, target = 9},
// CHECK-NEXT: run {section = 3},
// CHECK-NEXT: jump {target = 10},
// CHECK-NEXT: run {section = 4},
// CHECK-NEXT: run {section = 5},
// CHECK-NEXT: run {section = 6},
// CHECK-NEXT: jump {target = 2},
// CHECK-NEXT: run {section = 7},
// CHECK-NEXT: end]
// CHECK: cmd.stream dma 0 section 6 {
module attributes {avocet.phase = "import"} {
  func.func @main(%f: tensor<8xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
    %half = nn.constant dense<0.5> : tensor<4xf32>
    %r:2 = nn.while %f, %x : (tensor<8xi1>, tensor<4xf32>) -> (tensor<8xi1>, tensor<4xf32>) while {
    ^bb0(%g: tensor<8xi1>, %v: tensor<4xf32>):
      %c = nn.slice %g begin [0] size [1] strides [1] : (tensor<8xi1>) -> tensor<1xi1>
      nn.yield %c : tensor<1xi1>
    } do {
    ^bb0(%g: tensor<8xi1>, %v: tensor<4xf32>):
      %last = nn.slice %g begin [7] size [1] strides [1] : (tensor<8xi1>) -> tensor<1xi1>
      %w = nn.if %last : (tensor<1xi1>) -> tensor<4xf32> {
        %a = nn.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        nn.yield %a : tensor<4xf32>
      } else {
        %m = nn.mul %v, %half : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        nn.yield %m : tensor<4xf32>
      }
      %s = nn.slice %g begin [1] size [7] strides [1] : (tensor<8xi1>) -> tensor<7xi1>
      %h = nn.pad %s low [0] high [1] value 0.0 : (tensor<7xi1>) -> tensor<8xi1>
      nn.yield %h, %w : tensor<8xi1>, tensor<4xf32>
    }
    return %r#1 : tensor<4xf32>
  }
}
