//===- RankRules.cpp - Ranks of the operands of an operation ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each operation whose tensors have ranks of their own or ranks that depend on each other. Operations that
// make one tensor from one tensor need a row only if the ranks of the two differ or are fixed. A pattern lists operands
// in order, with the repetitions of Pattern.h; operands after its end are free. Letters:
//   v vector, m matrix, c three dimensions, i four dimensions         . any rank, or a scalar
//   n the common rank     e a vector with n elements                  q a matrix [n,2]
//   p n + 1               l n - 1, at least 1                         g n + k - 1, where k is the rank of input k
//   x broadcasts          y the greatest rank of the x
// Ranks and extents that are unknown, and operands that are omitted, agree with everything. Cells omit operands as [0]
// too.
//
//===----------------------------------------------------------------------===//

#include "RankRules.h"

#include "Pattern.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace avocet::hal {

using enum OperationType;

namespace {
struct RankRow {
  OperationType type;
  std::string_view inputs;
  std::string_view outputs;
};
} // namespace

static constexpr RankRow kRows[] = {
    // Element by element.
    {Select, "n3", "n"},
    {Add, "x2", "y"},
    {BatchMatmul, "x2", "y"},
    {Div, "x2", "y"},
    {Equal, "x2", "y"},
    {Greater, "x2", "y"},
    {GreaterEqual, "x2", "y"},
    {Less, "x2", "y"},
    {LessEqual, "x2", "y"},
    {LogicalAnd, "x2", "y"},
    {LogicalOr, "x2", "y"},
    {Maximum, "x2", "y"},
    {Minimum, "x2", "y"},
    {Mul, "x2", "y"},
    {NotEqual, "x2", "y"},
    {Pow, "x2", "y"},
    {Prelu, "x2", "y"},
    {Sub, "x2", "y"},
    // Along axes.
    {Argmax, "n", "l"},
    {Argmin, "n", "l"},
    {InstanceNormalization, "i", "i"},
    {Mean, ".v", ""},
    {ReduceAll, ".v", ""},
    {ReduceAny, ".v", ""},
    {ReduceMax, ".v", ""},
    {ReduceMin, ".v", ""},
    {ReduceProd, ".v", ""},
    {ReduceSum, ".v", ""},
    {TopkV2, "n", "n2"},
    // Moves and shapes.
    {BatchToSpaceNd, "iv", "i"},
    {Concatenation, "n+", "n"},
    {DepthToSpace, "i", "i"},
    {ExpandDims, "n", "p"},
    {Fill, "e", "n"},
    {MirrorPad, "nq", "n"},
    {Pack, ".n+", "p"},
    {Pad, "nq", "n"},
    {PadV2, "nq", "n"},
    {Reshape, ".e", "n"},
    {ResizeBilinear, "i", "i"},
    {ResizeNearestNeighbor, "i", "i"},
    {Reverse, "nv", "n"},
    {Slice, "ne2", "n"},
    {SpaceToBatchNd, "ivm", "i"},
    {SpaceToDepth, "i", "i"},
    {Split, "n", "n+"},
    {Squeeze, ".v", ""},
    {StridedSlice, "ne3", ""},
    {Tile, "ne", "n"},
    {Transpose, "ne", "n"},
    // Look-ups.
    {EmbeddingLookup, "vn", "n"},
    {Gather, "n.k", "g"},
    {HashtableLookup, "v2n", "nv"},
    {LshProjection, "m.v", "v"},
    {RandomMultinomial, "m.v", "m"},
    // Windows and layers.
    {AveragePool2d, "i", "i"},
    {Conv2d, "i2v", "i"},
    {DepthwiseConv2d, "i2v", "i"},
    {FullyConnected, ".mv", "m"},
    {GroupedConv2d, "i2v", "i"},
    {L2Pool2d, "i", "i"},
    {MaxPool2d, "i", "i"},
    {TransposeConv2d, "i2v2", "i"},
    // Cells.
    {BidirectionalSequenceLstm, "cm8v7mvm8v7mvm4cm8.5v8", "c.m4"},
    {BidirectionalSequenceRnn, "cm2vm3vmcm2", "c.m2"},
    {Lstm, "m9v7mvm2.3v4", "m4"},
    {Quantized16bitLstm, "m9v4m2", "m2"},
    {QuantizedLstm, "m9v7mvm2v4", "m3"},
    {Rnn, "m3vm", "m2"},
    {Svdf, "m3vm", "m2"},
    {UnidirectionalSequenceLstm, "cm8v7mvm2.4v4", "cm2"},
    {UnidirectionalSequenceRnn, "cm2vm", "cm"},
    // Detection.
    {AxisAlignedBboxTransform, "m2vm", "m"},
    {BoxWithNmsLimit, "m2v", "vmv2"},
    {DetectionPostprocessing, "c2m", "mcmv"},
    {GenerateProposals, "i2m2", "vmv"},
    {HeatmapMaxKeypoint, "im", "mc"},
    {RoiAlign, "imv", "i"},
    {RoiPooling, "imv", "i"},
};

