//===- ValueChoices.cpp - Extreme values of operands ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueChoices.h"

#include "NnapiFile.h"
#include "avocet/base/Rounding.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

using Numbers = SmallVector<int64_t>;

Numbers inputShape(NnapiOperation &op, uint32_t position = 0) {
  Value value = op.value(position, "input");
  return value ? Numbers(shapeOf(value)) : Numbers();
}

/// Declared extents of the result, 0 where unknown; all 0 if its rank is not `rank`.
Numbers declaredResult(NnapiOperation &op, size_t rank) {
  Numbers declared = dimensionsOf(op.outputOperand(0));
  return declared.size() == rank ? declared : Numbers(rank, 0);
}

/// Declared number of elements of the operand; 0 if unknown.
size_t declaredCount(NnapiOperation &op, uint32_t position) {
  Numbers declared = dimensionsOf(op.inputOperand(position));
  return declared.empty() ? 0 : static_cast<size_t>(nn::elementsOf(declared).value_or(0));
}

int64_t productOf(ArrayRef<int64_t> numbers) {
  int64_t product = 1;
  for (int64_t number : numbers)
    product *= std::max<int64_t>(number, 1);
  return product;
}

int64_t rootOf(int64_t number, size_t degree) {
  return degree ? static_cast<int64_t>(std::pow(double(number), 1.0 / double(degree)) + 1e-9) : 1;
}

/// Extents of a larger tensor: the declared extents, and for the others the input's; then variants with one of the
/// others as large as possible, and with all of them.
SmallVector<Numbers> grownShapes(ArrayRef<int64_t> input, ArrayRef<int64_t> declared, int64_t elements) {
  Numbers base(input);
  size_t open = 0;
  for (size_t axis = 0; axis < base.size(); ++axis)
    if (declared[axis])
      base[axis] = declared[axis];
    else
      ++open;
  SmallVector<Numbers> shapes = {base};
  const int64_t factor = elements / std::max<int64_t>(1, productOf(base));
  Numbers all = base;
  for (size_t axis = 0; axis < base.size(); ++axis) {
    if (declared[axis])
      continue;
    Numbers one = base;
    one[axis] *= std::max<int64_t>(1, factor);
    all[axis] *= std::max<int64_t>(1, rootOf(factor, open));
    shapes.push_back(one);
  }
  shapes.push_back(all);
  return shapes;
}

/// The ways to split `total` before and after an axis.
enum class Side { Front, Back, Both };
constexpr Side kSides[] = {Side::Front, Side::Back, Side::Both};

void addSides(Numbers &amounts, int64_t total, Side side) {
  const int64_t front = side == Side::Front ? total : side == Side::Back ? 0 : total / 2;
  amounts.push_back(front);
  amounts.push_back(total - front);
}

/// Pairs of factors whose product is `number`, at most kMost.
SmallVector<std::pair<int64_t, int64_t>> factorsOf(int64_t number) {
  constexpr size_t kMost = 8;
  SmallVector<std::pair<int64_t, int64_t>> factors = {{number, 1}, {1, number}};
  for (int64_t factor = rootOf(number, 2); factor > 1 && factors.size() < kMost; --factor)
    if (number % factor == 0) {
      factors.push_back({factor, number / factor});
      factors.push_back({number / factor, factor});
    }
  return factors;
}

/// The axes of height and width; the flag at the position selects NCHW.
std::pair<size_t, size_t> imageAxes(NnapiOperation &op, uint32_t position) {
  FailureOr<bool> channelsFirst = op.hasInput(position) ? op.boolean(position, "layout") : FailureOr<bool>(false);
  const size_t first = succeeded(channelsFirst) && *channelsFirst ? 2 : 1;
  return {first, first + 1};
}

} // namespace

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static NnapiValueChoices axesBelow(size_t count) {
  NnapiValueChoices choices;
  for (size_t axis = 0; axis < count; ++axis)
    choices.push_back({{1, {int64_t(axis)}}});
  return choices;
}

NnapiValueChoices axisChoices(NnapiOperation &op, int64_t) { return axesBelow(inputShape(op).size()); }

NnapiValueChoices expandedAxisChoices(NnapiOperation &op, int64_t) { return axesBelow(inputShape(op).size() + 1); }

/// Up to this rank every set and order of axes is tried. Above it there are too many, and those are tried of which the
/// fewest axes can be merged.
static constexpr size_t kLowRank = 4;

static Numbers axesOf(size_t mask, size_t rank) {
  Numbers axes;
  for (size_t axis = 0; axis < rank; ++axis)
    if (mask >> axis & 1)
      axes.push_back(int64_t(axis));
  return axes;
}

