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
#include "Import/Common/Moves.h"
#include "NnapiFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

bool selectsBoxes(OperationType type) {
  return type == OperationType::BoxWithNmsLimit || type == OperationType::GenerateProposals;
}

/// What a rule can see of an operation: the declared extents and the constants of its operands.
struct Operands {
  const NnapiFile &file;
  const nnapi::Subgraph &graph;
  const nnapi::Operation &operation;

  uint32_t count() const { return operation.inputs() ? operation.inputs()->size() : 0; }
  uint32_t index(uint32_t position) const { return operation.inputs()->Get(position); }
  /// Empty if there is no such operand.
  SmallVector<int64_t> shape(uint32_t position) const {
    return position < count() ? dimensionsOf(*graph.operands()->Get(index(position))) : SmallVector<int64_t>();
  }

  /// The elements of a constant INT32 operand; empty for others.
  SmallVector<int64_t> integers(uint32_t position) const {
    SmallVector<int64_t> elements;
    if (position >= count())
      return elements;
    const nnapi::Operand &operand = *graph.operands()->Get(index(position));
    if (typeOf(operand) != OperandType::TensorInt32 && typeOf(operand) != OperandType::Int32)
      return elements;
    const std::span<const uint8_t> bytes = file.data(operand);
    for (size_t i = 0; i + sizeof(int32_t) <= bytes.size(); i += sizeof(int32_t))
      elements.push_back(static_cast<int32_t>(llvm::support::endian::read32le(bytes.data() + i)));
    return elements;
  }
};

//===----------------------------------------------------------------------===//
// Rules: the number of rows of the result for each row of the operands, 0 if rows do not remain separate
//===----------------------------------------------------------------------===//

int64_t keepsRows(const Operands &) { return 1; }

int64_t transposeRows(const Operands &operands) {
  const SmallVector<int64_t> permutation = operands.integers(1);
  return !permutation.empty() && permutation.front() == 0;
}

/// All rows remain; -1 means all elements from the start.
int64_t sliceRows(const Operands &operands) {
  const SmallVector<int64_t> begin = operands.integers(1), size = operands.integers(2);
  return !begin.empty() && !size.empty() && begin.front() == 0 && size.front() == -1;
}

/// The axis in `position`, the last one if absent; empty if it is not known.
std::optional<int64_t> axisOf(const Operands &operands, uint32_t position) {
  const auto rank = static_cast<int64_t>(operands.shape(0).size());
  const SmallVector<int64_t> given = operands.integers(position);
  if (rank == 0 || (position < operands.count() && given.size() != 1))
    return std::nullopt;
  const int64_t axis = given.empty() ? -1 : given.front();
  return axis < 0 ? axis + rank : axis;
}

/// The axis is not that of the rows.
template <uint32_t position> int64_t rowsBesideAxis(const Operands &operands) {
  return axisOf(operands, position).value_or(0) != 0;
}

/// The axis of a concatenation is its last operand. Along the rows OpenRowStep has another rule.
int64_t concatenatedRows(const Operands &operands) { return axisOf(operands, operands.count() - 1).value_or(0) != 0; }

/// The elements of a row are divided into inputs of the weights' size.
int64_t fullyConnectedRows(const Operands &operands) {
  const SmallVector<int64_t> input = operands.shape(0), weights = operands.shape(1);
  if (input.size() < 2 || weights.size() != 2 || weights[1] <= 0)
    return 0;
  int64_t elements = 1; // below 2^31, see NnapiFile
  for (int64_t extent : ArrayRef(input).drop_front())
    elements *= extent;
  return elements % weights[1] == 0 ? elements / weights[1] : 0;
}

/// Whether a tensor without open rows has one row that all rows of the other tensor use.
bool isBroadcastTo(ArrayRef<int64_t> fixed, ArrayRef<int64_t> open) {
  if (fixed.empty() || open.empty())
    return false;
  return fixed.size() < open.size() || (fixed.size() == open.size() && fixed.front() == 1);
}

