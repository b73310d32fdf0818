// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @longCondition(%c: tensor<2xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{condition is 'tensor<2xi1>', must be a boolean of one element}}
  %y = nn.if %c : (tensor<2xi1>) -> tensor<4xf32> {
    nn.yield %x : tensor<4xf32>
  } else {
    nn.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @otherShape(%c: tensor<1xi1>, %x: tensor<4xf32>, %z: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{the branch for false yields 'tensor<5xf32>', must yield 'tensor<4xf32>'}}
  %y = nn.if %c : (tensor<1xi1>) -> tensor<4xf32> {
    nn.yield %x : tensor<4xf32>
  } else {
    nn.yield %z : tensor<5xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @growingLoop(%c: tensor<1xi1>, %x: tensor<4xf32>, %z: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{the body yields 'tensor<5xf32>', must yield 'tensor<4xf32>'}}
  %y = nn.while %x : (tensor<4xf32>) -> tensor<4xf32> while {
  ^bb0(%a: tensor<4xf32>):
    nn.yield %c : tensor<1xi1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    nn.yield %z : tensor<5xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @noCondition(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{condition is 'tensor<4xf32>', must be a boolean of one element}}
  %y = nn.while %x : (tensor<4xf32>) -> tensor<4xf32> while {
  ^bb0(%a: tensor<4xf32>):
    nn.yield %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    nn.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @strangeArguments(%c: tensor<1xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{the condition takes other values than the loop has}}
  %y = nn.while %x : (tensor<4xf32>) -> tensor<4xf32> while {
    nn.yield %c : tensor<1xi1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    nn.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
