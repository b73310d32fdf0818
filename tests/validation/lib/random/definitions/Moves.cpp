//===- Moves.cpp - Operations that move elements --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

#include <algorithm>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// Each element of an output is the element of input 0 that `source(at)` names.
template <typename Source> Reals gathered(const OperationValues &operation, Source source, size_t output = 0) {
  const Reals values = operation.reals(0);
  Reals result;
  forEachElement(operation.output(output).dimensions, [&](const Dimensions &at) {
    result.push_back(values[offsetOf(operation.input(0).dimensions, source(at))]);
  });
  return result;
}

std::optional<Reals> sameOrder(const OperationValues &operation) { return operation.reals(0); }

std::optional<Reals> transpose(const OperationValues &operation) {
  const std::vector<int32_t> order = operation.integers(1);
  return gathered(operation, [&](const Dimensions &at) {
    Dimensions from(at.size());
    for (size_t i = 0; i < at.size(); ++i)
      from[static_cast<size_t>(order[i])] = at[i];
    return from;
  });
}

std::optional<Reals> slice(const OperationValues &operation) {
  const std::vector<int32_t> begin = operation.integers(1);
  return gathered(operation, [&](Dimensions at) {
    for (size_t i = 0; i < at.size(); ++i)
      at[i] += static_cast<uint32_t>(begin[i]);
    return at;
  });
}

/// The element of dimension `i` at which a strided slice begins. A begin below 0 counts from the end.
int32_t firstOfStride(const OperationValues &operation, size_t i, int32_t stride) {
  const auto extent = static_cast<int32_t>(operation.input(0).dimensions[i]);
  const int32_t given = operation.integers(1)[i];
  if (operation.integer(4) >> i & 1)
    return stride > 0 ? 0 : extent - 1;
  return std::clamp(given < 0 ? given + extent : given, 0, extent - 1);
}

/// Where a slice ends follows from the extents of the result; the shrink mask omits dimensions of one element.
std::optional<Reals> stridedSlice(const OperationValues &operation) {
  const std::vector<int32_t> strides = operation.integers(3);
  const int32_t shrunk = operation.integer(6);
  std::vector<int32_t> first;
  for (size_t i = 0; i < strides.size(); ++i)
    first.push_back(firstOfStride(operation, i, strides[i]));
  return gathered(operation, [&](const Dimensions &at) {
    Dimensions from;
    for (size_t i = 0, next = 0; i < strides.size(); ++i) {
      const auto step = shrunk >> i & 1 ? 0 : static_cast<int32_t>(at[next++]);
      from.push_back(static_cast<uint32_t>(first[i] + step * strides[i]));
    }
    return from;
  });
}

std::optional<Reals> tile(const OperationValues &operation) {
  return gathered(operation, [&](Dimensions at) {
    for (size_t i = 0; i < at.size(); ++i)
      at[i] %= operation.input(0).dimensions[i];
    return at;
  });
}

std::optional<Reals> reverse(const OperationValues &operation) {
  const size_t axis = operation.axis(1);
  return gathered(operation, [&](Dimensions at) {
    at[axis] = operation.input(0).dimensions[axis] - 1 - at[axis];
    return at;
  });
}

/// Mode 0 reflects without the edge, mode 1 with it.
std::optional<Reals> mirrorPad(const OperationValues &operation) {
  const std::vector<int32_t> paddings = operation.integers(1);
  const int32_t edge = operation.integer(2);
  return gathered(operation, [&](Dimensions at) {
    for (size_t i = 0; i < at.size(); ++i) {
      const auto extent = static_cast<int32_t>(operation.input(0).dimensions[i]);
      int32_t from = static_cast<int32_t>(at[i]) - paddings[2 * i];
      from = from < 0 ? -from - edge : from;
      from = from >= extent ? 2 * extent - 2 + edge - from : from;
      at[i] = static_cast<uint32_t>(from);
    }
    return at;
  });
}

/// Elements outside the input are `filler`, a real number.
Reals padded(const OperationValues &operation, double filler) {
  const std::vector<int32_t> paddings = operation.integers(1);
  const Dimensions &dimensions = operation.input(0).dimensions;
  const Reals values = operation.reals(0);
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](Dimensions at) {
    bool isInside = true;
    for (size_t i = 0; i < at.size(); ++i) {
      at[i] -= static_cast<uint32_t>(paddings[2 * i]); // wraps below the first element
      isInside &= at[i] < dimensions[i];
    }
    result.push_back(isInside ? values[offsetOf(dimensions, at)] : filler);
  });
  return result;
}

std::optional<Reals> pad(const OperationValues &operation) { return padded(operation, 0); }

