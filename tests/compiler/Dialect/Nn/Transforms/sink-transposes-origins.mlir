// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation in another layout keeps its name. Its result is that of the transpose that was after it, or has no name.
// RUN: avocet-opt %s --nn-sink-transposes --mlir-print-debuginfo | FileCheck %s

// CHECK: nn.unary abs {{.*}} loc(#[[ABS:.*]])
// CHECK: nn.unary neg {{.*}} loc(#[[NEG:.*]])
// CHECK: nn.transpose {{.*}} loc(#[[OTHER:.*]])
func.func @names(%x: tensor<1x4x5x3xf32>) -> (tensor<1x4x5x3xf32>, tensor<1x3x5x4xf32>) {
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("first")
  %1 = nn.unary abs %0 : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("abs")
  %2 = nn.unary neg %1 : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("neg")
  %3 = nn.transpose %2 permutation [0, 2, 3, 1] : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32> loc("last")
  %4 = nn.transpose %2 permutation [0, 1, 3, 2] : (tensor<1x3x4x5xf32>) -> tensor<1x3x5x4xf32> loc("other")
  return %3, %4 : tensor<1x4x5x3xf32>, tensor<1x3x5x4xf32>
}

// CHECK: #[[ABSNAME:.*]] = loc("abs")
// CHECK: #[[NEGNAME:.*]] = loc("neg")
// CHECK: #[[LAST:.*]] = loc("last")
// CHECK: #[[OTHER]] = loc("other")
// CHECK: #[[ABS]] = loc(fused<"">[#[[ABSNAME]]])
// CHECK: #[[NEG]] = loc(fused<"last">[#[[NEGNAME]], #[[LAST]]])
