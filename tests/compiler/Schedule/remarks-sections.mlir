// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --avocet-compile="target=e256 stop-after=schedule" --remarks-filter=schedule -o /dev/null 2>&1 | FileCheck %s

// Layers are numbered as in the artefacts, where those of a section follow those of the sections before it.

// CHECK: remark: [Passed] cascade {{.*}}Layer=0,
// CHECK: remark: [Analysis] layer {{.*}}Layer=0
// CHECK: remark: [Passed] cascade {{.*}}Layer=1,
// CHECK: remark: [Analysis] layer {{.*}}Layer=1
// CHECK: remark: [Passed] cascade {{.*}}Layer=2,
// CHECK: remark: [Analysis] layer {{.*}}Layer=2
module attributes {avocet.phase = "import"} {
  func.func @main(%c: tensor<1xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
    %r = nn.if %c : (tensor<1xi1>) -> tensor<4xf32> {
      %a = nn.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      nn.yield %a : tensor<4xf32>
    } else {
      %m = nn.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      nn.yield %m : tensor<4xf32>
    }
    %s = nn.sub %r, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
}
