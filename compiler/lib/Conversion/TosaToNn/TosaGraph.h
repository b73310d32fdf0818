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
// nn dialect they are plain integers, or quantised numbers of scale 1 with a zero point, which nn.bitcast joins without
// cost. A result stays in the form that its operation gives it, and readers ask for the form that they need.
//
// Operations compute with f32 in place of bf16: they read bf16 operands as f32, and finish() rounds their results.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSAGRAPH_H
#define AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSAGRAPH_H

#include "Import/Common/ImportedOperation.h"
#include "Import/Common/States.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>

namespace avocet::compiler {

/// State of one conversion.
struct TosaImport : ImportState {
  /// The values of the TOSA function in the nn function; constants appear when they are first used.
  llvm::DenseMap<mlir::Value, mlir::Value> values = llvm::DenseMap<mlir::Value, mlir::Value>();
  /// The shapes that operations compute and that are known.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> shapes =
      llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>>();
  /// Constants of bf16 in f32.
  llvm::DenseMap<mlir::Value, mlir::Value> wideConstants = llvm::DenseMap<mlir::Value, mlir::Value>();
  mlir::Block *constants = nullptr;        ///< the block of the function, at whose start they are
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
  mlir::Value computed(uint32_t position);
  /// An operand of 8 or 16 bits as quantised numbers of scale 1 with this zero point.
  mlir::Value quantized(uint32_t position, int64_t zeroPoint, bool isUnsigned = false);
  /// The same for a value of the TOSA function that an operand depends on.
  mlir::Value quantizedValue(mlir::Value operand, int64_t zeroPoint, bool isUnsigned = false);
  /// The same as a constant if it follows from constants, as most filters do.
  mlir::Value quantizedParameter(uint32_t position, int64_t zeroPoint);
  /// The element type of the quantised numbers that are stored as a result of 8 or 16 bits.
  mlir::Type quantizedResult(int64_t zeroPoint, bool isUnsigned = false, uint32_t position = 0);

  using ImportedOperation::integers;
  mlir::FailureOr<mlir::SmallVector<int64_t>> integers(uint32_t position, llvm::StringRef operand) override;
  /// An operand that is one constant: a zero point (0 of floats), a shift.
  mlir::FailureOr<int64_t> integer(uint32_t position, llvm::StringRef operand);
  bool dependsOnData(uint32_t position) override;

  /// The types in which the operation computes its result.
  mlir::RankedTensorType resultType(uint32_t position, llvm::ArrayRef<int64_t> shape) override;
  mlir::Type resultElement(uint32_t position) override;
  llvm::ArrayRef<int64_t> resultShape(uint32_t position = 0) const;
  /// The TOSA type of an operand or result.
  mlir::ShapedType operandType(uint32_t position) const;
  /// Also rounds a computed f32 to a result of bf16.
  mlir::LogicalResult finish(mlir::Value value, uint32_t position = 0) override;

  /// Converts the operations of a block, whose arguments are `arguments`, and returns what its terminator yields.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> convertBlock(mlir::Block &block, mlir::ValueRange arguments);

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

/// A row of a table: the name of an operation of TOSA, and the function that converts it.
struct TosaConverter {
  llvm::StringRef name;
  mlir::LogicalResult (*convert)(TosaOperation &op);
};

namespace detail {

template <auto convert, typename Op> mlir::LogicalResult convertAs(TosaOperation &op) {
  return convert(op, mlir::cast<Op>(op.source()));
}
template <auto convert, typename Op> constexpr TosaConverter converterOf(mlir::LogicalResult (*)(TosaOperation &, Op)) {
  return {Op::getOperationName(), convertAs<convert, Op>};
}

} // namespace detail

/// The row of a function of a TosaOperation and the operation of TOSA.
template <auto convert> constexpr TosaConverter kConverts = detail::converterOf<convert>(convert);

/// The element type of a value of the nn dialect for an element type of TOSA; null: it has none.
mlir::Type tosaElement(mlir::Type element);

/// The element types of TOSA that have one, for messages.
inline constexpr llvm::StringRef kTosaElements = "i1, i4, i8, i16, i32, i48, bf16, f16 or f32";

/// Converts the operations of the block at the insertion point.
mlir::LogicalResult convertOperations(TosaImport &import, mlir::Block &block);

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
