//===- NnBase.td - Base classes of the nn operations -------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNBASE_TD
#define AVOCET_COMPILER_DIALECT_NN_NNBASE_TD

include "avocet/compiler/Dialect/Nn/NnAttrs.td"
include "avocet/compiler/Dialect/Nn/NnInterfaces.td"
include "avocet/compiler/Dialect/Nn/NnNames.td"
include "avocet/compiler/Dialect/Nn/NnTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// The verifier compares the results with what the operation infers (NnInference.h).
def Nn_InferredResults : NativeOpTrait<"InferredResults", [], [{
  /// The shapes of the results. `op` has operands of the dialect's types and attributes of the declared kinds, nothing
  /// else is checked before.
  static ::mlir::FailureOr<::avocet::compiler::nn::Shapes> inferShapes(Adaptor op,
                                                                       ::avocet::compiler::nn::ShapeErrors errors);
  /// The element types of the results, for operands from which inferShapes() infers shapes. Null where only the writer
  /// of the operation knows it.
  static ::llvm::SmallVector<::mlir::Type, 1> inferElements(Adaptor op);
}]> {
  let cppNamespace = "::avocet::compiler::nn";
}

/// An operation of which only its writer knows the results.
class Nn_WorkOp<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<Nn_WorkInterface>,
                                          DeclareOpInterfaceMethods<Nn_MergeInterface>,
                                          DeclareOpInterfaceMethods<Nn_LayoutInterface>,
                                          DeclareOpInterfaceMethods<Nn_RowsInterface>],
                                         traits)> {
  /// What other formats call it; the kinds of some operations have names of their own.
  Nn_Names names = Nn_Names<>;
  /// The body of getWork(): a call of a function of NnWork.h. An operation that says nothing else computes something of
  /// each element that it reads or makes.
  string work = "vectorWork(*this)";
  /// The body of mergedForm(): a call of a function of NnMerge.h. An operation that says nothing is refused above the
  /// rank of the device.
  string merge = "std::nullopt";
  /// The body of layoutForm(): a call of a function of NnLayout.h. An operation that says nothing keeps the order of its
  /// axes.
  string layout = "std::nullopt";
  /// The body of rowRule(): a call of a function of NnRows.h with `open`. An operation that says nothing is refused on
  /// rows whose number depends on data.
  string rows = "std::nullopt";
  string moreDefinitions = "";
  let extraClassDefinition = [{
    ::avocet::compiler::nn::Work $cppClass::getWork() { return }] # work # [{; }
    ::std::optional<::avocet::compiler::nn::MergedForm> $cppClass::mergedForm() { return }] # merge # [{; }
    ::std::optional<::avocet::compiler::nn::LayoutForm> $cppClass::layoutForm() { return }] # layout # [{; }
    ::avocet::compiler::nn::RowRule $cppClass::rowRule([[maybe_unused]] ::avocet::compiler::nn::OpenOperands open) {
      return }] # rows # [{;
    }
  }] # moreDefinitions;
}

/// An operation that infers its results. `shapes` calls a function of NnShapes.h with operands and attributes of `op`,
/// and with `errors`. `elements` lists the element types, in the order of the results; "{}" where a result has one that
/// does not follow, such as a quantized type with its scale, and "" if none follows.
class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Nn_WorkOp<mnemonic, !listconcat([Nn_InferredResults, DeclareOpInterfaceMethods<InferShapedTypeOpInterface,
                                                                                     ["inferReturnTypeComponents"]>],
                                      traits)> {
  string shapes = ?;
  string elements = "";
  string typeDefinition = "";
  let moreDefinitions = [{
    ::mlir::FailureOr<::avocet::compiler::nn::Shapes>
    $cppClass::inferShapes(Adaptor op, ::avocet::compiler::nn::ShapeErrors errors) {
      return toShapes(}] # shapes # [{);
    }
    ::llvm::SmallVector<::mlir::Type, 1> $cppClass::inferElements([[maybe_unused]] Adaptor op) {
      return {}] # elements # [{};
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location, ::mlir::ValueShapeRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents> &results) {
      return inferComponents<$cppClass>(context, location, Adaptor(operands, attributes, properties, regions), results);
    }
  }] # typeDefinition;
}

/// An operation that infers the types of all results.
class Nn_TypedOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {
  let typeDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return inferTypes<$cppClass>(context, location, Adaptor(operands, attributes, properties, regions), results);
    }
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNBASE_TD
