//===- TosaFile.h - A structurally verified TOSA file -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to a file after checks of its tensors and shapes. Once open() succeeds: their names are unique in their block
// and of bounded length, and types, extents and bytes of constants agree. Operators are checked when they are read, and
// what they demand of operands and attributes by the TOSA dialect.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAFILE_H
#define AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAFILE_H

#include "Tosa_generated.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <vector>

namespace avocet::compiler {

/// A tensor or a shape.
struct TosaRecord {
  const tosa_file::TosaTensor *tensor = nullptr;
  const tosa_file::TosaShape *shape = nullptr;
};

/// A block of operators: the network, or what a branch or a loop runs.
struct TosaGraph {
  llvm::StringRef region, name; ///< empty: the file has none
  const tosa_file::TosaBasicBlock *block = nullptr;
  llvm::StringMap<TosaRecord> records; ///< by name

  mlir::SmallVector<llvm::StringRef> inputs() const;
  mlir::SmallVector<llvm::StringRef> outputs() const;
  /// An error that names the block.
  mlir::InFlightDiagnostic error(mlir::Location location) const;
};

class TosaFile {
public:
  /// Emits an error at `location` and fails if the bytes are not a valid file of a known version.
  static mlir::FailureOr<TosaFile> open(mlir::Location location, llvm::MemoryBufferRef bytes);

  TosaVersion version() const { return version_; }
  const TosaGraph &network() const { return graphs_.front(); }
  /// The graph that an operator of `user` calls so: the first block of a region, or another block of the same region.
  /// Null: there is none.
  const TosaGraph *graph(const TosaGraph &user, llvm::StringRef name) const;

private:
  mlir::LogicalResult checkVersion(mlir::Location location, const tosa_file::Version *version);
  mlir::LogicalResult readGraphs(mlir::Location location, const tosa_file::TosaGraph &file);

  TosaVersion version_ = TosaVersion::V10;
  std::vector<TosaGraph> graphs_; ///< in the order of the file
};

/// The entries of a list of the file; none if it is absent.
template <typename Entry>
mlir::SmallVector<const Entry *> listOf(const flatbuffers::Vector<flatbuffers::Offset<Entry>> *list) {
  return list ? mlir::SmallVector<const Entry *>(list->begin(), list->end()) : mlir::SmallVector<const Entry *>();
}
/// The names in a list of the file.
mlir::SmallVector<llvm::StringRef> namesIn(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> *list);
llvm::StringRef textOf(const flatbuffers::String *text);
mlir::ArrayRef<char> bytesOf(const flatbuffers::Vector<uint8_t> *bytes);
mlir::SmallVector<int64_t> extentsOf(const tosa_file::TosaTensor &tensor);
/// The name of an operator: "CONV2D".
llvm::StringRef kindOf(const tosa_file::TosaOperator &operation);
/// CONST or CONST_SHAPE, whose output has data.
bool isConstant(const tosa_file::TosaOperator &operation);

/// Bits of an element in a file; 0: it is no type of tensors.
uint32_t storedBits(tosa_file::DType type);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAFILE_H
