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

def Nn_MergeInterface : OpInterface<"MergeInterface"> {
  let cppNamespace = "::avocet::compiler::nn";
  let description = [{
    An operation that says which of its axes can be one. The pass `nn-merge-axes` asks for it where a rank is too high
    for the device.

    The axes that this reduction keeps can be one of 6 elements:

    ```mlir
    func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x3xf32> {
      %y = nn.reduce max %x axes [2] : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
  let methods = [
    InterfaceMethod<"The operation with as few axes as possible (NnMerge.h); nullopt: no two axes are alike.",
                    "::std::optional<::avocet::compiler::nn::MergedForm>", "mergedForm">,
  ];
}

def Nn_LayoutInterface : OpInterface<"LayoutInterface"> {
  let cppNamespace = "::avocet::compiler::nn";
  let description = [{
    An operation whose operands and results can all be transposed, with the same values as result. The pass
    `nn-sink-transposes` calls it to choose the layout of each operation.

    The softmax along axis 1 of this tensor is that along axis 3 of a tensor with the axes 0, 2, 3, 1:

    ```mlir
    func.func @main(%x: tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> {
      %y = nn.softmax %x axis 1 : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32>
      return %y : tensor<1x4x2x3xf32>
    }
    ```
  }];
  let methods = [
    InterfaceMethod<"How the axes can be exchanged (NnLayout.h); nullopt: they keep their order.",
                    "::std::optional<::avocet::compiler::nn::LayoutForm>", "layoutForm">,
  ];
}

def Nn_RowsInterface : OpInterface<"RowsInterface"> {
  let cppNamespace = "::avocet::compiler::nn";
  let description = [{
    An operation that says how rows of its results come from rows of its operands. Importers ask for it where the number
    of rows depends on data, as that of the boxes that a detector finds.

    Each row of this operand becomes two rows:

    ```mlir
    func.func @main(%x: tensor<5x4xf32>) -> tensor<10x2xf32> {
      %y = nn.reshape %x to [10, 2] : (tensor<5x4xf32>) -> tensor<10x2xf32>
      return %y : tensor<10x2xf32>
    }
    ```
  }];
  let methods = [
    InterfaceMethod<"The rule for operands of which these have rows whose number depends on data (NnRows.h).",
                    "::avocet::compiler::nn::RowRule", "rowRule", (ins "::avocet::compiler::nn::OpenOperands":$open)>,
  ];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNINTERFACES_TD
