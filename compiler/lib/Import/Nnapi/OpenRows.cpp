//===- OpenRows.cpp - Tensors whose rows depend on data ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenRows.h"

#include "NnapiGraph.h"

#include "Import/Common/ComputedParts.h"
#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "NnapiFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr llvm::StringLiteral kRule =
    "each row of the result comes from one row of the inputs, since the number of rows depends on data";

/// Each operation of a chain of concatenations has the parts of all operations before it.
constexpr size_t kMostParts = 32;

bool selectsBoxes(OperationType type) {
  return type == OperationType::BoxWithNmsLimit || type == OperationType::GenerateProposals;
}

OpenRows boxesOf(uint32_t operation) { return {{{operation, 1}}, 0}; }

/// Rows made from others; nullopt if their number is not always whole.
std::optional<OpenRows> scaledRows(OpenRows rows, nn::RowRatio ratio) {
  auto scale = [&](int64_t &count) {
    count *= ratio.made;
    const bool isWhole = count % ratio.read == 0;
    count /= ratio.read;
    return isWhole;
  };
  bool isWhole = scale(rows.fixed);
  for (OpenRows::Part &part : rows.parts)
    isWhole &= scale(part.factor);
  return isWhole ? std::optional(rows) : std::nullopt;
}

/// The rows of an operation's results, of which some operand has open rows; else why the device cannot compute it.
struct ResultRows {
  std::optional<OpenRows> rows;
  llvm::StringRef problem;
};

ResultRows rowsOfResults(const NnapiImport &import, Operation *created) {
  const OpenRows *common = nullptr;
  SmallVector<bool> open;
  for (Value operand : created->getOperands()) {
    const OpenRows *rows = openRowsOf(import, operand);
    open.push_back(rows != nullptr);
    if (rows && common && *rows != *common)
      return {std::nullopt, "operands of which not all have the same rows"};
    common = rows ? rows : common;
  }
  auto rule = dyn_cast<nn::RowsInterface>(created);
  const nn::RowRule ratio = rule ? rule.rowRule(open) : std::nullopt;
  const std::optional<OpenRows> rows = ratio ? scaledRows(*common, *ratio) : std::nullopt;
  return {rows, rows ? "" : "an operation, extents, axes or values that do not keep the rows apart"};
}

bool readsOpenRows(const NnapiImport &import, ValueRange values) {
  return llvm::any_of(values, [&](Value value) { return value && openRowsOf(import, value); });
}

/// Notes rows that do not follow from those of operands: of selected boxes, whose number is new.
void noteSelected(NnapiOperation &op) {
  const bool isOpen = !declaredRowsOf(op.graph().subgraph(), op.operation());
  for (uint32_t output : *op.operation().outputs()) {
    op.import().openRows.erase(op.graph().value(output));
    if (isOpen)
      op.import().openRows[op.graph().value(output)] = boxesOf(static_cast<uint32_t>(op.topLevel()));
  }
}

} // namespace

OpenRows &OpenRows::operator+=(const OpenRows &other) {
  fixed += other.fixed;
  for (const Part &part : other.parts) {
    auto place = llvm::lower_bound(parts, part, [](const Part &a, const Part &b) { return a.source < b.source; });
    if (place != parts.end() && place->source == part.source)
      place->factor += part.factor;
    else
      parts.insert(place, part);
  }
  return *this;
}

const OpenRows *openRowsOf(const NnapiImport &import, Value value) {
  auto found = import.openRows.find(value);
  return found == import.openRows.end() ? nullptr : &found->second;
}

std::optional<int64_t> declaredRowsOf(const nnapi::Subgraph &graph, const nnapi::Operation &operation) {
  for (uint32_t output : *operation.outputs())
    if (SmallVector<int64_t> shape = dimensionsOf(*graph.operands()->Get(output)); !shape.empty() && shape.front() > 0)
      return shape.front();
  return std::nullopt;
}

