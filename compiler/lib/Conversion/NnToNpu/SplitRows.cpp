//===- SplitRows.cpp - Operations with repeated rows, row by row ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitRows.h"

#include "Layers/MacLayer.h"
#include "Storage.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/OptionalActions.h"
#include "avocet/compiler/Support/Remarks.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Fewer operations gain nothing from stripes: they read and write each row once, too.
constexpr size_t kLeastOperations = 3;
/// More commands than this would make the program too long.
constexpr int64_t kMostCommands = 512;

int64_t heightOf(Value storage) { return tensorOf(storage).getDimSize(0); }
int64_t widthOf(Value storage) { return tensorOf(storage).getDimSize(1); }

/// Whether each row of a result reads the only row of the operand.
bool isRepeated(Value operand, Value result) {
  return heightOf(operand) == 1 && heightOf(result) > 1 && widthOf(operand) > 1;
}

/// Element-wise operations of equal rows and columns that read each other's results, or the same operands.
class Group {
public:
  explicit Group(npu::EltwiseOp first) : first_(first.getResult()) {
    add(first);
    while (!pending_.empty()) {
      const Value value = pending_.pop_back_val();
      add(value.getDefiningOp<npu::EltwiseOp>());
      for (Operation *user : value.getUsers())
        add(dyn_cast<npu::EltwiseOp>(user));
    }
  }

  /// In the order of the function.
  SmallVector<npu::EltwiseOp> operations() const {
    SmallVector<npu::EltwiseOp> ops(ops_.begin(), ops_.end());
    llvm::sort(ops, [](npu::EltwiseOp a, npu::EltwiseOp b) { return a->isBeforeInBlock(b); });
    return ops;
  }
  bool contains(Operation *op) const {
    auto eltwise = dyn_cast<npu::EltwiseOp>(op);
    return eltwise && ops_.contains(eltwise);
  }

private:
  void add(npu::EltwiseOp op) {
    if (!op || heightOf(op) != heightOf(first_) || widthOf(op) != widthOf(first_) || !ops_.insert(op))
      return;
    for (Value value : {op.getInputA(), op.getInputB(), op.getResult()})
      if (heightOf(value) == heightOf(first_) && seen_.insert(value).second)
        pending_.push_back(value);
  }

  Value first_;
  llvm::SmallSetVector<npu::EltwiseOp, 8> ops_;
  llvm::SmallDenseSet<Value> seen_;
  SmallVector<Value> pending_; ///< seen, but not their readers
};

/// Writes a group once for each row.
class Splitter {
public:
  Splitter(const Group &group, Placement &placement)
      : group_(group), ops_(group.operations()), first_(ops_.front().getResult()), placement_(placement),
        builder_(placement.builder()) {}

  /// Whether the operations can follow each other without others between them, and gain from it.
  bool isGood() const {
    const int64_t rows = heightOf(first_), width = widthOf(first_);
    if (ops_.size() < kLeastOperations || rows == 1 || width == 1 ||
        rows * static_cast<int64_t>(ops_.size()) > kMostCommands)
      return false;
    return areUsersAfter() && areOperandsInRows() && rowBytes() > placement_.target().sram().bytes / 2;
  }

  void run() {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(ops_.back());
    DenseMap<Value, SmallVector<Value>> parts;
    for (int64_t row = 0; row < heightOf(first_); ++row)
      addRow(row, parts);
    for (npu::EltwiseOp op : ops_)
      if (!isInner(op))
        replaceByRows(op, parts[op.getResult()]);
    for (npu::EltwiseOp op : llvm::reverse(ops_))
      op.erase();
  }

private:
  bool isInner(npu::EltwiseOp op) const {
    return llvm::all_of(op->getUsers(), [&](Operation *user) { return group_.contains(user); });
  }

  bool areUsersAfter() const {
    return llvm::all_of(ops_, [&](npu::EltwiseOp op) {
      return llvm::all_of(op->getUsers(), [&](Operation *user) {
        return group_.contains(user) || npu::EltwiseOp(ops_.back())->isBeforeInBlock(user);
      });
    });
  }

  /// Whether each operand has all rows, one that is repeated, or one pixel.
  bool areOperandsInRows() const {
    bool hasRepeated = false;
    for (npu::EltwiseOp op : ops_)
      for (Value operand : {op.getInputA(), op.getInputB()}) {
        const bool isRow = isRepeated(operand, op), isPixel = heightOf(operand) == 1 && widthOf(operand) == 1;
        const bool hasAll = heightOf(operand) == heightOf(op);
        if ((!hasAll && !isRow && !isPixel) || (!isPixel && widthOf(operand) != widthOf(op)))
          return false;
        hasRepeated |= isRow;
      }
    return hasRepeated;
  }

