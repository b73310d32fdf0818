//===- NnTruthOps.td - Relations and choices -------- -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNTRUTHOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNTRUTHOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

/// Truth values of pairs, which broadcast.
class Nn_TruthOp<string mnemonic> : Nn_TypedOp<mnemonic> {
  let rows = "keepBroadcastRows(*this, open)";
  let merge = "mergeElementwise(*this)";
  let layout = "layoutElementwise(*this)";
  let shapes = "broadcastShape(shapeOf(op.getLhs()), shapeOf(op.getRhs()), errors)";
  let elements = "integers(op.getLhs(), 1)";
}

def Nn_CompareOp : Nn_TruthOp<"compare"> {
  let summary = "whether a relation holds, element by element with broadcasting";
  let description = [{
    Quantized inputs of one storage type are compared as the real numbers that they represent, in f32. Truth values
    compare as 0 and 1. With `fixed_point`, quantized inputs are first rounded to multiples of 1/256.

    ```mlir
    !a = !quant.uniform<u8:f32, 0.5:125>
    !b = !quant.uniform<u8:f32, 0.25:4>
    func.func @main(%a: tensor<4x!a>, %b: tensor<4x!b>) -> tensor<4xi1> {
      %y = nn.compare less %a, %b fixed_point : (tensor<4x!a>, tensor<4x!b>) -> tensor<4xi1>
      return %y : tensor<4xi1>
    }
    ```
  }];
  let arguments = (ins Nn_Scalar:$lhs, Nn_Scalar:$rhs, Nn_CompareKindAttr:$kind, UnitAttr:$fixed_point);
  let results = (outs Nn_Truth:$output);
  let assemblyFormat = "`` $kind $lhs `,` $rhs (`fixed_point` $fixed_point^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_LogicalOp : Nn_TruthOp<"logical"> {
  let summary = "a function of two truth values, with broadcasting";
  let description = [{
    The kind is the function: and, or.

    ```mlir
    func.func @main(%a: tensor<2x3xi1>, %b: tensor<3xi1>) -> tensor<2x3xi1> {
      %y = nn.logical and %a, %b : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
      return %y : tensor<2x3xi1>
    }
    ```
  }];
  let arguments = (ins Nn_Truth:$lhs, Nn_Truth:$rhs, Nn_LogicalKindAttr:$kind);
  let results = (outs Nn_Truth:$output);
  let assemblyFormat = "`` $kind $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Nn_SelectOp : Nn_TypedOp<"select"> {
  let names = Nn_Names<"SELECT SELECT_V2", "SELECT", "Where", "select">;
  let rows = "keepBroadcastRows(*this, open)";
  let merge = "mergeElementwise(*this)";
  let layout = "layoutElementwise(*this)";
  let shapes = "commonShape({shapeOf(op.getCondition()), shapeOf(op.getLhs()), shapeOf(op.getRhs())}, errors)";
  let elements = "elementOf(op.getLhs())";
  let summary = "the first of two elements where the condition is true, else the second";
  let description = [{
    All shapes are equal; both inputs and the result have one type.

    ```mlir
    func.func @main(%c: tensor<2x3xi1>, %a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = nn.select %c, %a, %b : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Truth:$condition, Nn_Selected:$lhs, Nn_Selected:$rhs);
  let results = (outs Nn_Selected:$output);
  let assemblyFormat = "$condition `,` $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNTRUTHOPS_TD
