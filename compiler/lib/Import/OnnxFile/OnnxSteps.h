//===- OnnxSteps.h - The steps of opening an ONNX file ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_ONNXSTEPS_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_ONNXSTEPS_H

#include "OnnxFile.h"

#include "avocet/base/File.h"

#include "mlir/IR/Diagnostics.h"

#include <span>
#include <string>
#include <vector>

namespace avocet::compiler {

class UniqueNames;

using OnnxNodes = google::protobuf::RepeatedPtrField<onnx_file::NodeProto>;

inline constexpr int kMaxOnnxNodes = 1 << 17;
inline constexpr uint64_t kMaxOnnxElements = uint64_t{1} << 40;

/// What an opened file keeps.
struct OnnxContents {
  std::shared_ptr<llvm::MemoryBuffer> file;
  std::vector<std::span<const uint8_t>> external; ///< stored_file 1 and on: the pools, then files
  size_t numPools = 0;
  std::vector<Mapping> mappings; ///< of the files
  onnx_file::ModelProto model;
  mutable mlir::ArrayRef<char> lastExternal = {}; ///< of bytesOf(), in a file

  /// The field stored_field of a tensor, after readValues() its elements. Frees the pages of the file of external data
  /// read before.
  mlir::ArrayRef<char> bytesOf(const onnx_file::TensorProto &tensor) const;
};

/// Names nodes, checks attributes and tensors, finds or decodes elements, and takes the `names` of all values.
mlir::LogicalResult readValues(mlir::Location location, OnnxContents &contents, UniqueNames &names);

/// Sets the versions of nodes, and replaces calls of functions by their nodes. `names`: those of all values.
mlir::LogicalResult inlineFunctions(mlir::Location location, onnx_file::ModelProto &model, UniqueNames &names);

/// Checks names, order and declared types.
mlir::LogicalResult checkGraph(mlir::Location location, onnx_file::GraphProto &graph);

/// "node 'conv1' (Conv)"
std::string describe(const onnx_file::NodeProto &node);

/// The graphs in the attributes of a node.
mlir::SmallVector<onnx_file::GraphProto *> graphsOf(onnx_file::NodeProto &node);

/// Names the nodes that have no name, or that of another node.
void nameNodes(OnnxNodes &nodes);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_ONNXSTEPS_H
