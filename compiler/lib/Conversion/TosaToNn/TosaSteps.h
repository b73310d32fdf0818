//===- TosaSteps.h - Creates operations of TOSA -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSASTEPS_H
#define AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSASTEPS_H

#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"

namespace avocet::compiler {

/// Constants at the start of a block, each of them once.
struct TosaConstantPool {
  mlir::Block *block;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants = llvm::DenseMap<mlir::Attribute, mlir::Value>();
  mlir::Operation *last = nullptr; ///< null: there is none yet
};

/// Products of a rescale: those of tosa.rescale. Without any, because they were refused, there is no result.
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

/// Creates operations at the insertion point. Without an operand, which is null, no operation is created, and the
/// result is null.
class TosaSteps {
public:
  TosaSteps(mlir::OpBuilder &builder, mlir::Location location, TosaConstantPool &pool)
      : builder_(builder), location_(location), pool_(pool) {}

  mlir::OpBuilder &builder() { return builder_; }
  mlir::Type i1() { return builder_.getI1Type(); }
  mlir::Type i8() { return builder_.getI8Type(); }
  mlir::Type i32() { return builder_.getI32Type(); }

  mlir::Value constant(mlir::ElementsAttr elements);
  /// A list of integers of this width.
  mlir::Value constant(llvm::ArrayRef<int64_t> shape, unsigned width, llvm::ArrayRef<int32_t> numbers);
  /// A tensor of one element, whose rank is that of the values with which it broadcasts.
  mlir::Value number(mlir::Type element, double value, size_t rank = 1);
  mlir::Value numberLike(mlir::Value like, double value) {
    return like ? number(elementOf(like), value, shapeOf(like).size()) : mlir::Value();
  }
  mlir::Value shape(llvm::ArrayRef<int64_t> extents);

  /// An operation of TOSA with one result.
  template <typename Op, typename... Arguments>
  mlir::Value create(mlir::Type element, llvm::ArrayRef<int64_t> shape, const Arguments &...arguments) {
    if (!element || (isMissing(arguments) || ...))
      return {};
    return Op::create(builder_, location_, mlir::RankedTensorType::get(shape, element), arguments...).getResult();
  }
  /// One with the shape and type of its first operand, to which the others broadcast.
  template <typename Op, typename... Arguments> mlir::Value like(mlir::Value first, const Arguments &...arguments) {
    return first ? create<Op>(elementOf(first), shapeOf(first), first, arguments...) : first;
  }
  /// A function of two values of one type and rank, with broadcasting.
  template <typename Op, typename... Arguments>
  mlir::Value pair(mlir::Value lhs, mlir::Value rhs, const Arguments &...arguments) {
    return lhs ? relation<Op>(elementOf(lhs), lhs, rhs, arguments...) : lhs;
  }
  /// The same with another type.
  template <typename Op, typename... Arguments>
  mlir::Value relation(mlir::Type element, mlir::Value lhs, mlir::Value rhs, const Arguments &...arguments) {
    return lhs && rhs ? create<Op>(element, broadcast(lhs, rhs), lhs, rhs, arguments...) : mlir::Value();
  }
  /// One along an axis, which has the extent 1 in the result.
  template <typename Op> mlir::Value reduce(mlir::Value value, int64_t axis) {
    if (!value)
      return {};
    llvm::SmallVector<int64_t> extents(shapeOf(value));
    extents[axis] = 1;
    return create<Op>(elementOf(value), extents, value, static_cast<uint32_t>(axis));
  }
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs, int64_t shift = 0) {
    return pair<mlir::tosa::MulOp>(lhs, rhs, constant({1}, 8, static_cast<int32_t>(shift)));
  }
  /// `lhs` where the condition is true, else `rhs`.
  mlir::Value select(mlir::Value condition, mlir::Value lhs, mlir::Value rhs) {
    return lhs && rhs ? create<mlir::tosa::SelectOp>(elementOf(lhs), broadcast(lhs, rhs), condition, lhs, rhs)
                      : mlir::Value();
  }

  /// The same elements; a constant stays one.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<int64_t> start, llvm::ArrayRef<int64_t> size);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value rescale(mlir::Value value, const RescaleForm &form);

private:
  static bool isMissing(mlir::Value value) { return !value; }
  template <typename T> static bool isMissing(const T &) { return false; }
  static llvm::SmallVector<int64_t> broadcast(mlir::Value lhs, mlir::Value rhs);
  template <typename Make> mlir::Value shared(mlir::Attribute key, Make make);

  mlir::OpBuilder &builder_;
  mlir::Location location_;
  TosaConstantPool &pool_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSASTEPS_H
