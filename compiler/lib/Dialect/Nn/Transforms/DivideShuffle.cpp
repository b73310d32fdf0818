//===- DivideShuffle.cpp - Shuffles of two groups between their readers *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Units of ShuffleNet V2 join what passes them by with what their branch makes, shuffle both, and divide the result
// into the input of the next branch and what passes that one by. The branch made its half of the channels with a
// convolution, and the next one reads with a convolution, so that both can have them in any order:
//
//   passed:  rest | wanted             "wanted" are the channels of the next branch. They follow each other, so that it
//   made:             wanted | rest    reads them where they are, and only the rest is shuffled.
//
//===----------------------------------------------------------------------===//

#include "ChannelOrder.h"
#include "ElementOrder.h"
#include "Greedy.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr llvm::StringLiteral kOrder = "channel_order"; // name of remarks

/// Channels [begin, end) of each of the two groups.
struct Range {
  int64_t begin = 0, end = 0;
  int64_t count() const { return end - begin; }
};

/// The channels of each group that the slice has; nullopt if it takes more than channels, or other ones of one group.
std::optional<Range> rangeOf(SliceOp op) {
  const int64_t rank = tensorOf(op.getInput()).getRank();
  for (int64_t axis = 0; axis + 1 < rank; ++axis)
    if (!op.isWholeAlong(axis))
      return std::nullopt;
  const int64_t begin = op.getBegin().back(), size = op.getSize().back();
  if (op.getStrides().back() != 1 || begin % 2 != 0 || size % 2 != 0)
    return std::nullopt;
  return Range{begin / 2, (begin + size) / 2};
}

/// The result of the moves that alone read the value.
Value endOfMoves(Value value) {
  while (value.hasOneUse() && isa<ReshapeOp, TransposeOp>(*value.user_begin()))
    value = value.user_begin()->getResult(0);
  return value;
}

/// Whether the channels of two groups take turns, in all pixels.
bool isShuffle(Value moved, Value source) {
  const int64_t channels = shapeOf(source).back();
  const MovedElements elements = traceMoves(moved);
  const auto inner = elements.source == source ? elements.order.insideRows(channels) : std::nullopt;
  return inner && moved.getType() == source.getType() &&
         inner == ElementOrder(channels).transposed({2, channels / 2}, {1, 0});
}

/// A concatenation of two groups whose shuffle is divided, and the new places of its channels.
struct Shuffle {
  ConcatenationOp joined;
  int64_t channels = 0; ///< of a group
  SliceOp wanted;
  SmallVector<SliceOp> rests;
  Range wantedRange;
  unsigned made = 0;   ///< the group whose maker has free outputs
  bool isLast = false; ///< the wanted channels are the last ones of each group
  int64_t restCount() const { return channels - wantedRange.count(); }

  /// The group that comes first after the division.
  unsigned first() const { return isLast ? 1 - made : made; }
  /// The new place of channel `index` of the rest of a group, counted from the first one.
  int64_t placeOfRest(unsigned group, int64_t index) const {
    return group == first() ? index : channels + wantedRange.count() + index;
  }
};

/// Whether the slices have all channels in the one whose readers take any order, and in the rest.
bool divide(Value moved, Shuffle &shuffle) {
  SmallVector<SliceOp> slices;
  for (Operation *user : moved.getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice || !rangeOf(slice))
      return false;
    slices.push_back(slice);
  }
  const auto *wanted = llvm::find_if(slices, [](SliceOp slice) { return isReadInAnyOrder(slice.getOutput()); });
  if (wanted == slices.end())
    return false;
  shuffle.wanted = *wanted;
  shuffle.wantedRange = *rangeOf(*wanted);
  slices.erase(wanted);
  shuffle.rests = slices;
  shuffle.isLast = shuffle.wantedRange.end == shuffle.channels;
  return shuffle.isLast || shuffle.wantedRange.begin == 0;
}

/// Whether each slice of the rest is two runs of channels whose distance is a multiple of their length.
bool canDivideRest(const Shuffle &shuffle) {
  const int64_t firstRest = shuffle.isLast ? 0 : shuffle.wantedRange.end;
  return llvm::all_of(shuffle.rests, [&](SliceOp slice) {
    const Range range = *rangeOf(slice);
    const int64_t begin = range.begin - firstRest, distance = shuffle.channels + shuffle.wantedRange.count();
    return begin >= 0 && range.end - firstRest <= shuffle.restCount() && begin % range.count() == 0 &&
           distance % range.count() == 0 && 2 * shuffle.channels % range.count() == 0;
  });
}

std::optional<Shuffle> findShuffle(ConcatenationOp op) {
  const RankedTensorType type = tensorOf(op.getOutput());
  if (op.getInputs().size() != 2 || static_cast<int64_t>(op.getAxis()) != type.getRank() - 1 ||
      op.getInputs()[0].getType() != op.getInputs()[1].getType())
    return std::nullopt;
  const Value moved = endOfMoves(op.getOutput());
  Shuffle shuffle;
  shuffle.joined = op;
  shuffle.channels = type.getShape().back() / 2;
  if (moved == op.getOutput() || !isShuffle(moved, op.getOutput()) || !divide(moved, shuffle) ||
      !canDivideRest(shuffle))
    return std::nullopt;
  for (shuffle.made = 0; shuffle.made < 2; ++shuffle.made) {
    const Value input = op.getInputs()[shuffle.made];
    auto maker = input.getDefiningOp<Conv2dOp>();
    if (maker && input.hasOneUse() && hasFreeOutputs(maker))
      return shuffle;
  }
  return std::nullopt;
}

