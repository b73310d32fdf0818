//===- OnnxInputs.h - Inputs of an ONNX network -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXINPUTS_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXINPUTS_H

#include "OnnxGraph.h"

namespace avocet::compiler {

/// An input that has no initializer.
struct OnnxInput {
  llvm::StringRef name;
  mlir::RankedTensorType type;
  std::optional<mlir::ArrayRef<char>> data; ///< its elements, if the options have them, or there are none

  /// The compiled network has no input without elements.
  bool hasElements() const { return !llvm::is_contained(type.getShape(), 0); }
};

/// The extent that the file records, or that the options give to its name; -1: unknown.
int64_t extentOf(const onnx_file::TensorShapeProto::Dimension &dimension, const OnnxOptions &options);

/// The inputs of the network, with the shapes and extents of the options. Fails after a report for each input whose
/// type the dialect lacks, whose shape is still open, or which the options give another rank or extent than the file.
mlir::FailureOr<mlir::SmallVector<OnnxInput>> inputsOf(OnnxImport &state, const onnx_file::GraphProto &graph);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXINPUTS_H
