//===- NnShapeOps.td - Constants and changes of shape ------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNSHAPEOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNSHAPEOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"
include "mlir/IR/OpAsmInterface.td"

def Nn_ConstantOp
    : Nn_WorkOp<"constant", [ConstantLike, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let work = "moveWork()";
  let summary = "tensor with known elements";
  let description = [{
    `value` holds the stored elements, row-major and little-endian; for a quantized result its element type is the
    signless integer of the storage width and the result type follows after `as`.

    ```mlir
    !w = !quant.uniform<i8:f32, 0.5>
    func.func @main() -> (tensor<2x1x1x2x!w>, tensor<16xi32>) {
      %w = nn.constant dense_resource<buffer7> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!w>
      %b = nn.constant dense<0> : tensor<16xi32>
      return %w, %b : tensor<2x1x1x2x!w>, tensor<16xi32>
    }

    {-#
      dialect_resources: {
        builtin: {
          buffer7: "0x1000000001FF02FE"
        }
      }
    #-}
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nn_Data:$output);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ReshapeOp : Nn_TypedOp<"reshape"> {
  let names = Nn_Names<"RESHAPE EXPAND_DIMS SQUEEZE", "RESHAPE EXPAND_DIMS SQUEEZE",
                       "Reshape Squeeze Unsqueeze Flatten", "reshape">;
  let rows = "regroupRows(getInput(), getOutput(), open)";
  let layout = "layoutReshape(*this)";
  let shapes = "reshapedShape(shapeOf(op.getInput()), op.getShape(), errors)";
  let elements = "elementOf(op.getInput())";
  let work = "moveWork()";
  let summary = "the same elements in the same order with another shape";
  let description = [{
    Becomes a view on the device and costs nothing. A chain of reshapes folds into one.

    ```mlir
    func.func @main(%x: tensor<1x3x4xf32>) -> tensor<12xf32> {
      %y = nn.reshape %x to [12] : (tensor<1x3x4xf32>) -> tensor<12xf32>
      return %y : tensor<12xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$shape);
  let builders = [OpBuilder<(ins "::mlir::RankedTensorType":$type, "::mlir::Value":$input),
                            [{ build($_builder, $_state, type, input, type.getShape()); }]>];
  let results = (outs Nn_Movable:$output);
  let assemblyFormat = "$input `to` $shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nn_BitcastOp : Nn_TypedOp<"bitcast"> {
  let names = Nn_Names<"BITCAST">;
  let layout = "getOutput().getType().getShape() == getInput().getType().getShape() "
               "? std::optional(layoutElementwise(*this)) : std::nullopt";
  let shapes = "bitcastShape(shapeOf(op.getInput()), bytesOf(elementOf(op.getInput())), bytesOf(op.getElement()), errors)";
  let elements = "op.getElement()";
  let work = "moveWork()";
  let summary = "the same bytes as elements of another type";
  let description = [{
    Elements of one width keep the shape. Narrower ones add a last axis with the parts of each element, the low bytes
    first; wider ones remove a last axis of such parts. Truth values have one byte. Becomes a view on the device and
    costs nothing.

    ```mlir
    func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3x2xf16> {
      %y = nn.bitcast %x to f16 : (tensor<2x3xi32>) -> tensor<2x3x2xf16>
      return %y : tensor<2x3x2xf16>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$input, TypeAttr:$element);
  let results = (outs Nn_Movable:$output);
  let assemblyFormat = "$input `to` $element attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNSHAPEOPS_TD
