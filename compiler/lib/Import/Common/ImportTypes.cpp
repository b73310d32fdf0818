//===- ImportTypes.cpp - Types that only importers have ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTypes.h"

#include "Constants.h"
#include "Moves.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace avocet::compiler {

Type storageOfImported(Type element) {
  MLIRContext *context = element.getContext();
  const auto byte = [&](bool isUnsigned) {
    return IntegerType::get(context, 8, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  if (auto integer = dyn_cast<IntegerType>(element)) {
    if (integer.getWidth() > 1 && integer.getWidth() < 8)
      return byte(integer.isUnsigned());
    return integer.isUnsigned() && integer.getWidth() > 8 ? IntegerType::get(context, integer.getWidth()) : Type();
  }
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 8 ? byte(true) : Type();
}

static bool isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

bool isImportOnly(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (isEmpty(tensor) || storageOfImported(tensor.getElementType()));
}

bool isImportable(ArrayRef<int64_t> shape) {
  constexpr size_t kMostAxes = 32;
  return nn::isBounded(shape) ||
         (llvm::is_contained(shape, 0) && shape.size() <= kMostAxes &&
          llvm::all_of(shape, [](int64_t extent) { return extent >= 0 && extent <= INT32_MAX; }));
}

bool hasImportOnly(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isImportOnly) || llvm::any_of(op->getResultTypes(), isImportOnly);
}

namespace {

/// What formulas need of an operation; nothing of it is in the file.
class Rewritten final : public ImportedOperation {
public:
  Rewritten(ImportState &state, Operation *op)
      : ImportedOperation(state, "operation", op->getName().stripDialect().str(), op->getLoc()), op_(op) {}

  uint32_t numInputs() const override { return op_->getNumOperands(); }
  uint32_t numOutputs() const override { return op_->getNumResults(); }
  bool hasInput(uint32_t position) const override { return position < numInputs(); }
  Value value(uint32_t position, StringRef) override { return op_->getOperand(position); }
  FailureOr<SmallVector<int64_t>> integers(uint32_t, StringRef operand) override {
    return refuse(operand, "is known before the device runs", "a computed tensor");
  }
  bool dependsOnData(uint32_t) override { return true; }
  bool declaresResults() const override { return false; }
  Type resultElement(uint32_t position) override { return elementOf(op_->getResult(position)); }
  RankedTensorType resultType(uint32_t position, ArrayRef<int64_t> shape) override {
    return RankedTensorType::get(shape, resultElement(position));
  }
  LogicalResult finish(Value value, uint32_t) override { return success(static_cast<bool>(value)); }

private:
  Operation *op_;
};

//===----------------------------------------------------------------------===//
// Tensors without elements
//===----------------------------------------------------------------------===//

/// What a reduction gives of no elements.
TypedAttr identityOf(nn::ReduceKind kind, Type element) {
  Builder builder(element.getContext());
  const bool isMax = kind == nn::ReduceKind::Max;
  if (auto type = dyn_cast<FloatType>(element)) {
    if (kind == nn::ReduceKind::Max || kind == nn::ReduceKind::Min)
      return FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMax));
    return builder.getFloatAttr(type, kind == nn::ReduceKind::Prod ? 1 : 0);
  }
  const auto type = cast<IntegerType>(element);
  const unsigned width = type.getWidth();
  if (kind == nn::ReduceKind::Max || kind == nn::ReduceKind::Min) {
    if (type.isUnsigned() || width == 1)
      return IntegerAttr::get(type, isMax ? APInt::getZero(width) : APInt::getAllOnes(width));
    return IntegerAttr::get(type, isMax ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
  }
  return IntegerAttr::get(type, APInt(width, kind == nn::ReduceKind::Prod || kind == nn::ReduceKind::All ? 1 : 0));
}

/// The only result of an operation of which some operands are empty.
Value withoutEmpty(Rewritten &op, Operation *created) {
  const RankedTensorType type = tensorOf(created->getResult(0));
  if (auto whole = dyn_cast<nn::ConcatenationOp>(created)) {
    const auto parts = llvm::to_vector(
        llvm::make_filter_range(whole.getInputs(), [](Value part) { return !isEmpty(part.getType()); }));
    return parts.size() == 1 ? parts.front() : concatenate(op, parts, static_cast<int64_t>(whole.getAxis()));
  }
  if (auto reduce = dyn_cast<nn::ReduceOp>(created))
    return filled(op, type, identityOf(reduce.getKind(), type.getElementType()));
  return op.refuse("", "tensors have elements", "an extent of 0");
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// The number in a type that the dialect has; `to` is null for any.
Value numberOf(Rewritten &op, Value x, Type from, Type to, bool wraps) {
  if (auto small = dyn_cast<FloatType>(from); small && storageOfImported(from))
    return fromSmallFloat(op, x, small);
  const bool isWide = storageOfImported(from) && from.getIntOrFloatBitWidth() > 8;
  return isWide ? fromWideUnsigned(op, x, from, to, wraps) : x;
}

/// An integer of less than 8 bits keeps its low bits.
Value toNibble(Rewritten &op, Value x, IntegerType to) {
  const Type i32 = op.builder().getI32Type();
  Formula f(op, i32);
  const int64_t mask = (int64_t(1) << to.getWidth()) - 1, half = (mask + 1) / 2;
  const auto constant = [&](int64_t number) { return f.constant(static_cast<double>(number)); };
  if (x && elementOf(x) != i32)
    x = createAs<nn::CastOp>(op, i32, x, /*wraps=*/isa<IntegerType>(elementOf(x)));
  x = x ? f.apply(nn::BinaryKind::BitwiseAnd, x, constant(mask)) : x;
  if (!to.isUnsigned())
    x = f.sub(f.apply(nn::BinaryKind::BitwiseXor, x, constant(half)), static_cast<double>(half));
  return castTo(op, x, storageOfImported(to));
}

Value convertedCast(Rewritten &op, nn::CastOp created, Type from, Type to) {
  const bool wraps = created.getWraps();
  Value x = created.getInput();
  if (from == to)
    return x;
  if (!storageOfImported(to)) {
    x = numberOf(op, x, from, to, wraps);
    return !x || elementOf(x) == to ? x : createAs<nn::CastOp>(op, to, x, wraps);
  }
  const Type f32 = op.builder().getF32Type(), i64 = op.builder().getI64Type();
  if (auto small = dyn_cast<FloatType>(to))
    return toSmallFloat(op, castTo(op, numberOf(op, x, from, f32, false), f32), small, /*saturates=*/!wraps);
  if (storageOfImported(from))
    x = numberOf(op, x, from, i64, true); // all have no more than 64 bits
  const auto integer = cast<IntegerType>(to);
  if (!x)
    return {};
  return integer.getWidth() < 8 ? toNibble(op, x, integer) : toWideUnsigned(op, x, integer, wraps);
}

Value convertedBitcast(Rewritten &op, Value x, Type to) {
  if (auto integer = dyn_cast<IntegerType>(to); integer && integer.getWidth() < 8)
    return toNibble(op, x, integer);
  const Type stored = storageOfImported(to) ? storageOfImported(to) : to;
  return elementOf(x) == stored ? x : create<nn::BitcastOp>(op, x, stored);
}

/// Operations that pass elements on as they are.
bool onlyMoves(Operation *op) {
  return isa<nn::ConcatenationOp, nn::SliceOp, nn::ReshapeOp, nn::TransposeOp, nn::TileOp, nn::PadOp, nn::GatherOp,
             nn::GatherNdOp, nn::SelectOp, nn::YieldOp, nn::IfOp, nn::WhileOp, func::ReturnOp>(op) ||
         (isa<nn::ScatterNdOp>(op) && cast<nn::ScatterNdOp>(op).getKind() == nn::ScatterKind::Set);
}

class Legalizer {
public:
  Legalizer(ImportState &state, func::FuncOp function) : state_(state), function_(function) {}

  LogicalResult run() {
    SmallVector<Operation *> found;
    function_.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (hasImportOnly(op) && !isa<func::FuncOp>(op)) {
        found.push_back(op);
        types_[op] = {llvm::map_to_vector(op->getOperands(), elementAt),
                      llvm::map_to_vector(op->getResults(), elementAt)};
      }
    });
    if (found.empty())
      return success();
    for (Operation *op : found)
      if (failed(rewrite(op)))
        return failure();
    for (Operation *op : llvm::reverse(found))
      if (!kept_.contains(op) && op->use_empty())
        op->erase();
    function_.walk([&](Block *block) {
      for (BlockArgument argument : block->getArguments())
        store(argument);
    });
    function_.setType(FunctionType::get(function_.getContext(), function_.getBody().front().getArgumentTypes(),
                                        function_.getBody().front().getTerminator()->getOperandTypes()));
    return checkRules();
  }

private:
  struct Types {
    SmallVector<Type> operands, results;
  };

  /// Rules on the stored types, which converters could not check.
  LogicalResult checkRules() {
    const WalkResult result = function_.walk([&](Operation *op) {
      std::string broken;
      {
        ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic &diagnostic) {
          broken = broken.empty() ? diagnostic.str() : broken;
          return success();
        });
        if (succeeded(verify(op, /*verifyRecursively=*/false)))
          return WalkResult::advance();
      }
      Rewritten(state_, op).refuse("", "has operands and results that its rules admit", broken);
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  static Type elementAt(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    return tensor ? tensor.getElementType() : Type();
  }

  static void store(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (Type stored = tensor ? storageOfImported(tensor.getElementType()) : Type())
      value.setType(RankedTensorType::get(tensor.getShape(), stored));
  }

  LogicalResult rewrite(Operation *op) {
    const Types &types = types_[op];
    const bool readsEmpty = llvm::any_of(op->getOperandTypes(), isEmpty);
    if (op->getNumResults() > 0 && llvm::all_of(op->getResultTypes(), isEmpty))
      return success(); // nothing reads it in the end
    state_.builder.setInsertionPoint(op);
    Rewritten view(state_, op);
    for (Value operand : op->getOperands())
      store(operand);
    if (readsEmpty && op->getNumResults() == 1)
      return replace(op, withoutEmpty(view, op));
    if (readsEmpty)
      return view.refuse("", "tensors have elements", "an extent of 0");
    if (auto bitcast = dyn_cast<nn::BitcastOp>(op))
      return replace(op, convertedBitcast(view, bitcast.getInput(), types.results[0]));
    if (auto best = dyn_cast<nn::TopkV2Op>(op); best && types.operands[0].getIntOrFloatBitWidth() > 8)
      return rewriteTopK(view, best);
    if (onlyMoves(op) || isa<nn::ConstantOp>(op)) {
      kept_.insert(op);
      for (Value result : op->getResults())
        store(result);
      if (auto constant = dyn_cast<nn::ConstantOp>(op))
        constant.setValueAttr(stored(constant));
      return success();
    }
    if (auto cast = dyn_cast<nn::CastOp>(op))
      return replace(op, convertedCast(view, cast, types.operands[0], types.results[0]));
    for (Type each : llvm::concat<const Type>(types.operands, types.results))
      if (each && storageOfImported(each) && each.getIntOrFloatBitWidth() <= 8)
        return view.refuse("", "element type", "numbers of 2, 4 or 8 bits", "a type with arithmetic; cast the operand");
    for (Value result : op->getResults())
      store(result);
    if (op->getNumResults() == 1)
      return replace(op, wideUnsigned(view, op, types.operands, types.results[0]));
    return view.refuse("", "has a form for unsigned numbers", op->getName().stripDialect());
  }

  LogicalResult rewriteTopK(Rewritten &view, nn::TopkV2Op op) {
    store(op.getValues());
    kept_.insert(op);
    op.getInputMutable().assign(withSignedOrder(view, op.getInput()));
    state_.builder.setInsertionPointAfter(op);
    Value values = withSignedOrder(view, op.getValues());
    op.getValues().replaceAllUsesExcept(values, values.getDefiningOp());
    return success();
  }

  static LogicalResult replace(Operation *op, Value value) {
    if (!value)
      return failure();
    op->getResult(0).replaceAllUsesWith(value);
    return success();
  }

  /// The value of a constant in the type that stores it.
  static ElementsAttr stored(nn::ConstantOp op) {
    const Type element = storageOfImported(op.getValue().getElementType());
    if (!element)
      return op.getValue(); // bytes of the file
    const unsigned width = element.getIntOrFloatBitWidth();
    if (auto integers = dyn_cast<DenseIntElementsAttr>(op.getValue())) {
      const bool isUnsigned = integers.getElementType().isUnsignedInteger();
      return integers.mapValues(element, [&](const APInt &number) {
        return isUnsigned ? number.zextOrTrunc(width) : number.sextOrTrunc(width);
      });
    }
    return cast<DenseFPElementsAttr>(op.getValue()).mapValues(element, [&](const APFloat &number) {
      return number.bitcastToAPInt().zextOrTrunc(width);
    });
  }

  ImportState &state_;
  func::FuncOp function_;
  llvm::DenseMap<Operation *, Types> types_;
  llvm::SmallPtrSet<Operation *, 16> kept_;
};

} // namespace

LogicalResult legalizeImportTypes(ImportState &state, func::FuncOp function) {
  OpBuilder::InsertionGuard guard(state.builder);
  return Legalizer(state, function).run();
}

} // namespace avocet::compiler