/// A rule of an operation. Operands in `rowOperands` (bit n: position n, or kAllButLast) may have open rows, and then
/// all must have the same, unless the operation broadcasts.
struct RowRule {
  OperationType type;
  uint32_t rowOperands;
  int64_t (*rows)(const Operands &operands) = keepsRows;
  bool broadcasts = false;
};

constexpr uint32_t kFirst = 1, kFirstTwo = 3, kAllButLast = 1u << 31;

constexpr RowRule kRules[] = {
    {OperationType::Abs, kFirst},
    {OperationType::Add, kFirstTwo, keepsRows, true},
    {OperationType::AveragePool2d, kFirst},
    {OperationType::AxisAlignedBboxTransform, 0b111},
    {OperationType::BoxWithNmsLimit, 0b111},
    {OperationType::Cast, kFirst},
    {OperationType::Concatenation, kAllButLast, concatenatedRows},
    {OperationType::Conv2d, kFirst},
    {OperationType::DepthToSpace, kFirst},
    {OperationType::DepthwiseConv2d, kFirst},
    {OperationType::Dequantize, kFirst},
    {OperationType::Div, kFirstTwo, keepsRows, true},
    {OperationType::Elu, kFirst},
    {OperationType::Exp, kFirst},
    {OperationType::Floor, kFirst},
    {OperationType::FullyConnected, kFirst, fullyConnectedRows},
    {OperationType::GroupedConv2d, kFirst},
    {OperationType::HardSwish, kFirst},
    {OperationType::HeatmapMaxKeypoint, kFirstTwo},
    {OperationType::L2Normalization, kFirst, rowsBesideAxis<1>},
    {OperationType::L2Pool2d, kFirst},
    {OperationType::Log, kFirst},
    {OperationType::LogSoftmax, kFirst, rowsBesideAxis<2>},
    {OperationType::Logistic, kFirst},
    {OperationType::MaxPool2d, kFirst},
    {OperationType::Maximum, kFirstTwo, keepsRows, true},
    {OperationType::Minimum, kFirstTwo, keepsRows, true},
    {OperationType::Mul, kFirstTwo, keepsRows, true},
    {OperationType::Neg, kFirst},
    {OperationType::Prelu, kFirstTwo, keepsRows, true},
    {OperationType::Quantize, kFirst},
    {OperationType::Relu, kFirst},
    {OperationType::Relu1, kFirst},
    {OperationType::Relu6, kFirst},
    {OperationType::ResizeBilinear, kFirst},
    {OperationType::ResizeNearestNeighbor, kFirst},
    {OperationType::RoiAlign, 0b110},
    {OperationType::RoiPooling, 0b110},
    {OperationType::Rsqrt, kFirst},
    {OperationType::Sin, kFirst},
    {OperationType::Slice, kFirst, sliceRows},
    {OperationType::Softmax, kFirst, rowsBesideAxis<2>},
    {OperationType::SpaceToDepth, kFirst},
    {OperationType::Sqrt, kFirst},
    {OperationType::Sub, kFirstTwo, keepsRows, true},
    {OperationType::Tanh, kFirst},
    {OperationType::Transpose, kFirst, transposeRows},
    {OperationType::TransposeConv2d, kFirst},
};

/// Far above all numbers of rows that a device has memory for; products and sums of two stay in range.
constexpr int64_t kMostRows = 1 << 20;

/// Each operation of a chain of concatenations has the parts of all operations before it.
constexpr size_t kMostParts = 32;

bool isInRange(const OpenRows &rows) {
  return rows.fixed <= kMostRows &&
         llvm::all_of(rows.parts, [](const OpenRows::Part &part) { return part.factor <= kMostRows; });
}

OpenRows boxesOf(uint32_t operation) { return {{{false, operation, 1}}, 0}; }

} // namespace