/// Sets of axes, never empty. Of a high rank: single ones, every second one, the first and the last ones, and all.
static SmallVector<Numbers> axisSets(size_t rank) {
  const size_t all = (size_t(1) << rank) - 1;
  SmallVector<Numbers> sets;
  for (size_t mask = 1; rank <= kLowRank && mask <= all; ++mask)
    sets.push_back(axesOf(mask, rank));
  if (rank <= kLowRank)
    return sets;
  for (size_t axis = 0; axis < rank; ++axis)
    sets.push_back({int64_t(axis)});
  for (size_t mask : {size_t(0x55555555), size_t(0xAAAAAAAA), all >> rank / 2, all << rank / 2, all})
    sets.push_back(axesOf(mask & all, rank));
  return sets;
}

NnapiValueChoices axisSetChoices(NnapiOperation &op, int64_t) {
  const size_t count = declaredCount(op, 1);
  NnapiValueChoices choices;
  for (Numbers axes : axisSets(inputShape(op).size()))
    for (int64_t keep : {0, 1}) {
      while (axes.size() < count) // an axis may be named twice
        axes.push_back(axes.back());
      choices.push_back({{1, axes}, {2, {keep}}});
    }
  return choices;
}

NnapiValueChoices squeezedAxesChoices(NnapiOperation &op, int64_t) {
  NnapiValueChoices choices;
  for (const Numbers &axes : axisSets(inputShape(op).size()))
    choices.push_back({{1, axes}});
  return choices;
}

/// Orders of axes. Of a high rank: the given one, the reverse, rotations, and even before odd ones.
static SmallVector<Numbers> axisOrders(size_t rank) {
  Numbers axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  SmallVector<Numbers> orders;
  if (rank <= kLowRank) {
    do
      orders.push_back(axes);
    while (std::next_permutation(axes.begin(), axes.end()));
    return orders;
  }
  for (size_t shift = 0; shift < rank; ++shift) {
    orders.push_back(axes);
    std::rotate(axes.begin(), axes.begin() + 1, axes.end());
  }
  orders.push_back(llvm::to_vector(llvm::reverse(axes)));
  llvm::sort(axes, [](int64_t a, int64_t b) { return std::pair(a % 2, a) < std::pair(b % 2, b); });
  orders.push_back(axes);
  return orders;
}

