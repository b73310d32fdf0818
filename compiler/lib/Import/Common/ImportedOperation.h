//===- ImportedOperation.h - What all importers share -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State of one import, and the view of one operation of the file, with the two kinds of reports. Each importer derives
// both for its file format.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTEDOPERATION_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTEDOPERATION_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Refusal.h"

#include "mlir/IR/Builders.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <utility>

namespace avocet::compiler {

struct ImportState {
  mlir::OpBuilder &builder;
  std::shared_ptr<const void> bytes; ///< keeps the file alive for the constants
  mlir::Location location;           ///< of the model
  bool refused = false;              ///< an operation was refused; the import continues only to find more refusals
};

/// Loads the dialects of imported modules, and returns the location that names the file.
mlir::Location beginImport(mlir::MLIRContext *context, const llvm::MemoryBuffer &file);

/// Return value after a reported problem: converts to the caller's null or failure.
struct Reported {
  operator mlir::LogicalResult() const { return mlir::failure(); }
  operator mlir::Value() const { return {}; }
  operator mlir::RankedTensorType() const { return {}; }
  template <typename T> operator mlir::FailureOr<T>() const { return mlir::failure(); }
};

/// One operation of the file. Methods that return null or failure have reported the reason.
class ImportedOperation {
public:
  mlir::OpBuilder &builder() { return state_.builder; }
  mlir::Location location() const { return location_; }
  /// "CONV_2D"
  const std::string &name() const { return name_; }
  /// "operand 7": the first output; empty if the location has its name.
  const std::string &outputName() const { return output_; }

  /// Reports that the device or this compiler does not support the operation.
  Reported refuse(llvm::StringRef operand, const llvm::Twine &rule, const llvm::Twine &value,
                  const llvm::Twine &limit = "");
  /// Reports that the file contradicts itself.
  Reported malformed(const llvm::Twine &message);

  /// An axis from [-rank, rank), normalised to [0, rank); others are malformed. `owner` is "an input of " or empty.
  mlir::FailureOr<int64_t> normalizedAxis(int64_t axis, int64_t rank, llvm::StringRef owner = "");

protected:
  /// `subject` is "operator 3" in messages.
  ImportedOperation(ImportState &state, std::string subject, std::string name, mlir::Location location,
                    std::string output = "");

  /// Fails unless the operation has as many inputs as its converter reads.
  mlir::LogicalResult checkInputs(uint32_t count, uint32_t least, uint32_t most);

private:
  ImportState &state_;
  std::string name_;
  std::string subject_; ///< with the name
  mlir::Location location_;
  std::string output_;
};

/// Converts one operation with a row of a converter table; null: the compiler does not implement it. Fails if the
/// operation is malformed; else returns whether it was refused.
template <typename Operation, typename Converter>
mlir::FailureOr<bool> convertOperation(ImportState &state, Operation &op, const Converter *converter) {
  const bool refusedBefore = std::exchange(state.refused, false);
  mlir::LogicalResult converted = mlir::failure();
  if (!converter)
    converted = op.refuse("", kImplementedRule, op.name());
  else if (mlir::succeeded(op.checkArity(*converter)))
    converted = converter->convert(op);
  const bool refused = state.refused;
  if (mlir::failed(converted) && !refused)
    return mlir::failure();
  state.refused |= refusedBefore;
  return refused;
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTEDOPERATION_H