uint64_t mostOpenOutputs(const NnapiFile &file) {
  const nnapi::Subgraph &main = file.subgraph(0);
  std::vector<bool> follows(main.operands()->size()); // from selected boxes
  for (const nnapi::Operation *operation : *main.operations()) {
    const bool isSource = selectsBoxes(typeOf(*operation)) && !declaredRowsOf(main, *operation);
    const bool reads = operation->inputs() && llvm::any_of(*operation->inputs(), [&](auto i) { return follows[i]; });
    for (uint32_t output : *operation->outputs()) {
      const SmallVector<int64_t> shape = dimensionsOf(*main.operands()->Get(output));
      follows[output] = (isSource || reads) && (shape.empty() || shape.front() == 0);
    }
  }
  return static_cast<uint64_t>(llvm::count_if(*main.outputs(), [&](uint32_t output) { return follows[output]; }));
}

LogicalResult trackOpenRows(NnapiOperation &op) {
  NnapiImport &import = op.import();
  for (Operation *created = op.firstCreated(); created; created = created->getNextNode()) {
    if (import.rowCounters.contains(created))
      continue;
    SmallVector<Value> read(created->getOperands());
    for (Region &region : created->getRegions())
      region.walk([&](Operation *inner) { llvm::append_range(read, inner->getOperands()); });
    // A converter that moves rows itself has noted those of its results.
    if (!readsOpenRows(import, read) || readsOpenRows(import, created->getResults()))
      continue;
    const ResultRows results = rowsOfResults(import, created);
    if (!results.rows || created->getNumRegions() != 0)
      return op.refuse("input", kRule, results.problem);
    for (Value result : created->getResults())
      import.openRows[result] = *results.rows;
  }
  if (selectsBoxes(op.type()))
    noteSelected(op);
  for (uint32_t output : *op.operation().outputs()) {
    const SmallVector<int64_t> declared = dimensionsOf(op.graph().operand(output));
    if (openRowsOf(import, op.graph().value(output)) && !declared.empty() && declared.front() > 0)
      return op.refuse("input", kRule, "a result with a declared number of rows");
  }
  return success();
}

namespace {

RankedTensorType withElement(Value value, Type element) { return RankedTensorType::get(shapeOf(value), element); }

/// The sum of ones and zeros, i32 [1].
Value sumOf(ImportedOperation &op, Value ones) {
  const auto axes = llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(ones).size()));
  Value sum = createAs<nn::ReduceOp>(op, op.builder().getI32Type(), ones, nn::ReduceKind::Sum, axes, /*keepDims=*/true);
  return reshape(op, sum, {1});
}

/// Class 0 is the background, which is never selected; rows without a box have class 0.
Value countOfClasses(ImportedOperation &op, Value classes) {
  Value one = int32Constant(op, {1}, {1});
  return sumOf(op, createPair<nn::MinimumOp>(op, classes, one));
}

/// Selected boxes have a positive width, rows without a box have none. Since other types may round a width to zero, the
/// boxes are selected again as f32.
Value countOfBoxes(ImportedOperation &op, nn::GenerateProposalsOp proposals) {
  OpBuilder &builder = op.builder();
  Value boxes = proposals.getBestBoxes();
  if (!elementOf(boxes).isF32()) {
    auto copy = cast<nn::GenerateProposalsOp>(builder.clone(*proposals));
    copy.getBestBoxes().setType(withElement(boxes, builder.getF32Type()));
    boxes = copy.getBestBoxes();
  }
  const int64_t rows = shapeOf(boxes)[0];
  Value left = slice(op, boxes, {0, 0}, {rows, 1}), right = slice(op, boxes, {0, 2}, {rows, 1});
  Value isBox = compare(op, right, nn::CompareKind::Greater, left);
  return sumOf(op, castTo(op, isBox, builder.getI32Type()));
}

/// The number of boxes that an operation selects.
Value boxCount(NnapiOperation &op) {
  const auto &outputs = *op.operation().outputs();
  if (op.type() == OperationType::BoxWithNmsLimit)
    return countOfClasses(op, op.graph().value(outputs.Get(2)));
  return countOfBoxes(op, op.graph().value(outputs.Get(1)).getDefiningOp<nn::GenerateProposalsOp>());
}

Value scaled(ImportedOperation &op, Value count, int64_t factor) {
  return multiply(op, count, int32Constant(op, {1}, {static_cast<int32_t>(factor)}));
}

