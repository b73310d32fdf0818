//===- NnRandomOps.td - Random numbers --------------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNRANDOMOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNRANDOMOPS_TD

include "avocet/compiler/Dialect/Nn/NnNormalizeOps.td"

def Nn_RandomMultinomialOp : Nn_TypedOp<"random_multinomial"> {
  let names = Nn_Names<"", "RANDOM_MULTINOMIAL", "Multinomial">;
  let shapes = "drawnShape(shapeOf(op.getLogits()), shapeOf(op.getSeeds()), static_cast<int64_t>(op.getSamples()), errors)";
  let elements = "integers(op.getLogits(), 32)";
  let summary = "random classes, drawn with the given probabilities";
  let description = [{
    `logits` is [batch, classes]; exp(logits) is proportional to the probability of a class. The result is [batch,
    samples]. `seeds` are two numbers; equal seeds give equal results.

    ```mlir
    func.func @main(%x: tensor<2x5xf32>, %seeds: tensor<2xi32>) -> tensor<2x9xi32> {
      %y = nn.random_multinomial %x samples 9 seeds %seeds : (tensor<2x5xf32>, tensor<2xi32>) -> tensor<2x9xi32>
      return %y : tensor<2x9xi32>
    }
    ```
  }];
  let arguments = (ins Nn_FloatOnly:$logits, Nn_TensorOf<[I32]>:$seeds, I64Attr:$samples);
  let results = (outs Nn_TensorOf<[I32]>:$output);
  let assemblyFormat = "$logits `samples` $samples `seeds` $seeds attr-dict `:` functional-type(operands, results)";
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNRANDOMOPS_TD