/// A filler of 8 bits is a stored number.
std::optional<Reals> padV2(const OperationValues &operation) {
  const Value &input = operation.input(0);
  const double filler = operation.real(2);
  return padded(operation,
                isAsymmetric8Bit(input.type) ? (filler - input.zeroPoint) * static_cast<double>(input.scale) : filler);
}

std::optional<Reals> gather(const OperationValues &operation) {
  const size_t axis = operation.axis(1);
  const std::vector<int32_t> indices = operation.integers(2);
  const Dimensions &shape = operation.input(2).dimensions;
  return gathered(operation, [&](const Dimensions &at) {
    const auto first = at.begin() + static_cast<ptrdiff_t>(axis);
    const auto last = first + static_cast<ptrdiff_t>(shape.size());
    Dimensions from(at.begin(), first);
    from.push_back(static_cast<uint32_t>(indices[offsetOf(shape, Dimensions(first, last))]));
    from.insert(from.end(), last, at.end());
    return from;
  });
}

/// The elements of the operands from `first` to before `end`.
std::vector<Reals> realsOf(const OperationValues &operation, size_t first, size_t end) {
  std::vector<Reals> parts;
  for (size_t i = first; i < end; ++i)
    parts.push_back(operation.reals(i));
  return parts;
}

/// Tensors one after the other along `axis`.
std::optional<Reals> concatenation(const OperationValues &operation) {
  const size_t last = operation.numInputs() - 1;
  const size_t axis = operation.axis(last);
  const std::vector<Reals> parts = realsOf(operation, 0, last);
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](Dimensions at) {
    size_t part = 0;
    for (; at[axis] >= operation.input(part).dimensions[axis]; ++part)
      at[axis] -= operation.input(part).dimensions[axis];
    result.push_back(parts[part][offsetOf(operation.input(part).dimensions, at)]);
  });
  return result;
}

/// Tensors one after the other along a new dimension.
std::optional<Reals> pack(const OperationValues &operation) {
  const auto axis = static_cast<size_t>(operation.integer(0));
  const std::vector<Reals> parts = realsOf(operation, 1, operation.numInputs());
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](Dimensions at) {
    const uint32_t part = at[axis];
    at.erase(at.begin() + static_cast<ptrdiff_t>(axis));
    result.push_back(parts[part][offsetOf(operation.input(1).dimensions, at)]);
  });
  return result;
}

/// Equal parts, one after the other along `axis`.
std::optional<Results> split(const OperationValues &operation) {
  const size_t axis = operation.axis(1);
  Results results;
  for (size_t i = 0; i < operation.numOutputs(); ++i)
    results.push_back(gathered(
        operation,
        [&](Dimensions at) {
          at[axis] += static_cast<uint32_t>(i) * operation.output(i).dimensions[axis];
          return at;
        },
        i));
  return results;
}

std::optional<Reals> channelShuffle(const OperationValues &operation) {
  const auto groups = static_cast<uint32_t>(operation.integer(1));
  const size_t axis = operation.axis(2);
  const uint32_t perGroup = operation.input(0).dimensions[axis] / groups;
  return gathered(operation, [&](Dimensions at) {
    at[axis] = at[axis] % groups * perGroup + at[axis] / groups;
    return at;
  });
}

std::optional<Reals> fill(const OperationValues &operation) {
  return Reals(operation.output(0).numElements(), operation.real(1));
}

std::optional<Reals> rank(const OperationValues &operation) {
  return Reals{static_cast<double>(operation.input(0).dimensions.size())};
}

std::optional<Reals> embeddingLookup(const OperationValues &operation) {
  const std::vector<int32_t> rows = operation.integers(0);
  const Reals values = operation.reals(1);
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](Dimensions at) {
    at[0] = static_cast<uint32_t>(rows[at[0]]);
    result.push_back(values[offsetOf(operation.input(1).dimensions, at)]);
  });
  return result;
}

constexpr Definition kRows[] = {
    {Reshape, sameOrder, kCopies},
    {Squeeze, sameOrder, kCopies},
    {ExpandDims, sameOrder, kCopies},
    {Transpose, transpose, kCopies},
    {Slice, slice, kCopies},
    {StridedSlice, stridedSlice, kCopies},
    {Tile, tile, kCopies},
    {Reverse, reverse, kCopies},
    {Pad, pad, kCopies},
    {PadV2, padV2, kCopies},
    {MirrorPad, mirrorPad, kCopies},
    {Gather, gather, kCopies},
    {Concatenation, concatenation},
    {Pack, pack, kCopies},
    {Split, split, kCopies},
    {ChannelShuffle, channelShuffle, kCopies},
    {Fill, fill, kCopies},
    {OperationType::Rank, rank, kCopies},
    {EmbeddingLookup, embeddingLookup, kCopies},
};

} // namespace

std::span<const Definition> moveDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