OpenRows &OpenRows::operator+=(const OpenRows &other) {
  fixed += other.fixed;
  for (const Part &part : other.parts) {
    auto keyOf = [](const Part &any) { return std::pair(any.isOperand, any.source); };
    auto place = llvm::lower_bound(parts, part, [&](const Part &a, const Part &b) { return keyOf(a) < keyOf(b); });
    if (place != parts.end() && keyOf(*place) == keyOf(part))
      place->factor += part.factor;
    else
      parts.insert(place, part);
  }
  return *this;
}

std::optional<int64_t> declaredRowsOf(const nnapi::Subgraph &graph, const nnapi::Operation &operation) {
  for (uint32_t output : *operation.outputs())
    if (SmallVector<int64_t> shape = dimensionsOf(*graph.operands()->Get(output)); !shape.empty() && shape.front() > 0)
      return shape.front();
  return std::nullopt;
}

/// The rows of the results of one operation.
class OpenRowStep {
public:
  OpenRowStep(OpenRowMap &map, uint32_t index)
      : map_(map), index_(index), graph_(map.file_.subgraph(0)), operation_(*graph_.operations()->Get(index)),
        operands_{map.file_, graph_, operation_} {}

  void run() {
    const bool isSource = selectsBoxes(typeOf(operation_)) && !declaredRowsOf(graph_, operation_);
    const std::optional<OpenRows> rows = hasOpenInput() ? rowsOfResults() : std::nullopt;
    if (isSource)
      setResults(boxesOf(index_));
    else if (rows && !selectsBoxes(typeOf(operation_)))
      setResults(*rows);
  }

private:
  const OpenRows *rowsOf(uint32_t position) const { return map_.of(operands_.index(position)); }

  bool hasOpenInput() const {
    for (uint32_t position = 0; position < operands_.count(); ++position)
      if (rowsOf(position))
        return true;
    return false;
  }

  std::nullopt_t refuse(const std::string &why) {
    map_.problems_[index_] = why;
    return std::nullopt;
  }

  std::optional<OpenRows> rowsOfResults() {
    const auto *rule = llvm::find_if(kRules, [&](const RowRule &row) { return row.type == typeOf(operation_); });
    if (rule == std::end(kRules))
      return refuse("an operation that is not computed row by row");
    if (rule->type == OperationType::Concatenation && axisOf(operands_, operands_.count() - 1) == 0)
      return rowsInSequence();
    std::optional<OpenRows> rows = commonRows(*rule);
    if (!rows)
      return refuse("operands of which not all have the same rows");
    const int64_t factor = rule->rows(operands_);
    if (factor <= 0 || factor > kMostRows || !isInRange(repeat(*rows, factor)))
      return refuse("extents, axes or values that do not keep the rows apart");
    return rows;
  }

  /// Several rows for each row.
  static OpenRows &repeat(OpenRows &rows, int64_t factor) {
    rows.fixed *= factor;
    for (OpenRows::Part &part : rows.parts)
      part.factor *= factor;
    return rows;
  }

  /// The rows of all operands but the last, which is the axis.
  std::optional<OpenRows> rowsInSequence() {
    OpenRows sum;
    for (uint32_t position = 0; position + 1 < operands_.count(); ++position) {
      const OpenRows *rows = rowsOf(position);
      sum += rows ? *rows : allRowsOf(position);
      if (!isInRange(sum))
        return refuse("more than " + std::to_string(kMostRows) + " rows");
      if (sum.parts.size() > kMostParts)
        return refuse("rows of more than " + std::to_string(kMostParts) + " sources");
    }
    return sum;
  }

  OpenRows allRowsOf(uint32_t position) const {
    const SmallVector<int64_t> shape = operands_.shape(position);
    if (!shape.empty() && shape.front() > 0)
      return {{}, shape.front()};
    return {{{true, operands_.index(position), 1}}, 0};
  }

  /// More than 31 operands with rows are not described; those after them then break the rule.
  uint32_t rowOperandsOf(const RowRule &rule) const {
    return rule.rowOperands != kAllButLast ? rule.rowOperands : (1u << std::min(operands_.count() - 1, 31u)) - 1;
  }