NnapiValueChoices permutationChoices(NnapiOperation &op, int64_t) {
  NnapiValueChoices choices;
  for (const Numbers &order : axisOrders(inputShape(op).size()))
    choices.push_back({{1, order}});
  return choices;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

NnapiValueChoices reshapeChoices(NnapiOperation &op, int64_t) {
  const int64_t total = productOf(inputShape(op));
  const size_t declared = dimensionsOf(op.outputOperand(0)).size(), given = declaredCount(op, 1);
  NnapiValueChoices choices;
  for (size_t rank = 1; rank <= kMaxRank; ++rank) {
    if ((declared && rank != declared) || (given && rank != given))
      continue;
    Numbers known = declaredResult(op, rank), ones(rank, 1), sameRank = inputShape(op);
    choices.push_back({{1, known}});
    if (sameRank.size() == rank)
      choices.push_back({{1, sameRank}});
    for (size_t axis = 0; axis < rank; ++axis)
      for (auto [first, second] : factorsOf(total)) {
        Numbers shape = ones;
        shape[axis] = first;
        if (rank > 1)
          shape[(axis + 1) % rank] = second;
        choices.push_back({{1, shape}});
      }
  }
  return choices;
}

NnapiValueChoices fillChoices(NnapiOperation &op, int64_t elements) {
  const size_t declared = dimensionsOf(op.outputOperand(0)).size(), given = declaredCount(op, 0);
  NnapiValueChoices choices;
  for (size_t rank = 1; rank <= kMaxRank; ++rank)
    if ((!declared || rank == declared) && (!given || rank == given))
      for (const Numbers &shape : grownShapes(Numbers(rank, 1), declaredResult(op, rank), elements))
        choices.push_back({{0, shape}});
  return choices;
}

NnapiValueChoices loopChoices(NnapiOperation &op, int64_t) {
  constexpr int64_t kFew = 8;
  SmallVector<std::pair<uint32_t, size_t>> integers; // positions and numbers of elements
  for (uint32_t position = 2; position < op.numInputs(); ++position)
    if (op.inputType(position) == OperandType::TensorInt32 || op.inputType(position) == OperandType::Int32)
      integers.push_back({position, std::max<size_t>(declaredCount(op, position), 1)});
  NnapiValueChoices choices;
  for (auto [special, ignored] : integers)
    for (int64_t value = 0; value <= kFew; ++value)
      for (int64_t others = 0; others <= (integers.size() > 1 ? kFew : 0); ++others) {
        NnapiValues &values = choices.emplace_back();
        for (auto [position, count] : integers)
          values.push_back({position, Numbers(count, position == special ? value : others)});
      }
  return choices;
}

NnapiValueChoices transposedShapeChoices(NnapiOperation &op, int64_t) {
  const Numbers input = inputShape(op), filter = inputShape(op, 1);
  if (input.size() != 4 || filter.size() != 4 || op.numInputs() < 9)
    return {};
  const Numbers declared = declaredResult(op, 4);
  auto strideX = op.integer(5, "stride"), strideY = op.integer(6, "stride");
  if (failed(strideX) || failed(strideY))
    return {};
  auto [y, x] = imageAxes(op, 8);
  NnapiValueChoices choices = {{{3, declared}}};
  for (bool most : {false, true})
    for (bool same : {false, true}) {
      Numbers shape = input;
      shape[y == 1 ? 3 : 1] = filter[0];
      for (auto [axis, stride, kernel] : {std::tuple(y, *strideY, filter[1]), std::tuple(x, *strideX, filter[2])})
        shape[axis] = (input[axis] - 1) * stride + (same ? 1 : kernel) + (most ? stride - 1 : 0);
      choices.push_back({{3, shape}});
    }
  return choices;
}

//===----------------------------------------------------------------------===//
// Padding and repetition
//===----------------------------------------------------------------------===//

NnapiValueChoices paddingChoices(NnapiOperation &op, int64_t elements) {
  const Numbers input = inputShape(op);
  NnapiValueChoices choices;
  for (const Numbers &shape : grownShapes(input, declaredResult(op, input.size()), elements))
    for (Side side : kSides) {
      Numbers amounts;
      for (size_t axis = 0; axis < input.size(); ++axis)
        addSides(amounts, shape[axis] - input[axis], side);
      choices.push_back({{1, amounts}});
    }
  return choices;
}

/// A mirror is at most as long as its axis, or one shorter.
NnapiValueChoices mirrorChoices(NnapiOperation &op, int64_t) {
  const Numbers input = inputShape(op), declared = declaredResult(op, input.size());
  NnapiValueChoices choices;
  for (int64_t skipped : {0, 1})
    for (Side side : kSides)
      for (size_t axis = 0; axis <= input.size(); ++axis) { // one axis at a time, and all of them
        Numbers amounts;
        for (size_t i = 0; i < input.size(); ++i) {
          const int64_t most = (side == Side::Both ? 2 : 1) * (input[i] - skipped);
          const bool isMirrored = i == axis || axis == input.size();
          addSides(amounts, declared[i] ? declared[i] - input[i] : isMirrored ? most : 0, side);
        }
        choices.push_back({{1, amounts}});
      }
  return choices;
}

NnapiValueChoices tileChoices(NnapiOperation &op, int64_t elements) {
  const Numbers input = inputShape(op);
  NnapiValueChoices choices;
  for (const Numbers &shape : grownShapes(input, declaredResult(op, input.size()), elements)) {
    Numbers multiples;
    for (size_t axis = 0; axis < input.size(); ++axis)
      multiples.push_back(shape[axis] / std::max<int64_t>(1, input[axis]));
    choices.push_back({{1, multiples}});
  }
  return choices;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {

/// The range of a slice along an axis.
struct Part {
  int64_t begin, end, stride;
};

/// The extreme parts of an axis; the first is the whole axis. With `extent`, only those with that number of elements.
SmallVector<Part> partsOf(int64_t size, int64_t extent, bool strided) {
  if (extent == 0) {
    SmallVector<Part> parts = {
        {0, size, 1}, {0, 1, 1}, {size - 1, size, 1}, {size / 4, size / 4 + divideUp(size, 2), 1}};
    if (strided)
      parts.append({{size - 1, -size - 1, -1}, {0, size, 2}, {size - 1, -size - 1, -2}, {0, size, 1 + size / 2}});
    return parts;
  }
  SmallVector<Part> parts = {{0, extent, 1}, {size - extent, size, 1}};
  if (!strided)
    return parts;
  const int64_t stride = extent > 1 ? (size - 1) / (extent - 1) : 1, reach = (extent - 1) * stride;
  parts.append({{extent - 1, -size - 1, -1},
                {size - 1, size - 1 - extent < 0 ? -size - 1 : size - 1 - extent, -1},
                {0, reach + 1, std::max<int64_t>(1, stride)}});
  return parts;
}

/// All axes with the same kind of part, then one axis at a time with a different kind.
SmallVector<SmallVector<Part>> combined(ArrayRef<SmallVector<Part>> axes) {
  SmallVector<SmallVector<Part>> result;
  size_t kinds = 0;
  for (const auto &parts : axes)
    kinds = std::max(kinds, parts.size());
  for (size_t kind = 0; kind < kinds; ++kind)
    for (size_t axis = 0; axis <= axes.size(); ++axis) {
      SmallVector<Part> parts;
      for (size_t i = 0; i < axes.size(); ++i)
        parts.push_back(axes[i][i == axis || axis == axes.size() ? std::min(kind, axes[i].size() - 1) : 0]);
      result.push_back(std::move(parts));
    }
  return result;
}

} // namespace

NnapiValueChoices sliceChoices(NnapiOperation &op, int64_t) {
  const Numbers input = inputShape(op), declared = declaredResult(op, input.size());
  SmallVector<SmallVector<Part>> axes;
  for (auto [size, extent] : llvm::zip(input, declared))
    axes.push_back(partsOf(size, extent, false));
  NnapiValueChoices choices;
  for (const SmallVector<Part> &parts : combined(axes)) {
    Numbers begin, size;
    for (const Part &part : parts) {
      begin.push_back(part.begin);
      size.push_back(part.end - part.begin);
    }
    choices.push_back({{1, begin}, {2, size}});
  }
  return choices;
}

/// Axes that the result does not have keep one element.
NnapiValueChoices stridedSliceChoices(NnapiOperation &op, int64_t) {
  const Numbers input = inputShape(op);
  FailureOr<int64_t> shrink = op.integer(6, "shrink mask");
  if (failed(shrink))
    return {};
  size_t rank = 0;
  for (size_t axis = 0; axis < input.size(); ++axis)
    rank += !(*shrink >> axis & 1);
  const Numbers declared = declaredResult(op, rank);
  SmallVector<SmallVector<Part>> axes;
  size_t next = 0;
  for (size_t axis = 0; axis < input.size(); ++axis)
    axes.push_back(*shrink >> axis & 1 ? SmallVector<Part>{{0, 1, 1}, {input[axis] - 1, input[axis], 1}}
                                       : partsOf(input[axis], declared[next++], true));
  NnapiValueChoices choices;
  for (const SmallVector<Part> &parts : combined(axes)) {
    Numbers begin, end, strides;
    for (const Part &part : parts) {
      begin.push_back(part.begin);
      end.push_back(part.end);
      strides.push_back(part.stride);
    }
    choices.push_back({{1, begin}, {2, end}, {3, strides}});
  }
  return choices;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

NnapiValueChoices batchToSpaceChoices(NnapiOperation &op, int64_t) {
  const Numbers input = inputShape(op);
  if (input.size() != 4)
    return {};
  NnapiValueChoices choices = {{{1, {1, 1}}}};
  for (int64_t blocks : {input[0], int64_t(4), int64_t(6)})
    for (auto [rows, columns] : factorsOf(blocks))
      choices.push_back({{1, {rows, columns}}});
  return choices;
}

NnapiValueChoices spaceToBatchChoices(NnapiOperation &op, int64_t elements) {
  const Numbers input = inputShape(op);
  if (input.size() != 4)
    return {};
  const Numbers declared = declaredResult(op, 4);
  auto [y, x] = imageAxes(op, 3);
  SmallVector<std::pair<int64_t, int64_t>> blocks = {{1, 1}, {2, 2}, {3, 2}, {input[y], 1}, {1, input[x]}};
  if (declared[0])
    blocks = factorsOf(std::max<int64_t>(1, declared[0] / std::max<int64_t>(1, input[0])));
  NnapiValueChoices choices;
  for (auto [rows, columns] : blocks) {
    Numbers padded(4, 0);
    padded[y] = declared[y] * rows, padded[x] = declared[x] * columns;
    Numbers base = input;
    base[y] = roundUp(input[y], rows), base[x] = roundUp(input[x], columns);
    const Numbers fixed = {input[0], padded[1] ? padded[1] : 0, padded[2] ? padded[2] : 0, input[3]};
    for (Numbers shape :
         grownShapes(base, y == 1 ? fixed : Numbers{input[0], input[1], padded[2], padded[3]}, elements))
      for (Side side : kSides) {
        Numbers amounts;
        addSides(amounts, shape[y] - input[y], side);
        addSides(amounts, shape[x] - input[x], side);
        choices.push_back({{1, {rows, columns}}, {2, amounts}});
      }
  }
  return choices;
}

} // namespace avocet::compiler
