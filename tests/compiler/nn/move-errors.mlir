// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @permutationTwice(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{'permutation' must name every axis once}}
  %0 = nn.transpose %x permutation [1, 1] : (tensor<2x3xi32>) -> tensor<3x3xi32>
  return
}

// -----

func.func @permutationRange(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{'permutation' must name every axis once}}
  %0 = nn.transpose %x permutation [1, 2] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @permutedExtent(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{extent 0 of the result is 2, must be 3}}
  %0 = nn.transpose %x permutation [1, 0] : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @permutationRank(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{rank of result is 1, must be 2}}
  %0 = nn.transpose %x permutation [1, 0] : (tensor<2x3xi1>) -> tensor<6xi1>
  return
}
