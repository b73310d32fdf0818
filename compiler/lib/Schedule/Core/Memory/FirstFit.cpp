//===- FirstFit.cpp - The lowest free address during a time -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirstFit.h"

#include "AddressRanges.h"
#include "avocet/base/Rounding.h"

#include <bit>

namespace avocet::compiler::schedule {

FirstFit::FirstFit(const AllocationProblem &problem) : capacity_(problem.capacity), alignment_(problem.alignment) {
  for (const Block &block : problem.blocks)
    for (uint32_t time : {block.first, block.last})
      times_.push_back(time);
  std::ranges::sort(times_);
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  nodes_.resize(2 * std::bit_ceil(std::max<size_t>(times_.size(), 1)));
}

FirstFit::Span FirstFit::spanOf(const Block &block) const {
  const auto number = [&](uint32_t time) { return size_t(std::ranges::lower_bound(times_, time) - times_.begin()); };
  return {number(block.first), number(block.last)};
}

void FirstFit::add(const Block &block, uint64_t address) {
  add(1, {0, nodes_.size() / 2 - 1}, spanOf(block), {address, address + block.bytes});
}

void FirstFit::add(size_t node, Span ofNode, Span span, AddressRanges::Range range) {
  if (span.last < ofNode.first || ofNode.last < span.first)
    return;
  nodes_[node].sometimes.add(range);
  if (span.first <= ofNode.first && ofNode.last <= span.last) {
    nodes_[node].always.add(range);
    return;
  }
  const size_t middle = (ofNode.first + ofNode.last) / 2;
  add(2 * node, {ofNode.first, middle}, span, range);
  add(2 * node + 1, {middle + 1, ofNode.last}, span, range);
}

void FirstFit::collect(size_t node, Span ofNode, Span span, Lists &lists) const {
  if (span.last < ofNode.first || ofNode.last < span.first)
    return;
  if (span.first <= ofNode.first && ofNode.last <= span.last) {
    lists.push_back(&nodes_[node].sometimes);
    return;
  }
  lists.push_back(&nodes_[node].always);
  const size_t middle = (ofNode.first + ofNode.last) / 2;
  collect(2 * node, {ofNode.first, middle}, span, lists);
  collect(2 * node + 1, {middle + 1, ofNode.last}, span, lists);
}

std::optional<uint64_t> FirstFit::lowest(const Block &block) const {
  Lists lists;
  collect(1, {0, nodes_.size() / 2 - 1}, spanOf(block), lists);
  uint64_t address = 0;
  // Each list moves the address beyond its own ranges, until all of them agree.
  for (size_t agreeing = 0, i = 0; agreeing < lists.size(); i = (i + 1) % lists.size()) {
    ++agreeing;
    for (auto next = lists[i]->from(address); next != lists[i]->end() && next->begin < address + block.bytes; ++next) {
      address = std::max(address, roundUp(next->end, alignment_));
      agreeing = 1;
    }
    if (address + block.bytes > capacity_)
      return std::nullopt;
  }
  return address;
}

} // namespace avocet::compiler::schedule
