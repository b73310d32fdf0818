//===- TosaExport.h - Operations of a network as those of TOSA --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exporters of NnToTosa: a table of rows for each family of operations, whose functions see an operation of the nn
// dialect through ExportedOperation.
//
// Stored integers become plain integers. Those of unsigned quantised numbers are signed, 128 less, between operations,
// because only tosa.rescale has unsigned ones; at the border of the network they are as the network has them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTOTOSA_TOSAEXPORT_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTOTOSA_TOSAEXPORT_H

#include "Conversion/NnToNpu/Storage.h"
#include "Import/Common/ImportedOperation.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"

namespace avocet::compiler {

/// State of one export.
struct TosaExport {
  mlir::OpBuilder &builder;
  mlir::Block *body = nullptr; ///< of the function, at whose start constants are
  /// The values of the network; of unsigned quantised ones the signed form.
  llvm::DenseMap<mlir::Value, mlir::Value> values = llvm::DenseMap<mlir::Value, mlir::Value>();
  /// Unsigned quantised values as the network has them.
  llvm::DenseMap<mlir::Value, mlir::Value> unsignedValues = llvm::DenseMap<mlir::Value, mlir::Value>();
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants = llvm::DenseMap<mlir::Attribute, mlir::Value>();
  mlir::Operation *lastConstant = nullptr; ///< null: there is none yet
};

/// The element type of the TOSA value for one of the network; null: it has none.
mlir::Type exportedElement(mlir::Type element);

/// Whether the numbers are stored as unsigned integers of 8 bits.
bool isUnsignedByte(mlir::Value value);

/// Products of a rescale: those of tosa.rescale.
struct Factors {
  llvm::SmallVector<int32_t> multipliers = {1 << 30}, shifts = {30};
  bool roundsTwice = false;
  bool isWide = false; ///< multipliers of 16 bits, for sums of 48
};

/// How integers become others.
struct RescaleForm {
  mlir::Type element;       ///< of the result
  int64_t from = 0, to = 0; ///< zero points
  Factors factors = {};     ///< the same numbers
  bool isFromUnsigned = false, isToUnsigned = false;
};

/// One operation of the network. Methods that return null or failure have reported the reason.
class ExportedOperation {
public:
  ExportedOperation(TosaExport &state, mlir::Operation *source) : state_(state), source_(source) {}

  mlir::Operation *source() const { return source_; }
  mlir::Value result() const { return source_->getResult(0); }
  mlir::OpBuilder &builder() { return state_.builder; }
  mlir::Type i32() { return builder().getI32Type(); }

  /// The value of TOSA for one of the network.
  mlir::Value value(mlir::Value value);
  mlir::Value operand(unsigned position = 0) { return value(source_->getOperand(position)); }
  /// The unsigned form of a value of the network if the export has it; null: it has not.
  mlir::Value unsignedForm(mlir::Value value) const { return state_.unsignedValues.lookup(value); }
  /// The zero point of value(), 0 of plain numbers.
  static int64_t zeroPointOf(mlir::Value value);
  /// The element type of the result; null after a refusal.
  mlir::Type resultElement();
  llvm::ArrayRef<int64_t> resultShape() const { return shapeOf(result()); }

  mlir::Value constant(mlir::ElementsAttr elements);
  /// A tensor of one element, whose rank is that of the values with which it broadcasts.
  mlir::Value number(mlir::Type element, double value, size_t rank = 1);
  mlir::Value shape(llvm::ArrayRef<int64_t> extents);

  /// An operation of TOSA with one result.
  template <typename Op, typename... Arguments>
  mlir::Value create(mlir::Type element, llvm::ArrayRef<int64_t> shape, const Arguments &...arguments) {
    return Op::create(builder(), source_->getLoc(), mlir::RankedTensorType::get(shape, element), arguments...)
        .getResult();
  }
  /// One with the shape and type of its first operand, to which the others broadcast.
  template <typename Op, typename... Arguments> mlir::Value like(mlir::Value first, const Arguments &...arguments) {
    return create<Op>(elementOf(first), shapeOf(first), first, arguments...);
  }
  /// A function of two values of one type and rank, with broadcasting.
  template <typename Op, typename... Arguments>
  mlir::Value pair(mlir::Value lhs, mlir::Value rhs, const Arguments &...arguments) {
    return create<Op>(elementOf(lhs), broadcast(lhs, rhs), lhs, rhs, arguments...);
  }
  static llvm::SmallVector<int64_t> broadcast(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs, int64_t shift = 0);

  /// The same elements; a constant stays one.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// The value with leading axes of extent 1 up to a rank.
  mlir::Value ofRank(mlir::Value value, size_t rank);
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<int64_t> start, llvm::ArrayRef<int64_t> size);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value rescale(mlir::Value value, const RescaleForm &form);
  /// The numbers of a value of the network without their zero point, as i32.
  mlir::Value centred(mlir::Value value);
  /// The result clamped as the activation says.
  mlir::Value clamped(mlir::Value value, nn::Activation activation);

  /// The products of the device as those of TOSA; failure after a refusal.
  mlir::FailureOr<Factors> factorsOf(llvm::ArrayRef<firmware::Rescale> rescales,
                                     firmware::Rounding rounding = firmware::Rounding::Double, bool isWide = false);
  mlir::FailureOr<Factors> factorsOf(nn::NumericsAttr numerics, bool isWide);
  /// Rescales integers to the stored ones of the result.
  mlir::LogicalResult finishRescaled(mlir::Value value, const mlir::FailureOr<Factors> &factors,
                                     nn::Activation activation = nn::Activation::kNone);

  /// Binds the value, whose elements are in the order of the result, as the result.
  mlir::LogicalResult finish(mlir::Value value);
  mlir::LogicalResult finishUnsigned(mlir::Value value);
  /// Reports what TOSA cannot express.
  Reported refuse(llvm::StringRef operand, const llvm::Twine &rule, const llvm::Twine &value,
                  const llvm::Twine &limit = "");

private:
  mlir::Value import(nn::ConstantOp constant);
  template <typename Make> mlir::Value shared(mlir::Attribute key, Make make);

  TosaExport &state_;
  mlir::Operation *source_;
};

/// A row of a table: the name of an operation of the network, and the function that exports it.
struct TosaExporter {
  llvm::StringRef name;
  mlir::LogicalResult (*convert)(ExportedOperation &op);
};

namespace detail {

template <auto convert, typename Op> mlir::LogicalResult exportAs(ExportedOperation &op) {
  return convert(op, mlir::cast<Op>(op.source()));
}
template <auto convert, typename Op>
constexpr TosaExporter exporterOf(mlir::LogicalResult (*)(ExportedOperation &, Op)) {
  return {Op::getOperationName(), exportAs<convert, Op>};
}

} // namespace detail

/// The row of a function of an ExportedOperation and the operation of the network.
template <auto convert> constexpr TosaExporter kExports = detail::exporterOf<convert>(convert);

// The tables of the individual files.
llvm::ArrayRef<TosaExporter> convExporters();
llvm::ArrayRef<TosaExporter> elementwiseExporters();
llvm::ArrayRef<TosaExporter> functionExporters();
llvm::ArrayRef<TosaExporter> moveExporters();
llvm::ArrayRef<TosaExporter> reductionExporters();
llvm::ArrayRef<TosaExporter> resizeExporters();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTOTOSA_TOSAEXPORT_H
