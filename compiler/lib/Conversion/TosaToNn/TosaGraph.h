//===- TosaGraph.h - A function of TOSA and its operations ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The converters of TosaToNn: a table of rows for each family of operations, whose functions see an operation of the
// TOSA dialect through TosaOperation.
//
// Integer tensors of TOSA have no scale and no zero point of their own; operations have zero points as operands. In the
// nn dialect they are plain integers, or quantized numbers of scale 1 with a zero point, which nn.bitcast joins without
// cost. A result stays in the form that its operation gives it, and readers ask for the form that they need.
//
// Operations compute with f32 in place of bf16: they read bf16 operands as f32, and finish() rounds their results.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSAGRAPH_H
#define AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSAGRAPH_H

#include "TosaRows.h"

#include "Import/Common/ImportedOperation.h"
#include "Import/Common/States.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include <map>

namespace avocet::compiler {

/// State of one conversion.
struct TosaImport : ImportState {
  ValueMap values = ValueMap(); ///< of the TOSA function; constants appear when they are first used
  /// The shapes that operations compute and that are known.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> shapes =
      llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>>();
  ValueMap wide = ValueMap();              ///< constants, and values of the function's block, of bf16 in f32
  mlir::Block *body = nullptr;             ///< the block of the function, at whose start constants are
  mlir::Operation *lastConstant = nullptr; ///< null: there is none yet
  std::map<std::string, State> variables = {};
  States states = {};
};

/// One operation of the TOSA dialect. Methods that return null or failure have reported the reason.
class TosaOperation final : public ImportedOperation {
public:
  TosaOperation(TosaImport &import, mlir::Operation *source);

  mlir::Operation *source() const { return source_; }
  TosaImport &import() { return import_; }
  uint32_t numInputs() const override { return source_->getNumOperands(); }
  uint32_t numOutputs() const override { return source_->getNumResults(); }
  bool hasInput(uint32_t position) const override { return position < numInputs(); }

  /// The operand as plain integers, floats or truth values, for operations that compute.
  mlir::Value value(uint32_t position, llvm::StringRef operand) override;
  /// The same for operations that only move elements of several operands.
  mlir::Value plain(uint32_t position);
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> plainValues(uint32_t first = 0);
  /// The operand in the form in which it was made, for operations that only move elements of one.
  mlir::Value stored(uint32_t position) { return storedValue(source_->getOperand(position)); }
  /// The same for operations that compute with numbers of any form.
  mlir::Value computed(uint32_t position) { return inF32(stored(position)); }
  /// A value of the TOSA function, of 8 or 16 bits, as quantized numbers of scale 1 with this zero point.
  mlir::Value quantized(mlir::Value value, int64_t zeroPoint = 0, bool isUnsigned = false);
  mlir::Value quantized(uint32_t position, int64_t zeroPoint = 0, bool isUnsigned = false) {
    return quantized(source_->getOperand(position), zeroPoint, isUnsigned);
  }
  /// An operand as the numbers for which it stands: floats as they are, integers as quantized ones with the zero point
  /// that another operand has.
  mlir::Value numbers(uint32_t position, uint32_t zeroPosition);
  /// The same as a constant if it follows from constants, as most filters do.
  mlir::Value constantNumbers(uint32_t position, uint32_t zeroPosition);
  /// The element type of the quantized numbers that are stored as the result of 8 or 16 bits.
  mlir::Type quantizedResult(int64_t zeroPoint, bool isUnsigned);

  using ImportedOperation::integers;
  mlir::FailureOr<mlir::SmallVector<int64_t>> integers(uint32_t position, llvm::StringRef operand) override;
  /// An operand that is one constant: a zero point (0 of floats), a shift.
  mlir::FailureOr<int64_t> integer(uint32_t position, llvm::StringRef operand);
  bool dependsOnData(uint32_t position) override;

  /// The types in which the operation computes its result.
  mlir::RankedTensorType resultType(uint32_t position, llvm::ArrayRef<int64_t> shape) override;
  mlir::Type resultElement(uint32_t position) override;
  llvm::ArrayRef<int64_t> resultShape(uint32_t position = 0) const { return resultTensor(position).getShape(); }
  /// The TOSA types of an operand and of a result.
  mlir::Type operandElement(uint32_t position) const {
    return mlir::cast<mlir::ShapedType>(source_->getOperand(position).getType()).getElementType();
  }
  mlir::ShapedType resultTensor(uint32_t position = 0) const {
    return mlir::cast<mlir::ShapedType>(source_->getResult(position).getType());
  }
  /// Also rounds a computed f32 to a result of bf16.
  mlir::LogicalResult finish(mlir::Value value, uint32_t position = 0) override;

  /// Rows of a table have an operation each; there is no other check of arity than that of the TOSA dialect.
  template <typename Converter> mlir::LogicalResult checkArity(const Converter &) { return mlir::success(); }

private:
  mlir::Value storedValue(mlir::Value operand);
  mlir::Value constant(mlir::Value value);
  /// The value, or f32 instead of bf16.
  mlir::Value inF32(mlir::Value value);

  TosaImport &import_;
  mlir::Operation *source_;
};

using TosaConverter = OperationRow<TosaOperation>;

/// Converts the operations of a block at the insertion point, and returns what its terminator yields. `arguments` are
/// those of the block.
mlir::FailureOr<mlir::SmallVector<mlir::Value>> convertBlock(TosaImport &import, mlir::Block &block,
                                                             mlir::ValueRange arguments);

// The tables of the individual files.
llvm::ArrayRef<TosaConverter> tosaControlFlowConverters();
llvm::ArrayRef<TosaConverter> tosaConvConverters();
llvm::ArrayRef<TosaConverter> tosaElementwiseConverters();
llvm::ArrayRef<TosaConverter> tosaLookupConverters();
llvm::ArrayRef<TosaConverter> tosaMoveConverters();
llvm::ArrayRef<TosaConverter> tosaPoolConverters();
llvm::ArrayRef<TosaConverter> tosaReductionConverters();
llvm::ArrayRef<TosaConverter> tosaRescaleConverters();
llvm::ArrayRef<TosaConverter> tosaSpectrumConverters();
llvm::ArrayRef<TosaConverter> tosaVariableConverters();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSAGRAPH_H