/// Whether the first of the operands is a tensor and all others are scalars (letters of Signatures.h).
static bool hasOneTensor(std::string_view pattern) {
  const PatternCount count = countOf(pattern);
  const std::string letters = expandPrefix(pattern, count.least);
  return !count.isOpen && letters.find_first_not_of("IBFVG") == 0 &&
         letters.find_first_not_of("IBFVG", 1) == std::string::npos;
}

static bool makesTensorFromTensor(const OperationSignature &signature) {
  return std::ranges::all_of(signature.forms,
                             [](const Form &form) { return hasOneTensor(form.inputs) && hasOneTensor(form.outputs); });
}

/// The row of an operation, or the default for one without a row; nothing if all ranks are free.
static std::optional<RankRow> rankRowOf(OperationType type) {
  if (const auto *row = std::ranges::find(kRows, type, &RankRow::type); row != std::end(kRows))
    return *row;
  const OperationSignature *signature = findSignature(type);
  return signature != nullptr && makesTensorFromTensor(*signature) ? std::optional(RankRow{type, "n", "n"})
                                                                   : std::nullopt;
}

/// The rank that a letter states by itself; 0: it depends on others.
static size_t fixedRank(char letter) {
  switch (letter) {
  case 'v':
  case 'e':
    return 1;
  case 'm':
  case 'q':
    return 2;
  case 'c':
    return 3;
  case 'i':
    return 4;
  default:
    return 0;
  }
}

/// Whether an operand of an own rank is omitted by its extent.
static bool isEmptyVector(const Operand &operand) {
  return operand.dimensions.size() == 1 && operand.dimensions[0] == 0;
}

/// 0 if unknown; of a scalar too.
static size_t rankOf(const Operand &operand) {
  return operand.lifetime == OperandLifeTime::NoValue ? 0 : operand.dimensions.size();
}

/// The common rank that follows from one operand, which has the rank of its letter; 0 if none does.
static size_t commonFrom(char letter, const Operand &operand) {
  switch (letter) {
  case 'n':
    return rankOf(operand);
  case 'p':
    return std::max<size_t>(rankOf(operand), 1) - 1;
  case 'e':
  case 'q':
    return rankOf(operand) == fixedRank(letter) ? operand.dimensions[0] : 0;
  default:
    return 0;
  }
}

namespace {

/// The operands of one operation with the letters of its row.
class RankMatcher {
public:
  RankMatcher(const RankRow &row, const OperationView &operation) : operation_(operation) {
    collect(row.inputs, false, operation.numInputs());
    collect(row.outputs, true, operation.numOutputs());
  }

