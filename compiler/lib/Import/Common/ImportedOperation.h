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
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Refusal.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
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

/// One operation of the file. Methods that return null or failure have reported the reason. Names of operands are for
/// these reports.
class ImportedOperation {
public:
  virtual uint32_t numInputs() const = 0;
  virtual uint32_t numOutputs() const = 0;
  /// Whether the position has an operand that was not omitted.
  virtual bool hasInput(uint32_t position) const = 0;

  /// An operand, computed or constant, in the type that the file gives it.
  virtual mlir::Value value(uint32_t position, llvm::StringRef operand) = 0;
  /// A filter, weights or a bias: the same, as a constant if it follows from constants.
  virtual mlir::Value parameter(uint32_t position, llvm::StringRef operand) { return value(position, operand); }
  /// The elements of an integer operand that are known before the device runs.
  virtual mlir::FailureOr<mlir::SmallVector<int64_t>> integers(uint32_t position, llvm::StringRef operand) = 0;
  /// Whether the operand is computed and not known before the device runs.
  virtual bool dependsOnData(uint32_t position) = 0;
  /// Whether the operator is one that applications define, and may compute (KeptOperator.h).
  virtual bool isOfApplication() const { return false; }
  /// Whether the file declares the types of results, so that others are malformed.
  virtual bool declaresResults() const { return true; }
  /// The declared element type of a result with the inferred shape, which the declared extents must not contradict.
  virtual mlir::RankedTensorType resultType(uint32_t position, llvm::ArrayRef<int64_t> shape) = 0;
  /// The element type that the file declares for a result; null after a report.
  virtual mlir::Type resultElement(uint32_t position) = 0;
  /// Binds the value as a result; fails if the value is null.
  virtual mlir::LogicalResult finish(mlir::Value value, uint32_t position = 0) = 0;

  /// The same for a tensor without elements; formats whose operators have no such operands omit it.
  virtual mlir::LogicalResult finishEmpty(mlir::RankedTensorType, uint32_t /*position*/ = 0) { return mlir::success(); }

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
  /// Reports that operands and attributes break a rule of an operation of the dialect. The format may have other rules.
  virtual Reported breaksRule(const std::string &rule);

  /// Converts the operation in a way that may be refused, and returns the refusals, which are not reported and after
  /// which it may be converted in another way. Fails after a report if it is malformed.
  mlir::FailureOr<llvm::SmallVector<mlir::Diagnostic>> attempt(llvm::function_ref<mlir::LogicalResult()> convert);
  /// Refuses the operation with these reports.
  void report(llvm::SmallVector<mlir::Diagnostic> refusals);

  /// The first operation that exists at the insertion point since this view was made; null: there is none.
  mlir::Operation *firstCreated();

  /// An axis from [-rank, rank), normalized to [0, rank); others are malformed. `owner` is "an input of " or empty.
  mlir::FailureOr<int64_t> normalizedAxis(int64_t axis, int64_t rank, llvm::StringRef owner = "");
  /// The same for several.
  mlir::FailureOr<mlir::SmallVector<int64_t>> normalizedAxes(mlir::SmallVector<int64_t> axes, int64_t rank);
  /// The same for an axis that is an operand of one element.
  mlir::FailureOr<int64_t> axis(uint32_t position, int64_t rank);
  /// The same, of a value; fails without a report if that is null.
  mlir::FailureOr<int64_t> axis(uint32_t position, mlir::Value of);
  /// Axes of an operand, each normalized.
  mlir::FailureOr<mlir::SmallVector<int64_t>> axes(uint32_t position, int64_t rank);
  /// The operands from position `first` on, before `end`.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> values(uint32_t first, uint32_t end);
  /// A known integer; `otherwise` if it may be omitted.
  mlir::FailureOr<int64_t> integer(uint32_t position, llvm::StringRef operand, std::optional<int64_t> otherwise = {});
  /// `count` known integers, such as one for each axis.
  mlir::FailureOr<mlir::SmallVector<int64_t>> integers(uint32_t position, llvm::StringRef operand, size_t count);
  /// The same of an operand that may be omitted, as many as `otherwise` has.
  mlir::FailureOr<mlir::SmallVector<int64_t>> integersOr(uint32_t position, llvm::StringRef operand,
                                                         mlir::SmallVector<int64_t> otherwise);

protected:
  /// `subject` is "operator 3" in messages.
  ImportedOperation(ImportState &state, std::string subject, std::string name, mlir::Location location,
                    std::string output = "");
  ~ImportedOperation() = default;

  /// Fails unless the operation has as many inputs as its converter reads.
  mlir::LogicalResult checkInputs(uint32_t count, uint32_t least, uint32_t most);
  /// Fails if an operation that was created breaks a rule of the dialect, such as one on element types.
  mlir::LogicalResult verifyCreated();

private:
  ImportState &state_;
  std::string name_;
  std::string subject_; ///< with the name
  mlir::Location location_;
  std::string output_;
  mlir::Operation *previous_ = nullptr; ///< the last operation before those of this one; null: there is none
};

/// Collects the error of a function of NnShapes.h, whose last argument it is.
class BrokenRule {
public:
  explicit BrokenRule(ImportedOperation &op) : op_(op) {}

  mlir::InFlightDiagnostic operator()();
  /// After a failure of the function.
  Reported report() {
    handler_.reset();
    return op_.breaksRule(text_);
  }

private:
  ImportedOperation &op_;
  std::string text_;
  std::optional<mlir::ScopedDiagnosticHandler> handler_; ///< while the error is written
};

/// The row that is the operation's, or null if no table has one.
template <typename Row, size_t count>
const Row *findConverter(llvm::ArrayRef<Row> (*const (&tables)[count])(),
                         llvm::function_ref<bool(const Row &)> isRowOf) {
  for (auto *table : tables)
    for (const Row &row : table())
      if (isRowOf(row))
        return &row;
  return nullptr;
}

/// A converter of one file format made from one that all formats share.
template <auto convert, typename Operation> mlir::LogicalResult shared(Operation &op) { return convert(op); }

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

/// The value, if its rank is this one; others are malformed. `operand` is "an input". Null values stay null.
mlir::Value ofRank(ImportedOperation &op, mlir::Value value, llvm::StringRef operand, size_t rank);
/// The same of its shape.
mlir::Value ofShape(ImportedOperation &op, mlir::Value value, llvm::StringRef operand, llvm::ArrayRef<int64_t> shape);

/// Binds the values as the results of the operation, from position 0.
mlir::LogicalResult finishAll(ImportedOperation &op, mlir::ValueRange values);

/// Binds as many of the values as the model has results; more results are malformed.
mlir::LogicalResult finishDeclared(ImportedOperation &op, mlir::ArrayRef<mlir::Value> values);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTEDOPERATION_H