struct DivideShuffle : OpRewritePattern<ConcatenationOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatenationOp op, PatternRewriter &rewriter) const override {
    const std::optional<Shuffle> shuffle = findShuffle(op);
    if (!shuffle)
      return rewriter.notifyMatchFailure(op, "is not shuffled, or not for a convolution and what passes it by");
    const Value joined = join(*shuffle, rewriter);
    orderWanted(*shuffle, joined, rewriter);
    for (SliceOp rest : shuffle->rests)
      shuffleRest(*shuffle, rest, joined, rewriter);
    remarkFused(joined.getDefiningOp(), kOrder, "the inputs of the next convolution follow each other");
    return success();
  }

private:
  /// The groups with the wanted channels side by side.
  static Value join(const Shuffle &shuffle, PatternRewriter &rewriter) {
    ConcatenationOp op = shuffle.joined;
    auto maker = op.getInputs()[shuffle.made].getDefiningOp<Conv2dOp>();
    ChannelOrder order;
    const int64_t first = shuffle.isLast ? shuffle.wantedRange.begin : shuffle.wantedRange.end;
    for (int64_t channel = 0; channel < shuffle.channels; ++channel)
      order.push_back((first + channel) % shuffle.channels);
    reorderOutputs(maker, order, rewriter);
    rewriter.modifyOpInPlace(maker, [&] { maker->setLoc(unnamedResult(maker.getLoc())); });
    const Value inputs[] = {op.getInputs()[shuffle.first()], op.getInputs()[1 - shuffle.first()]};
    rewriter.setInsertionPoint(op);
    return ConcatenationOp::create(rewriter, unnamedResult(op.getLoc()), op.getOutput().getType(), inputs,
                                   op.getAxis());
  }

  static Value slice(Value input, ArrayRef<int64_t> begin, ArrayRef<int64_t> size, ArrayRef<int64_t> strides,
                     Location loc, PatternRewriter &rewriter) {
    return SliceOp::create(rewriter, loc, tensorOf(input).clone(size), input, begin, size, strides);
  }

  static void orderWanted(const Shuffle &shuffle, Value joined, PatternRewriter &rewriter) {
    SliceOp op = shuffle.wanted;
    const int64_t count = shuffle.wantedRange.count();
    SmallVector<int64_t> begin(op.getBegin()), size(op.getSize()), strides(size.size(), 1);
    begin.back() = shuffle.restCount();
    const Value wanted = slice(joined, begin, size, strides, unnamedResult(op.getLoc()), rewriter);
    ChannelOrder order; // channel 2 * i + g of the shuffle is channel i of group g
    for (unsigned group : {shuffle.first(), 1 - shuffle.first()})
      for (int64_t channel = 0; channel < count; ++channel)
        order.push_back(2 * channel + group);
    for (Operation *reader : llvm::make_early_inc_range(op->getUsers()))
      reorderInputs(cast<Conv2dOp>(reader), wanted, order, rewriter);
    rewriter.eraseOp(op);
  }

  /// The shuffle of two runs of channels.
  static void shuffleRest(const Shuffle &shuffle, SliceOp op, Value joined, PatternRewriter &rewriter) {
    const Range range = *rangeOf(op);
    const int64_t count = range.count(), index = range.begin - (shuffle.isLast ? 0 : shuffle.wantedRange.end);
    const int64_t places[] = {shuffle.placeOfRest(0, index) / count, shuffle.placeOfRest(1, index) / count};
    const auto rank = static_cast<size_t>(tensorOf(joined).getRank());
    const Location loc = op.getLoc();
    SmallVector<int64_t> runs(shapeOf(joined).drop_back()), begin(rank + 1, 0), strides(rank + 1, 1), turns;
    runs.append({2 * shuffle.channels / count, count});
    begin[rank - 1] = places[0];
    strides[rank - 1] = places[1] - places[0];
    for (size_t axis = 0; axis <= rank; ++axis)
      turns.push_back(static_cast<int64_t>(axis));
    std::swap(turns[rank - 1], turns[rank]);
    rewriter.setInsertionPoint(op);
    const Location inner = unnamedResult(loc);
    const Value divided = ReshapeOp::create(rewriter, inner, tensorOf(joined).clone(runs), joined);
    SmallVector<int64_t> size = runs;
    size[rank - 1] = 2;
    const Value both = slice(divided, begin, size, strides, inner, rewriter);
    std::swap(size[rank - 1], size[rank]);
    const Value shuffled = TransposeOp::create(rewriter, inner, tensorOf(joined).clone(size), both, turns);
    rewriter.replaceOp(op, reshaped(shuffled, tensorOf(op.getOutput()), loc, rewriter));
  }
};

} // namespace

void addShufflePatterns(RewritePatternSet &patterns) { patterns.add<DivideShuffle>(patterns.getContext()); }

} // namespace avocet::compiler::nn