/// All numbers are below 2^31, as the extent of the tensor.
Value sumOfParts(NnapiOperation &op, const OpenRows &rows) {
  Value sum;
  for (const OpenRows::Part &part : rows.parts) {
    Value count = rowCount(op.graph(), boxesOf(part.source));
    count = part.factor == 1 ? count : scaled(op, count, part.factor);
    sum = sum ? add(op, sum, count) : count;
  }
  return rows.fixed == 0 ? sum : add(op, sum, int32Constant(op, {1}, {static_cast<int32_t>(rows.fixed)}));
}

/// Those after the valid ones, i32 [1].
Value unusedRows(NnapiOperation &op, Value tensor, const OpenRows &rows) {
  Value most = int32Constant(op, {1}, {static_cast<int32_t>(shapeOf(tensor)[0])}), count = rowCount(op.graph(), rows);
  return subtract(op, most, count);
}

LogicalResult checkElements(NnapiOperation &op, StringRef operand, Value value) {
  const int64_t elements = cast<RankedTensorType>(value.getType()).getNumElements();
  if (elements <= static_cast<int64_t>(kMaxOpenElements))
    return success();
  return op.refuse(operand, "number of elements if rows depend on data", Twine(elements), Twine(kMaxOpenElements));
}

} // namespace

Value rowCount(NnapiGraph &graph, const OpenRows &rows) {
  NnapiOperation op(graph, rows.parts.front().source);
  if (auto known = op.import().rowCounts.find(rows); known != op.import().rowCounts.end())
    return known->second;
  Value count = rows == boxesOf(rows.parts.front().source) ? boxCount(op) : sumOfParts(op, rows);
  for (Operation *created = op.firstCreated(); created; created = created->getNextNode())
    op.import().rowCounters.insert(created);
  op.import().rowCounts[rows] = count;
  return count;
}

Value validRowsFirst(NnapiOperation &op, ValueRange inputs, Value joined) {
  NnapiImport &import = op.import();
  if (!readsOpenRows(import, inputs))
    return joined;
  OpenRows valid; // of the inputs so far
  SmallVector<Gap> gaps;
  for (auto [position, input] : llvm::enumerate(inputs)) {
    const OpenRows *rows = openRowsOf(import, input);
    valid += rows ? *rows : OpenRows{{}, shapeOf(input)[0]};
    if (valid.parts.size() > kMostParts)
      return op.refuse("input", kRule, "rows of more than " + Twine(kMostParts) + " sources");
    if (rows && position + 1 < inputs.size() && !import.isQuery)
      gaps.push_back({rowCount(op.graph(), valid), unusedRows(op, input, *rows)});
  }
  import.openRows[joined] = valid;
  if (gaps.empty())
    return joined;
  Value moved = succeeded(checkElements(op, "result", joined)) ? withoutGaps(op, joined, gaps) : Value();
  if (moved)
    import.openRows[moved] = valid;
  return moved;
}

Value validScores(NnapiOperation &op, Value scores) {
  const OpenRows *rows = openRowsOf(op.import(), scores);
  if (!rows || op.import().isQuery)
    return scores;
  const OpenRows valid = *rows;
  auto type = cast<RankedTensorType>(scores.getType());
  if (failed(checkElements(op, "scores", scores)))
    return {};
  Value row = broadcastTo(op, ascending(op, {shapeOf(scores)[0], 1}), shapeOf(scores));
  Value isValid = compare(op, row, nn::CompareKind::Less, rowCount(op.graph(), valid));
  const auto element = dyn_cast<quant::UniformQuantizedType>(type.getElementType());
  const auto zero = static_cast<char>(element ? element.getZeroPoint() : 0); // of 8 bits if there is a zero point
  ElementsAttr zeros =
      computedElements(type, "noScores", [&](MutableArrayRef<char> bytes) { llvm::fill(bytes, zero); });
  Value none = nn::ConstantOp::create(op.builder(), op.location(), type, zeros);
  Value masked = create<nn::SelectOp>(op, isValid, scores, none);
  if (masked)
    op.import().openRows[masked] = valid;
  return masked;
}

} // namespace avocet::compiler