  /// The rows of all operands that may have open ones; empty if they differ, or if another operand has open ones.
  std::optional<OpenRows> commonRows(const RowRule &rule) const {
    const uint32_t rowOperands = rowOperandsOf(rule);
    std::optional<OpenRows> common;
    uint32_t open = 0, first = 0;
    for (uint32_t position = 0; position < operands_.count(); ++position) {
      const OpenRows *rows = rowsOf(position);
      if (!rows)
        continue;
      if (position >= 32 || !(rowOperands >> position & 1) || (common && *common != *rows))
        return std::nullopt;
      first = common ? first : position;
      common = *rows;
      open |= 1u << position;
    }
    for (uint32_t position = 0; position < 32; ++position)
      if ((rowOperands & ~open) >> position & 1 && !isShared(rule, position, first))
        return std::nullopt;
    // A higher rank of the result would move the rows.
    if (open == rowOperands && rule.broadcasts && operands_.shape(0).size() != operands_.shape(1).size())
      return std::nullopt;
    return common;
  }

  /// Whether all rows of operand `open` use the same row of the operand at the position.
  bool isShared(const RowRule &rule, uint32_t position, uint32_t open) const {
    return rule.broadcasts && position < operands_.count() &&
           isBroadcastTo(operands_.shape(position), operands_.shape(open));
  }

  void setResults(OpenRows rows) {
    for (uint32_t output : *operation_.outputs()) {
      const SmallVector<int64_t> shape = dimensionsOf(*graph_.operands()->Get(output));
      if (!shape.empty() && shape.front() > 0)
        refuse("a result with a declared number of rows");
      map_.rows_[output] = rows;
    }
  }

  OpenRowMap &map_;
  const uint32_t index_;
  const nnapi::Subgraph &graph_;
  const nnapi::Operation &operation_;
  const Operands operands_;
};

OpenRowMap::OpenRowMap(const NnapiFile &file)
    : file_(file), rows_(file.subgraph(0).operands()->size()), problems_(file.subgraph(0).operations()->size()) {
  for (uint32_t index = 0; index < problems_.size(); ++index)
    OpenRowStep(*this, index).run();
}

namespace {

RankedTensorType withElement(Value value, Type element) { return RankedTensorType::get(shapeOf(value), element); }

/// The sum of ones and zeros, i32 [1].
Value sumOf(ImportedOperation &op, Value ones) {
  const auto axes = llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(ones).size()));
  auto type = RankedTensorType::get({1}, op.builder().getI32Type());
  return nn::ReduceOp::create(op.builder(), op.location(), type, ones, nn::ReduceKind::Sum, axes);
}

/// Class 0 is the background, which is never selected; rows without a box have class 0.
Value countOfClasses(ImportedOperation &op, Value classes) {
  Value one = int32Constant(op, {1}, {1});
  return sumOf(op, nn::MinimumOp::create(op.builder(), op.location(), classes.getType(), classes, one));
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
  Value left = slice(op, boxes, {0, 0}, {rows, 1}, {1, 1}), right = slice(op, boxes, {0, 2}, {rows, 1}, {1, 1});
  Value isBox = nn::CompareOp::create(builder, op.location(), withElement(left, builder.getI1Type()), right, left,
                                      nn::CompareKind::Greater);
  return sumOf(op, nn::CastOp::create(builder, op.location(), withElement(isBox, builder.getI32Type()), isBox));
}

/// The number of boxes that an operation selects.
Value boxCount(NnapiOperation &op) {
  const auto &outputs = *op.operation().outputs();
  if (op.type() == OperationType::BoxWithNmsLimit)
    return countOfClasses(op, op.graph().value(outputs.Get(2)));
  return countOfBoxes(op, op.graph().value(outputs.Get(1)).getDefiningOp<nn::GenerateProposalsOp>());
}

