// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A long kernel in a loop: the section of the body has its own yields, numbered from 1, between the parts of the kernel.
// Each iteration passes them again. Between sections, values of the loop are off chip. The verifier of the model cache
// accepts the yields, and the cache translates back to the same ones.

// RUN: avocet-opt --avocet-compile="target=e256" %s -o %t.cmd
// RUN: avocet-translate --cmd-to-avom %t.cmd -o %t.avom
// RUN: avocet-translate --avom-to-cmd %t.avom | FileCheck %s

// CHECK: cmd.control [
// CHECK: loop_check,
// CHECK-NEXT: run {section = 1},
// CHECK-NEXT: jump_if_false
// CHECK-NEXT: run {section = 2},

// The section before the loop has its own point 1, the condition has none.
// CHECK: cmd.stream dma 0 {
// CHECK: cmd.yield {point = 1}
// CHECK: cmd.stream dsp 0 section 1 {
// CHECK-NOT: cmd.yield
// CHECK: cmd.end

// The softmax of 128 pixels runs in stripes of 2 rows of 2 pixels, so that loads overlap. Some stripes later, a yield
// comes between two of them, where the stripe that is loaded is live.
// CHECK: cmd.stream dsp 0 section 2 {
// CHECK-NEXT: cmd.wait {semaphore = 1, value = 1}
// CHECK-NEXT: cmd.dsp {kernel = 1, inputs = [{2x2x64xf32, ringRows = 4}]
// CHECK: cmd.yield {point = 1, live = [0+4096]}
// CHECK-NEXT: cmd.wait
// CHECK-NEXT: cmd.dsp {kernel = 1, inputs = [{2x2x64xf32, ringRows = 4, firstRow = 2}]
// CHECK: cmd.yield {point = 2,
// CHECK: cmd.yield {point = 3,

// CHECK: cmd.stream dma 0 section 2 {
// CHECK: cmd.yield {point = 1}
// CHECK: cmd.yield {point = 3}
module attributes {avocet.phase = "import"} {
  func.func @main(%f: tensor<8xi1>, %x: tensor<128x64xf32>) -> tensor<128x64xf32> {
    %r:2 = nn.while %f, %x : (tensor<8xi1>, tensor<128x64xf32>) -> (tensor<8xi1>, tensor<128x64xf32>) while {
    ^bb0(%g: tensor<8xi1>, %v: tensor<128x64xf32>):
      %c = nn.slice %g begin [0] size [1] strides [1] : (tensor<8xi1>) -> tensor<1xi1>
      nn.yield %c : tensor<1xi1>
    } do {
    ^bb0(%g: tensor<8xi1>, %v: tensor<128x64xf32>):
      %w = nn.softmax %v beta 1.0 axis 1 : (tensor<128x64xf32>) -> tensor<128x64xf32>
      %s = nn.slice %g begin [1] size [7] strides [1] : (tensor<8xi1>) -> tensor<7xi1>
      %h = nn.pad %s low [0] high [1] value 0.0 : (tensor<7xi1>) -> tensor<8xi1>
      nn.yield %h, %w : tensor<8xi1>, tensor<128x64xf32>
    }
    return %r#1 : tensor<128x64xf32>
  }
}
