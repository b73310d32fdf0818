//===- Parts.h - The operations of a pattern --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the families of patterns share. A pattern reads a graph from its last operation, the root, upwards: take...()
// looks at the operation that makes a value, and notes it as a part if it is of the wanted form. Afterwards obstacle()
// says why the root and its parts cannot become one operation, if they cannot.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_PARTS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_PARTS_H

#include "RealConstants.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnShapes.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "llvm/ADT/SetVector.h"

namespace avocet::compiler::nn {

/// A product of values and one constant, in whatever order a network multiplies them.
struct Product {
  double factor = 1;
  llvm::SmallVector<mlir::Value, 4> values; ///< a square is its root twice
};

/// A sum of values, each with a sign, and one constant.
struct Sum {
  struct Term {
    mlir::Value value;
    double sign;
  };
  double constant = 0;
  llvm::SmallVector<Term, 4> terms;

  /// The value that the constant is added to; null: there is none, it is subtracted, or there are others.
  mlir::Value onlyTerm() const { return terms.size() == 1 && terms[0].sign == 1 ? terms[0].value : mlir::Value(); }
};

/// The operand and the range of a clamp, or of a minimum or maximum with a constant.
std::optional<std::pair<mlir::Value, Activation>> readClamp(mlir::Operation *op);

/// Whether the value has floats or quantized numbers.
bool hasReals(mlir::Value value);

class Parts {
public:
  explicit Parts(mlir::Operation *root) : root_(root) {}

  /// The operation that makes the value, which becomes a part; null: it is of another kind, or has another clamp.
  template <typename Op> Op take(mlir::Value value, Activation activation = Activation::kNone) {
    auto op = value.getDefiningOp<Op>();
    return op && activationOf(op) == activation && note(op) ? op : Op();
  }

  // Each of these returns the value that a function of this form reads, or null.

  mlir::Value takeUnary(mlir::Value value, UnaryKind kind);
  mlir::Value takeReshape(mlir::Value value);
  /// Of -x, x * -1 or 0 - x.
  mlir::Value takeNegative(mlir::Value value, Activation activation = Activation::kNone);
  /// Of relu(x) or max(x, 0).
  mlir::Value takeRelu(mlir::Value value) { return takeBound<MaximumOp>(value, 0); }
  /// Of the larger (MaximumOp) or smaller (MinimumOp) of x and `bound`, or of a clamp with this bound alone.
  template <typename Op> mlir::Value takeBound(mlir::Value value, double bound) {
    Activation range;
    (std::is_same_v<Op, MaximumOp> ? range.low : range.high) = static_cast<float>(bound);
    if (auto clamp = value.getDefiningOp<ClampOp>(); clamp && clamp.getRange() == range && note(clamp))
      return clamp.getInput();
    auto op = value.getDefiningOp<Op>();
    mlir::Value other = op ? otherThan(op, bound) : mlir::Value();
    return other && note(op) ? other : mlir::Value();
  }

  /// A mean or another reduction of axes that the value keeps with extent 1.
  template <typename Op> Op takeReduction(mlir::Value value) {
    const mlir::Value reshaped = takeReshape(value);
    auto op = take<Op>(reshaped ? reshaped : value);
    return op && shapeOf(value) == ShapeRef(keptShape(shapeOf(op.getInput()), op.getAxes())) ? op : Op();
  }

  /// The value as a product or a sum. Operations inside it belong to it if nothing else reads their results.
  Product takeProduct(mlir::Value value);
  Sum takeSum(mlir::Value value);
  /// A sum that is clamped to a range from 0, in any of the forms of a clamp.
  std::optional<Sum> takeClampedSum(mlir::Value value, Activation activation);

  /// Calls the alternatives until one returns true; the parts of the others are forgotten.
  template <typename... Alternatives> bool either(Alternatives &&...alternatives) {
    return (attempt(alternatives) || ...);
  }
  /// Calls match(a, b), then match(b, a), until one returns true.
  template <typename Match> bool inEitherOrder(mlir::Value a, mlir::Value b, Match &&match) {
    return either([&] { return match(a, b); }, [&] { return match(b, a); });
  }

  /// Why one operation cannot replace the root: its parts have other readers, or round to quantized numbers. Empty: it
  /// can.
  llvm::StringRef obstacle() const;
  /// The same for an operation whose result has the type of its input.
  llvm::StringRef obstacle(mlir::Value input) const;
  /// The origins of the root, whose name comes first, and of its parts.
  mlir::Location location() const;
  /// The same for an operation instead of them, whose kind is the name of its remark in capitals.
  mlir::Location locationAs(llvm::StringRef remark) const;

private:
  bool note(mlir::Operation *op) {
    if (op != root_)
      ops_.insert(op);
    return true;
  }
  template <typename Match> bool attempt(Match &match) {
    const auto before = ops_;
    if (match())
      return true;
    ops_ = before;
    return false;
  }
  /// The operand of an operation with two whose other one is a constant near `number`.
  static mlir::Value otherThan(mlir::Operation *op, double number);
  void multiply(mlir::Value value, bool isInside, Product &product);
  void add(mlir::Value value, double sign, bool isInside, Sum &sum);

  mlir::Operation *root_;
  llvm::SmallSetVector<mlir::Operation *, 8> ops_; ///< without the root
};

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_PARTS_H
