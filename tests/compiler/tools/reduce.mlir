// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations before and after the interesting one become arguments and results; constants become zero.
// RUN: avocet-reduce %s --avocet-reduce-module=test=%S/Inputs/hasMinimum | FileCheck %s
// RUN: not avocet-reduce %s --avocet-reduce-module=test=/bin/true 2>&1 | FileCheck %s --check-prefix=DULL
// RUN: not avocet-reduce %s --avocet-reduce-module=test=noProgram 2>&1 | FileCheck %s --check-prefix=NOPROGRAM
// RUN: not avocet-reduce nowhere.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE

// CHECK: func.func @main() -> (tensor<4xf32> {nn.name = "{{.*}}"}) {
// CHECK-NEXT: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[MINIMUM:.*]] = nn.minimum %[[ZERO]], %[[ZERO]]
// CHECK-NEXT: return %[[MINIMUM]] : tensor<4xf32>

// DULL: error: the tester must end with 1 for the module itself; it ended with 0
// NOPROGRAM: error: test=noProgram: is no program; give the path of an executable file
// NOWHERE: nowhere.mlir
func.func @main(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}, tensor<4xf32> {nn.name = "z"}) {
  %0 = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = nn.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %1, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.minimum %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.sub %3, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4, %2 : tensor<4xf32>, tensor<4xf32>
}
