# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prints a network of n branches, one after the other.
BEGIN {
  print "func.func @main(%c: tensor<1xi1> {nn.name = \"c\"}, %x0: tensor<4xf32> {nn.name = \"x\"})" \
        " -> (tensor<4xf32> {nn.name = \"y\"}) {"
  for (i = 0; i < n; ++i) {
    printf "  %%x%d = nn.if %%c : (tensor<1xi1>) -> tensor<4xf32> {\n", i + 1
    printf "    %%t = nn.tanh %%x%d : (tensor<4xf32>) -> tensor<4xf32>\n    nn.yield %%t : tensor<4xf32>\n  } else {\n", i
    printf "    %%l = nn.logistic %%x%d : (tensor<4xf32>) -> tensor<4xf32>\n    nn.yield %%l : tensor<4xf32>\n  }\n", i
  }
  printf "  return %%x%d : tensor<4xf32>\n}\n", n
}
