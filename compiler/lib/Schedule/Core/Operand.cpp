//===- Operand.cpp - Parts of tensors ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Problem.h"

namespace avocet::compiler::schedule {

std::optional<uint32_t> firstRowIn(const MapShape &tensor, const Operand &operand) {
  const uint32_t rowBytes = tensor.rowBytes();
  if (operand.shape.height > 1 && operand.rowStep() != rowBytes)
    return std::nullopt;
  if (operand.offset % rowBytes + operand.rowSpan() > rowBytes)
    return std::nullopt;
  return uint32_t(operand.offset / rowBytes);
}

bool isSamePlace(const Operand &a, const Operand &b) {
  return a.isConstant == b.isConstant && a.id == b.id && a.offset == b.offset && a.shape == b.shape &&
         a.rowStep() == b.rowStep() && a.pixelStep() == b.pixelStep();
}

namespace {

/// Bytes [begin, end).
struct Bytes {
  uint64_t begin = 0, end = 0;
  bool touches(const Bytes &other) const { return begin < other.end && other.begin < end; }
};

/// The bytes of every period, the first of which begins at `origin`, that the operand can use; nullopt if it crosses
/// the border of a period.
std::optional<Bytes> bytesOfPeriod(const Operand &operand, uint64_t period, uint64_t origin) {
  uint64_t bytes = operand.shape.pixelBytes();
  if (operand.shape.width > 1 && operand.pixelStep() % period != 0)
    bytes = operand.rowSpan();
  if (operand.shape.height > 1 && operand.rowStep() % period != 0)
    bytes = operand.span();
  const uint64_t begin = (operand.offset + period - origin % period) % period;
  return begin + bytes <= period ? std::optional(Bytes{begin, begin + bytes}) : std::nullopt;
}

/// The operand's part in one period, from byte `begin` of it on: rows and pixels that repeat with the period are one.
Operand partInPeriod(Operand operand, uint64_t period, uint64_t begin) {
  operand.rowStride = operand.rowStep();
  operand.pixelStride = operand.pixelStep();
  operand.offset = begin;
  if (operand.rowStride % period == 0)
    operand.shape.height = 1;
  if (operand.pixelStride % period == 0)
    operand.shape.width = 1;
  return operand;
}

bool isSmaller(const Operand &part, const Operand &whole) {
  return part.shape.height < whole.shape.height || part.shape.width < whole.shape.width;
}

/// Whether what the operands use of each period has no common bytes.
bool areApartInPeriod(const MapShape &tensor, const Operand &a, const Operand &b, uint64_t period, uint64_t origin) {
  const std::optional<Bytes> ofA = bytesOfPeriod(a, period, origin), ofB = bytesOfPeriod(b, period, origin);
  if (!ofA || !ofB)
    return false;
  if (!ofA->touches(*ofB))
    return true;
  const Operand partOfA = partInPeriod(a, period, ofA->begin), partOfB = partInPeriod(b, period, ofB->begin);
  return (isSmaller(partOfA, a) || isSmaller(partOfB, b)) && !mayOverlap(tensor, partOfA, partOfB);
}

} // namespace

/// Boxes of a tensor are apart along its rows, its columns (the same bytes of every row) or its channels (the same
/// bytes of every pixel). The rows and pixels may also be those of a box, whose parts are side by side in it (a join in
/// a join), and the pixels may repeat in each row only, if the inner join sees a row of the outer one as pixels.
bool mayOverlap(const MapShape &tensor, const Operand &a, const Operand &b) {
  if (a.offset == b.offset)
    return true;
  if (!Bytes{a.offset, a.offset + a.span()}.touches({b.offset, b.offset + b.span()}))
    return false;
  const uint64_t periods[] = {tensor.rowBytes(), tensor.pixelBytes(), a.rowStep(),
                              a.pixelStep(),     b.rowStep(),         b.pixelStep()};
  for (const uint64_t period : periods) {
    if (period == 0)
      continue;
    // A box can begin anywhere in the tensor, and its rows with it.
    for (const uint64_t origin : {uint64_t(0), a.offset, b.offset})
      if (areApartInPeriod(tensor, a, b, period, origin))
        return false;
  }
  return true;
}

} // namespace avocet::compiler::schedule