  /// Of operands and results, each once.
  uint64_t rowBytes() const {
    llvm::SmallDenseSet<Value> seen;
    uint64_t bytes = 0;
    for (npu::EltwiseOp op : ops_)
      for (Value value : {op.getInputA(), op.getInputB(), op.getResult()})
        if (seen.insert(value).second)
          bytes += storageBytes(value) / heightOf(value);
    return bytes;
  }

  /// Pixels of a row are at one distance, whatever contains them, so that no view needs a copy.
  Value viewOf(Location location, Value storage, StorageShape shape) {
    const auto type = storageType(shape, tensorOf(storage).getElementType());
    return type == storage.getType() ? storage : npu::ViewOp::create(builder_, location, type, storage).getResult();
  }

  /// The pixels of a row as an image.
  Value asImage(Location location, Value row) {
    const auto [height, width] = rowsAsImage(widthOf(row), placement_);
    return viewOf(location, row, {height, width, tensorOf(row).getDimSize(2)});
  }

  Value operandOf(npu::EltwiseOp op, Value operand, int64_t row, const DenseMap<Value, SmallVector<Value>> &parts) {
    if (const auto made = parts.find(operand); made != parts.end())
      return made->second[row];
    if (widthOf(operand) == 1)
      return operand;
    if (heightOf(operand) == 1)
      return asImage(op.getLoc(), operand);
    const RankedTensorType type = tensorOf(operand);
    const Value part = npu::PartOp::create(
        builder_, op.getLoc(), storageType({1, type.getDimSize(1), type.getDimSize(2)}, type.getElementType()), operand,
        ArrayRef<int32_t>{static_cast<int32_t>(row), 0, 0}, ArrayRef<int32_t>{1, 1});
    return asImage(op.getLoc(), part);
  }

  void addRow(int64_t row, DenseMap<Value, SmallVector<Value>> &parts) {
    for (npu::EltwiseOp op : ops_) {
      const Value a = operandOf(op, op.getInputA(), row, parts), b = operandOf(op, op.getInputB(), row, parts);
      const auto [height, width] = rowsAsImage(widthOf(op), placement_);
      const RankedTensorType whole = tensorOf(op.getResult());
      const auto type = storageType({height, width, whole.getDimSize(2)}, whole.getElementType());
      parts[op.getResult()].push_back(
          npu::EltwiseOp::create(builder_, op.getLoc(), type, a, b, op.getCommand(), op.getLayer()).getResult());
    }
  }

  void replaceByRows(npu::EltwiseOp op, ArrayRef<Value> images) {
    const RankedTensorType whole = tensorOf(op.getResult());
    SmallVector<Value> rows;
    for (Value image : images)
      rows.push_back(viewOf(op.getLoc(), image, {1, whole.getDimSize(1), whole.getDimSize(2)}));
    auto join = npu::JoinOp::create(builder_, op.getLoc(), whole, rows, /*interleaved=*/false, /*axis=*/0);
    op.getResult().replaceUsesWithIf(join.getResult(),
                                     [&](OpOperand &use) { return !group_.contains(use.getOwner()); });
  }

  const Group &group_;
  SmallVector<npu::EltwiseOp> ops_;
  Value first_; ///< result, whose rows and columns all of them have
  Placement &placement_;
  OpBuilder &builder_;
};

} // namespace

void splitRows(func::FuncOp placed, Placement &placement) {
  const auto split = [&] {
    llvm::SmallPtrSet<Operation *, 16> done;
    SmallVector<npu::EltwiseOp> all(placed.front().getOps<npu::EltwiseOp>());
    for (npu::EltwiseOp op : all) {
      if (done.contains(op) || !(isRepeated(op.getInputA(), op) || isRepeated(op.getInputB(), op)))
        continue;
      const Group group(op);
      const SmallVector<npu::EltwiseOp> members = group.operations();
      done.insert_range(llvm::map_range(members, [](npu::EltwiseOp member) { return member.getOperation(); }));
      Splitter splitter(group, placement);
      if (!splitter.isGood())
        continue;
      remark::passed(op.getLoc(), remarkOptions(remarks::kPlacement, "split"))
          << remark::metric(remarks::kChoice, "row by row, as an operand is repeated in each row");
      splitter.run();
    }
  };
  placed->getContext()->executeAction<OptionalTransform>(split, {placed.getOperation()}, "split-rows");
}

} // namespace avocet::compiler
