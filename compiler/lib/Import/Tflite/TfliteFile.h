//===- TfliteFile.h - A structurally verified TFLite file -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to a model file after all structural checks: once open() succeeds, every index, range and length that the
// accessors use is valid.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEFILE_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEFILE_H

#include "Tflite_generated.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include "llvm/Support/MemoryBufferRef.h"

#include <map>
#include <string>

namespace avocet::compiler {

class TfliteFile {
public:
  /// Emits an error at `location` and fails if the bytes are not a valid TFLite model.
  static mlir::FailureOr<TfliteFile> open(mlir::Location location, llvm::MemoryBufferRef bytes);

  const tflite::Model &model() const { return *model_; }
  uint32_t numSubgraphs() const { return model_->subgraphs()->size(); }
  /// The same file, of which all members below see subgraph `index` (below numSubgraphs()). open() sees subgraph 0.
  TfliteFile subgraph(uint32_t index) const;
  /// Replaces the shape of a tensor, whose extents are 0 or more, and their product below 2^31.
  void setShape(int32_t index, mlir::ArrayRef<int64_t> shape) { shapes_[index] = llvm::to_vector(shape); }
  bool hasComputedShape(int32_t index) const { return shapes_.contains(index); }

  const tflite::SubGraph &graph() const { return *graph_; }
  uint32_t numTensors() const { return graph_->tensors() ? graph_->tensors()->size() : 0; }
  uint32_t numOperators() const { return graph_->operators() ? graph_->operators()->size() : 0; }

  /// 0 <= index < numTensors().
  const tflite::Tensor &tensor(int32_t index) const { return *graph_->tensors()->Get(index); }
  /// The tensor's name, or "tensorN" if the file has none.
  std::string tensorName(int32_t index) const;
  /// The tensor's shape, in the file unless it was replaced; extents are 0 or more and the product of those above 0 is
  /// below 2^31.
  mlir::SmallVector<int64_t> shape(int32_t index) const;
  /// The constant's bytes, or empty if the tensor is not constant.
  mlir::ArrayRef<char> data(int32_t index) const;

  const tflite::Operator &operation(uint32_t index) const { return *graph_->operators()->Get(index); }
  /// Tensors that the operator computes; empty if the file lists none.
  mlir::SmallVector<int32_t> outputs(uint32_t operation) const;
  tflite::BuiltinOperator code(uint32_t operation) const;
  /// The name of a custom operator; empty for others.
  llvm::StringRef customName(uint32_t operation) const;
  /// "CONV_2D", "CUSTOM(name)" or "operator 12345".
  std::string operationName(uint32_t operation) const;

private:
  explicit TfliteFile(llvm::MemoryBufferRef bytes);

  mlir::LogicalResult checkModel(mlir::Location location) const;
  mlir::LogicalResult checkBorder(mlir::Location location) const;
  mlir::LogicalResult checkGraph(mlir::Location location) const;
  mlir::LogicalResult checkSignature(mlir::Location location, const tflite::SignatureDef &signature) const;
  mlir::LogicalResult checkTensor(mlir::Location location, uint32_t index) const;
  mlir::LogicalResult checkBuffer(mlir::Location location, uint32_t tensor) const;
  mlir::LogicalResult checkOperator(mlir::Location location, uint32_t index) const;

  llvm::MemoryBufferRef bytes_;
  const tflite::Model *model_ = nullptr;
  const tflite::SubGraph *graph_ = nullptr;
  std::map<int32_t, mlir::SmallVector<int64_t>> shapes_; ///< by tensor
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEFILE_H
