//===- NnSignalOps.td - Spectra ---------------------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect has no complex numbers: an operation on them has an operand or result for each part.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNSIGNALOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNSIGNALOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

def Nn_Samples : Nn_TensorOf<[F32]>;

def Nn_RfftOp : Nn_TypedOp<"rfft"> {
  let names = Nn_Names<"RFFT2D">;
  let rows = "keepRowsBeside(open, {getInput().getType().getRank() - 1})";
  let merge = "mergeBeforeLast(*this)";
  let layout = "layoutBeforeLast(*this)";
  let shapes = "rfftShapes(shapeOf(op.getInput()), static_cast<int64_t>(op.getPoints()), errors)";
  let elements = "elementOf(op.getInput()), elementOf(op.getInput())";
  let work = "fourierWork(*this)";
  let summary = "the spectrum of real numbers along the last axis";
  let description = [{
    Element k is the sum of x[n] exp(-2 pi i k n / points), for k from 0 to points / 2; the others are the conjugates
    of these. The number of points is a power of two. A longer axis is cut off, a shorter one continues with zeros.

    ```mlir
    func.func @main(%x: tensor<2x6xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>) {
      %real, %imaginary = nn.rfft %x points 8 : (tensor<2x6xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
      return %real, %imaginary : tensor<2x5xf32>, tensor<2x5xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Samples:$input, I64Attr:$points);
  let results = (outs Nn_Samples:$real, Nn_Samples:$imaginary);
  let assemblyFormat = "$input `points` $points attr-dict `:` functional-type(operands, results)";
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNSIGNALOPS_TD