Value scaled(ImportedOperation &op, Value count, int64_t factor) {
  Value constant = int32Constant(op, {1}, {static_cast<int32_t>(factor)});
  return nn::MulOp::create(op.builder(), op.location(), count.getType(), count, constant, nn::Activation::None);
}

Value added(ImportedOperation &op, Value a, Value b) {
  return nn::AddOp::create(op.builder(), op.location(), a.getType(), a, b, nn::Activation::None);
}

Value sumOfParts(NnapiOperation &op, const OpenRows &rows) {
  Value sum;
  int64_t fixed = rows.fixed; // below 2^31, as the extent of the tensor
  for (const OpenRows::Part &part : rows.parts) {
    if (part.isOperand) {
      fixed += shapeOf(op.graph().value(part.source))[0] * part.factor;
      continue;
    }
    Value count = rowCount(op.graph(), boxesOf(part.source));
    count = part.factor == 1 ? count : scaled(op, count, part.factor);
    sum = sum ? added(op, sum, count) : count;
  }
  return fixed == 0 ? sum : added(op, sum, int32Constant(op, {1}, {static_cast<int32_t>(fixed)}));
}

/// Those after the valid ones, i32 [1].
Value unusedRows(NnapiOperation &op, Value tensor, const OpenRows &rows) {
  Value most = int32Constant(op, {1}, {static_cast<int32_t>(shapeOf(tensor)[0])}), count = rowCount(op.graph(), rows);
  return nn::SubOp::create(op.builder(), op.location(), count.getType(), most, count, nn::Activation::None);
}

/// Null if all rows of the operand at the position are valid.
const OpenRows *openRowsOf(NnapiOperation &op, uint32_t position) {
  const OpenRowMap *map = op.import().openRows;
  return map && op.isInMain() ? map->of(op.inputIndex(position)) : nullptr;
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
  op.import().rowCounts[rows] = count;
  return count;
}

Value validRowsFirst(NnapiOperation &op, ValueRange inputs, Value joined) {
  OpenRows valid; // of the inputs so far
  SmallVector<Gap> gaps;
  for (auto [position, input] : llvm::enumerate(inputs.drop_back())) {
    const OpenRows *rows = openRowsOf(op, position);
    valid += rows ? *rows : OpenRows{{}, shapeOf(input)[0]};
    if (rows)
      gaps.push_back({rowCount(op.graph(), valid), unusedRows(op, input, *rows)});
  }
  if (gaps.empty())
    return joined;
  return succeeded(checkElements(op, "result", joined)) ? withoutGaps(op, joined, gaps) : Value();
}

Value validScores(NnapiOperation &op, uint32_t position, Value scores) {
  const OpenRows *rows = openRowsOf(op, position);
  if (!rows)
    return scores;
  auto type = cast<RankedTensorType>(scores.getType());
  if (failed(checkElements(op, "scores", scores)))
    return {};
  SmallVector<int32_t> numbers(type.getDimSize(0));
  std::iota(numbers.begin(), numbers.end(), 0);
  Value row = broadcastTo(op, int32Constant(op, {shapeOf(scores)[0], 1}, numbers), shapeOf(scores));
  Value isValid = nn::CompareOp::create(op.builder(), op.location(), withElement(row, op.builder().getI1Type()), row,
                                        rowCount(op.graph(), *rows), nn::CompareKind::Less);
  const auto element = dyn_cast<quant::UniformQuantizedType>(type.getElementType());
  const auto zero = static_cast<char>(element ? element.getZeroPoint() : 0); // of 8 bits if there is a zero point
  ElementsAttr zeros =
      computedElements(type, "noScores", [&](MutableArrayRef<char> bytes) { llvm::fill(bytes, zero); });
  Value none = nn::ConstantOp::create(op.builder(), op.location(), type, zeros);
  return nn::SelectOp::create(op.builder(), op.location(), type, isValid, scores, none);
}

} // namespace avocet::compiler
