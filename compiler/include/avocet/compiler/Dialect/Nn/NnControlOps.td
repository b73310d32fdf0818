//===- NnControlOps.td - Branches and loops ----------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches and loops whose conditions the device evaluates. Their regions can use the values around them; shapes are
// static and equal in every iteration. The phase nn removes them: the network is then several functions and a
// cmd.control.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNCONTROLOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNCONTROLOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

/// A boolean of one element.
def Nn_Condition : Nn_TensorOf<[I1]>;

class Nn_ControlOp<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat([RecursiveMemoryEffects, SingleBlock], traits)>;

def Nn_YieldOp : Op<Nn_Dialect, "yield", [Pure, Terminator, ParentOneOf<["IfOp", "WhileOp"]>]> {
  let summary = "ends a branch, or the condition or body of a loop, with its results";
  let description = [{
    The operands are the results of `nn.if`, or the condition or the values of the next iteration of `nn.while`.

    ```mlir
    func.func @main(%c: tensor<1xi1>, %x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %0:2 = nn.if %c : (tensor<1xi1>) -> (tensor<3xf32>, tensor<3xf32>) {
        nn.yield %x, %y : tensor<3xf32>, tensor<3xf32>
      } else {
        nn.yield %y, %x : tensor<3xf32>, tensor<3xf32>
      }
      return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Nn_Value>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Nn_IfOp : Nn_ControlOp<"if", [NoRegionArguments]> {
  let summary = "results of one of two branches";
  let description = [{
    The first region runs if the condition is true, else the second. Both yield values of the result types. They have no
    arguments and use the values around the operation.

    ```mlir
    func.func @main(%c: tensor<1xi1>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = nn.if %c : (tensor<1xi1>) -> tensor<2x3xf32> {
        %a = nn.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        nn.yield %a : tensor<2x3xf32>
      } else {
        nn.yield %x : tensor<2x3xf32>
      }
      return %y : tensor<2x3xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Condition:$condition);
  let results = (outs Variadic<Nn_Value>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$condition attr-dict `:` functional-type($condition, $results) $thenRegion `else` $elseRegion";
  let hasRegionVerifier = 1;
}

def Nn_WhileOp : Nn_ControlOp<"while"> {
  let summary = "values that a body recomputes while a condition holds";
  let description = [{
    Condition and body have the loop's values as arguments, initially `inits`. The condition yields one boolean; while
    it is true, the body yields the values of the next iteration. The results are the values of the last iteration.

    ```mlir
    func.func @main(%i: tensor<1xi32>) -> tensor<1xi32> {
      %one = nn.constant dense<1> : tensor<1xi32>
      %limit = nn.constant dense<10> : tensor<1xi32>
      %n = nn.while %i : (tensor<1xi32>) -> tensor<1xi32> while {
      ^bb0(%a: tensor<1xi32>):
        %c = nn.compare less %a, %limit : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
        nn.yield %c : tensor<1xi1>
      } do {
      ^bb0(%a: tensor<1xi32>):
        %b = nn.add %a, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
        nn.yield %b : tensor<1xi32>
      }
      return %n : tensor<1xi32>
    }
    ```
  }];
  let arguments = (ins Variadic<Nn_Value>:$inits);
  let results = (outs Variadic<Nn_Value>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "$inits attr-dict `:` functional-type($inits, $results) `while` $condition `do` $body";
  let hasRegionVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNCONTROLOPS_TD
