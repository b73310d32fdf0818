//===- NnNames.td - What other formats call an operation ---*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// compiler/nnapi/WriteOperations.py writes tables of these names.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNNAMES_TD
#define AVOCET_COMPILER_DIALECT_NN_NNNAMES_TD

include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"

/// Names of an operation, or of a kind of one, in the formats that networks come in. Several are separated by spaces, and
/// "" is none. `direct` lists the formats whose operands are those of the operation, in this order and without anything
/// else: their importers need no converter for it.
class Nn_Names<string tfliteNames = "", string nnapiNames = "", string onnxNames = "", string tosaNames = "",
               list<string> directFormats = []> {
  string tflite = tfliteNames;
  string nnapi = nnapiNames;
  string onnx = onnxNames;
  string tosa = tosaNames;
  list<string> direct = directFormats;
}
defvar Nn_Both = ["tflite", "nnapi"];

/// A kind of an operation, its names, and the element types of its operands if they are not those of all kinds.
class Nn_Case<string symbol, int value, string text, Nn_Names formats = Nn_Names<>, list<Type> elements = []>
    : I32EnumAttrCase<symbol, value, text> {
  Nn_Names names = formats;
  list<Type> elementTypes = elements;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNNAMES_TD
