//===- Steps.h - The steps of opening an ONNX file --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_STEPS_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_STEPS_H

#include "OnnxFile.h"

#include "avocet/base/File.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace avocet::compiler {

using OnnxNodes = google::protobuf::RepeatedPtrField<onnx_file::NodeProto>;

inline constexpr int kMaxOnnxNodes = 1 << 17;
inline constexpr uint64_t kMaxOnnxElements = uint64_t{1} << 40;

/// What an opened file keeps.
struct OnnxContents {
  std::shared_ptr<llvm::MemoryBuffer> file;
  std::vector<Mapping> external; ///< stored_file 1 and on
  onnx_file::ModelProto model;

  /// What a tensor has in its field stored_field, after readValues(): its elements.
  mlir::ArrayRef<char> bytesOf(const onnx_file::TensorProto &tensor) const;
};

/// The operator sets that a model or a function, `user`, imports.
class OperatorSets {
public:
  static mlir::FailureOr<OperatorSets>
  read(mlir::Location location, const llvm::Twine &user,
       const google::protobuf::RepeatedPtrField<onnx_file::OperatorSetIdProto> &imports);

  /// Sets the version of a node, whose domain must be imported.
  mlir::LogicalResult setVersion(mlir::Location location, onnx_file::NodeProto &node) const;

private:
  llvm::StringMap<int64_t> versions_; ///< by domain
};

/// Parses the file. Elements of tensors stay in it.
mlir::LogicalResult readModel(mlir::Location location, OnnxContents &contents);

/// Names nodes, checks attributes and tensors, and finds or decodes the elements.
mlir::LogicalResult readValues(mlir::Location location, OnnxContents &contents);

/// Sets the versions of nodes, and replaces calls of functions by their nodes.
mlir::LogicalResult inlineFunctions(mlir::Location location, onnx_file::ModelProto &model);

/// Checks names, order and declared types.
mlir::LogicalResult checkGraph(mlir::Location location, onnx_file::GraphProto &graph);

/// "node 'conv1' (Conv)"
std::string describe(const onnx_file::NodeProto &node);

/// The graphs in the attributes of a node.
mlir::SmallVector<onnx_file::GraphProto *> graphsOf(onnx_file::NodeProto &node);

/// Names that are taken.
class UniqueNames {
public:
  /// False: it was taken before.
  bool take(llvm::StringRef name) { return next_.try_emplace(name, 1).second; }
  /// `name`, or `name` and a number that makes it new.
  std::string add(const std::string &name);

private:
  llvm::StringMap<uint32_t> next_; ///< the first number that may be new
};

/// Names the nodes that have no name, or that of another node.
void nameNodes(OnnxNodes &nodes);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_STEPS_H
