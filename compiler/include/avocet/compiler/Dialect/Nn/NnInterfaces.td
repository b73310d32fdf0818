//===- NnInterfaces.td - Interfaces of the nn dialect ---------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNINTERFACES_TD
#define AVOCET_COMPILER_DIALECT_NN_NNINTERFACES_TD

include "mlir/IR/OpBase.td"

def Nn_WorkInterface : OpInterface<"WorkInterface"> {
  let cppNamespace = "::avocet::compiler::nn";
  let description = [{
    An operation that states how much work it is. Reports compare the time of a run with a bound made from it, so it
    depends only on the operation's types and attributes, never on a device or on how a compiler maps the operation.

    The work of this layer is 2 x 4 x 3 products:

    ```mlir
    func.func @main(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<2x4xf32> {
      %y = nn.fully_connected %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    }
    ```
  }];
  let methods = [
    InterfaceMethod<"The work of the operation (NnWork.h).", "::avocet::compiler::nn::Work", "getWork">,
  ];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNINTERFACES_TD
