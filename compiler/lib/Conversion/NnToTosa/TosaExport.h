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
// Stored integers become plain integers. Those of unsigned quantized numbers are signed, 128 less, between operations,
// because only tosa.rescale has unsigned ones; at the border of the network they are as the network has them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTOTOSA_TOSAEXPORT_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTOTOSA_TOSAEXPORT_H

#include "Conversion/NnToNpu/Storage.h"
#include "Conversion/TosaToNn/TosaRows.h"
#include "Conversion/TosaToNn/TosaSteps.h"
#include "Import/Common/ImportedOperation.h"

namespace avocet::compiler {

/// State of one export.
struct TosaExport {
  mlir::OpBuilder &builder;
  TosaConstantPool pool;
  /// The values of the network; of unsigned quantized ones the signed form.
  ValueMap values = ValueMap();
  /// Unsigned quantized values as the network has them.
  ValueMap unsignedValues = ValueMap();
};

/// The element type of the TOSA value for one of the network; null: it has none.
mlir::Type exportedElement(mlir::Type element);

/// Whether the numbers are stored as unsigned integers of 8 bits.
bool isUnsignedByte(mlir::Value value);

/// One operation of the network. Methods that return null or failure have reported the reason.
class ExportedOperation : public TosaSteps {
public:
  ExportedOperation(TosaExport &state, mlir::Operation *source)
      : TosaSteps(state.builder, source->getLoc(), state.pool), state_(state), source_(source) {}

  mlir::Operation *source() const { return source_; }
  mlir::Value result() const { return source_->getResult(0); }

  /// The value of TOSA for one of the network.
  mlir::Value value(mlir::Value value);
  mlir::Value operand(unsigned position = 0) { return value(source_->getOperand(position)); }
  /// The unsigned form of a value of the network if the export has it; null: it has not.
  mlir::Value unsignedForm(mlir::Value value) const { return state_.unsignedValues.lookup(value); }
  /// The zero point of value(), 0 of plain numbers.
  static int64_t zeroPointOf(mlir::Value value);
  /// The element type of the result; null after a refusal.
  mlir::Type resultElement() { return checkedElement("result", result()); }
  llvm::ArrayRef<int64_t> resultShape() const { return shapeOf(result()); }

  /// The value with leading axes of extent 1 up to a rank.
  mlir::Value ofRank(mlir::Value value, size_t rank);
  /// The numbers of a value of the network without their zero point, as i32.
  mlir::Value centered(mlir::Value value);
  /// The result clamped as the activation says.
  mlir::Value clamped(mlir::Value value, nn::Activation activation);

  /// The products of the device as those of TOSA; none after a refusal.
  Factors factorsOf(llvm::ArrayRef<firmware::Rescale> rescales,
                    firmware::Rounding rounding = firmware::Rounding::Double, bool isWide = false);
  Factors factorsOf(nn::NumericsAttr numerics, bool isWide);
  /// Rescales integers to the stored ones of the result.
  mlir::Value rescaledToResult(mlir::Value value, const Factors &factors) {
    return rescale(value, {resultElement(), 0, zeroPointOf(result()), factors});
  }
  mlir::LogicalResult finishRescaled(mlir::Value value, const Factors &factors,
                                     nn::Activation activation = nn::Activation::kNone) {
    return finish(clamped(rescaledToResult(value, factors), activation));
  }

  /// Binds the value, whose elements are in the order of the result, as the result.
  mlir::LogicalResult finish(mlir::Value value);
  mlir::LogicalResult finishUnsigned(mlir::Value value);
  /// Binds an operation of TOSA with the type of the result.
  template <typename Op, typename... Arguments> mlir::LogicalResult finishAs(const Arguments &...arguments) {
    return finish(create<Op>(resultElement(), resultShape(), arguments...));
  }
  /// Reports what TOSA cannot express.
  Reported refuse(llvm::StringRef operand, const llvm::Twine &rule, const llvm::Twine &value,
                  const llvm::Twine &limit = "");

private:
  mlir::Type checkedElement(llvm::StringRef operand, mlir::Value value);
  mlir::Value import(nn::ConstantOp constant);

  TosaExport &state_;
  mlir::Operation *source_;
};

using TosaExporter = OperationRow<ExportedOperation>;

// The tables of the individual files.
llvm::ArrayRef<TosaExporter> convExporters();
llvm::ArrayRef<TosaExporter> elementwiseExporters();
llvm::ArrayRef<TosaExporter> functionExporters();
llvm::ArrayRef<TosaExporter> moveExporters();
llvm::ArrayRef<TosaExporter> reductionExporters();
llvm::ArrayRef<TosaExporter> resizeExporters();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTOTOSA_TOSAEXPORT_H