  Outcome match() {
    std::ranges::for_each(entries_, [&](const Entry &entry) { learn(entry); });
    for (const Entry &entry : entries_) {
      AVOCET_RETURN_IF_ERROR(checkRank(entry));
      AVOCET_RETURN_IF_ERROR(checkExtents(entry));
    }
    return success();
  }

private:
  struct Entry {
    char letter = 0;
    bool isOutput = false;
    size_t position = 0;
    const Operand *operand = nullptr;
    std::string name() const { return fmt::format("{} {}", isOutput ? "output" : "input", position); }
  };

  void collect(std::string_view pattern, bool isOutput, size_t count) {
    const std::string letters = expandPrefix(pattern, count);
    for (size_t i = 0; i < letters.size(); ++i)
      entries_.push_back({letters[i], isOutput, i, isOutput ? &operation_.output(i) : &operation_.input(i)});
  }

  void learn(const Entry &entry) {
    const size_t rank = rankOf(*entry.operand);
    if (const size_t common = commonFrom(entry.letter, *entry.operand); common_ == 0 && common != 0) {
      common_ = common;
      source_ = &entry;
    }
    if (entry.letter == 'k')
      indices_ = rank;
    if (entry.letter == 'x') {
      isWidestKnown_ &= rank != 0;
      widest_ = std::max(widest_, rank);
    }
  }

  /// 0: any.
  size_t expectedRank(char letter) const {
    switch (letter) {
    case 'n':
      return common_;
    case 'p':
      return common_ == 0 ? 0 : common_ + 1;
    case 'l':
      return common_ == 0 ? 0 : std::max<size_t>(common_ - 1, 1);
    case 'g':
      return common_ == 0 || indices_ == 0 ? 0 : common_ + indices_ - 1;
    case 'y':
      return isWidestKnown_ ? widest_ : 0;
    default:
      return fixedRank(letter);
    }
  }

  Outcome checkRank(const Entry &entry) const {
    const size_t rank = rankOf(*entry.operand);
    const size_t expected = expectedRank(entry.letter);
    if (rank == 0 || expected == 0 || rank == expected)
      return success();
    if (fixedRank(entry.letter) != 0 && isEmptyVector(*entry.operand))
      return success();
    if (entry.letter == 'n' && source_->letter == 'n')
      return invalidArgument(
          fmt::format("{} has rank {}, must be that of {}, {}", entry.name(), rank, source_->name(), expected));
    return invalidArgument(fmt::format("{} has rank {}, must be {}", entry.name(), rank, expected));
  }

  /// Of the vectors and matrices with an entry for each dimension.
  Outcome checkExtents(const Entry &entry) const {
    const std::vector<uint32_t> &shape = entry.operand->dimensions;
    if ((entry.letter != 'e' && entry.letter != 'q') || rankOf(*entry.operand) != fixedRank(entry.letter))
      return success();
    if (entry.letter == 'q' && shape[1] != 0 && shape[1] != 2)
      return invalidArgument(fmt::format("{} has shape {}, must be [rank,2]", entry.name(), toString(shape)));
    if (common_ != 0 && shape[0] != 0 && shape[0] != common_)
      return invalidArgument(fmt::format("{} has {} {}, must be the rank of {}, {}", entry.name(), shape[0],
                                         entry.letter == 'q' ? "rows" : "elements", rankedName(), common_));
    return success();
  }

  /// The first operand with the common rank.
  std::string rankedName() const { return std::ranges::find(entries_, 'n', &Entry::letter)->name(); }

  const OperationView &operation_;
  std::vector<Entry> entries_;
  const Entry *source_ = nullptr; ///< what `common_` follows from
  size_t common_ = 0;
  size_t indices_ = 0; ///< rank of input k
  size_t widest_ = 0;
  bool isWidestKnown_ = true;
};

} // namespace

Outcome checkRanks(const OperationView &operation) {
  const std::optional<RankRow> row = rankRowOf(operation.type());
  return row ? RankMatcher(*row, operation).match() : success();
}

} // namespace avocet::hal
