//===- PlacedBox.cpp - Boxes of parts of tensors ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacedBox.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

DmaEnd strided(const Box &box, uint64_t offset) {
  DmaEnd end;
  end.offset = offset + box.offset;
  end.stride0 = uint32_t(box.strides[0]);
  end.stride1 = uint32_t(box.strides[1]);
  end.stride2 = uint32_t(box.strides[2]);
  return end;
}

DmaEnd dense(const Box &box) {
  const uint32_t rowBytes = box.runBytes * box.counts[0], planeBytes = rowBytes * box.counts[1];
  DmaEnd end;
  end.stride0 = box.counts[0] > 1 ? box.runBytes : 0;
  end.stride1 = box.counts[1] > 1 ? rowBytes : 0;
  end.stride2 = box.counts[2] > 1 ? planeBytes : 0;
  return end;
}

DmaCommand copyOf(const Box &box, uint64_t offset, bool isLoad) {
  DmaCommand copy;
  copy.runBytes = box.runBytes;
  copy.count0 = box.counts[0];
  copy.count1 = box.counts[1];
  copy.count2 = box.counts[2];
  copy.source = isLoad ? strided(box, offset) : dense(box);
  copy.destination = isLoad ? dense(box) : strided(box, offset);
  return copy;
}

/// Joins copies that repeat at equal distances to one copy with one more count. Copies come in the order of the dense
/// end.
class Joiner {
public:
  Joiner(uint32_t depth, std::vector<DmaCommand> &result) : depth_(depth), result_(result) {}

  void add(const DmaCommand &copy) {
    if (count_ != 0 && follows(copy)) {
      ++count_;
      return;
    }
    flush();
    first_ = copy;
    count_ = 1;
  }

  void flush() {
    if (count_ > 1) {
      (depth_ == 0 ? first_.count0 : depth_ == 1 ? first_.count1 : first_.count2) = count_;
      strideOf(first_.source) = uint32_t(sourceStep_);
      strideOf(first_.destination) = uint32_t(destinationStep_);
    }
    if (count_ != 0)
      result_.push_back(first_);
    count_ = 0;
  }

private:
  bool follows(DmaCommand copy) {
    const uint64_t source = copy.source.offset - first_.source.offset;
    const uint64_t destination = copy.destination.offset - first_.destination.offset;
    copy.source.offset = first_.source.offset;
    copy.destination.offset = first_.destination.offset;
    if (!(copy == first_) || std::max(source, destination) > UINT32_MAX)
      return false;
    if (count_ == 1) {
      sourceStep_ = source;
      destinationStep_ = destination;
    }
    return source == count_ * sourceStep_ && destination == count_ * destinationStep_;
  }

  uint32_t &strideOf(DmaEnd &end) const { return depth_ == 0 ? end.stride0 : depth_ == 1 ? end.stride1 : end.stride2; }

  const uint32_t depth_;
  std::vector<DmaCommand> &result_;
  DmaCommand first_;
  uint32_t count_ = 0;
  uint64_t sourceStep_ = 0, destinationStep_ = 0;
};

/// The contiguous parts of a box in the tensor, as copies.
class Scatter {
public:
  Scatter(const Operand &operand, bool isLoad, std::vector<DmaCommand> &result)
      : operand_(operand), isLoad_(isLoad), joiner_(0, result) {}

  void run(const Box &box) {
    for (uint64_t k = 0; k < box.counts[2]; ++k)
      for (uint64_t j = 0; j < box.counts[1]; ++j)
        for (uint64_t i = 0; i < box.counts[0]; ++i)
          addRun(box.offset + k * box.strides[2] + j * box.strides[1] + i * box.strides[0], box.runBytes);
    joiner_.flush();
  }

private:
  /// Bytes [begin, begin + bytes) of the dense operand.
  void addRun(uint64_t begin, uint64_t bytes) {
    const MapShape &shape = operand_.shape;
    const uint64_t pixel = shape.pixelBytes(), row = shape.rowBytes();
    const uint64_t unit = operand_.pixelStep() == pixel ? row : pixel;
    while (bytes > 0) {
      const uint64_t part = std::min(bytes, unit - begin % unit);
      const uint64_t place = operand_.offset + begin / row * operand_.rowStep() +
                             begin % row / pixel * operand_.pixelStep() + begin % pixel;
      DmaCommand copy;
      copy.runBytes = uint32_t(part);
      copy.source.offset = isLoad_ ? place : dense_;
      copy.destination.offset = isLoad_ ? dense_ : place;
      joiner_.add(copy);
      begin += part;
      dense_ += part;
      bytes -= part;
    }
  }

  const Operand &operand_;
  const bool isLoad_;
  uint64_t dense_ = 0; ///< bytes done
  Joiner joiner_;
};

} // namespace

std::vector<DmaCommand> copiesOf(const Operand &operand, const Box &box, bool isLoad) {
  if (operand.isDense())
    return {copyOf(box, operand.offset, isLoad)};
  std::vector<DmaCommand> copies, joined;
  Scatter(operand, isLoad, copies).run(box);
  for (uint32_t depth : {1, 2}) {
    Joiner joiner(depth, joined);
    for (const DmaCommand &copy : copies)
      joiner.add(copy);
    joiner.flush();
    copies = std::move(joined);
    joined.clear();
  }
  return copies;
}

} // namespace avocet::compiler::schedule
