//===- ConstantPools.cpp - Private copies of a model's constants ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/ConstantPools.h"

#include "memory/PoolFile.h"
#include "model/ModelBytes.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <sys/mman.h>

namespace avocet::hal {
namespace {

constexpr uint32_t kOperandValues = std::numeric_limits<uint32_t>::max();
/// With less alignment than its element types need, the compiler would copy the constants.
constexpr uint64_t kAlignment = 64;
/// Constants up to this size are copied for ConstantUse::CheckSupport too.
constexpr uint64_t kSmallConstant = 4096;

bool isConstant(const Operand &operand) {
  return operand.lifetime == OperandLifeTime::ConstantCopy || operand.lifetime == OperandLifeTime::ConstantReference;
}

/// Real numbers, on whose values no rule of an operation depends.
bool isReal(OperandType type) { return type != OperandType::TensorInt32 && type != OperandType::TensorBool8; }

/// Pages that the system fills with zeros when they are read.
Result<std::shared_ptr<const uint8_t>> zeroPages(uint64_t bytes) {
  void *pages = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("model: no address space for {} bytes of constants", bytes));
  return std::shared_ptr<const uint8_t>(static_cast<const uint8_t *>(pages),
                                        [bytes](const uint8_t *first) { munmap(const_cast<uint8_t *>(first), bytes); });
}

Outcome readRange(const Model &model, uint32_t source, uint64_t start, std::span<uint8_t> bytes) {
  if (source != kOperandValues) {
    AVOCET_ASSIGN_OR_RETURN(PoolFile file, PoolFile::open(model.pools[source]));
    return file.read(start, bytes);
  }
  std::copy_n(model.operandValues.begin() + static_cast<ptrdiff_t>(start), bytes.size(), bytes.begin());
  return success();
}

} // namespace

uint32_t ConstantPools::sourceOf(const Operand &operand) {
  return operand.lifetime == OperandLifeTime::ConstantCopy ? kOperandValues : operand.location.poolIndex;
}

bool ConstantPools::isZeros(const Operand &operand) const {
  return use_ == ConstantUse::CheckSupport && isReal(operand.type) && operand.location.length > kSmallConstant;
}

void ConstantPools::note(const Subgraph &subgraph) {
  for (const Operand &operand : subgraph.operands) {
    if (!isConstant(operand) || operand.location.length == 0)
      continue;
    if (isZeros(operand)) {
      zeroBytes_ = std::max<uint64_t>(zeroBytes_, operand.location.length);
      continue;
    }
    uint64_t &end = ranges_[sourceOf(operand)][operand.location.offset].end;
    end = std::max(end, operand.location.offset + operand.location.length);
  }
}

void ConstantPools::merge() {
  for (auto &[source, ranges] : ranges_) {
    for (auto range = ranges.begin(); range != ranges.end();) {
      auto next = std::next(range);
      if (next == ranges.end() || next->first > range->second.end) {
        range = next;
        continue;
      }
      range->second.end = std::max(range->second.end, next->second.end);
      ranges.erase(next);
    }
  }
}

/// Called before memory is allocated, since a pool may state any size.
Outcome ConstantPools::pay(Quota *memory) {
  uint64_t total = 0;
  for (const auto &[source, ranges] : ranges_) {
    for (const auto &[start, range] : ranges) {
      total += range.end - start;
      if (total > kMaxConstantBytes)
        return error(ErrorStatus::ResourceExhaustedPersistent,
                     fmt::format("model: its constants have more than {} bytes", kMaxConstantBytes));
    }
  }
  if (memory == nullptr)
    return success();
  AVOCET_ASSIGN_OR_RETURN(charge_, memory->take(total));
  return success();
}

Outcome ConstantPools::read(const Model &model) {
  for (auto &[source, ranges] : ranges_) {
    for (auto &[start, range] : ranges) {
      range.pool = static_cast<uint32_t>(pools_.size());
      range.lead = start % kAlignment;
      std::vector<uint8_t> &bytes = pools_.emplace_back(range.lead + (range.end - start));
      AVOCET_RETURN_IF_ERROR(readRange(model, source, start, std::span(bytes).subspan(range.lead)));
    }
  }
  return success();
}

Result<ConstantPools> ConstantPools::copy(const Model &model, Quota *memory, ConstantUse use) {
  ConstantPools pools;
  pools.use_ = use;
  pools.note(model.main);
  for (const Subgraph &subgraph : model.referenced)
    pools.note(subgraph);
  pools.merge();
  AVOCET_RETURN_IF_ERROR(pools.pay(memory));
  AVOCET_RETURN_IF_ERROR(pools.read(model));
  if (pools.zeroBytes_ > 0) {
    AVOCET_ASSIGN_OR_RETURN(pools.zeros_, zeroPages(pools.zeroBytes_));
  }
  return pools;
}

std::vector<std::span<const uint8_t>> ConstantPools::spans() const {
  std::vector<std::span<const uint8_t>> spans(pools_.begin(), pools_.end());
  if (zeros_)
    spans.emplace_back(zeros_.get(), zeroBytes_);
  return spans;
}

DataLocation ConstantPools::locate(const Operand &operand) const {
  const DataLocation &location = operand.location;
  if (location.length == 0)
    return {};
  if (isZeros(operand))
    return {static_cast<uint32_t>(pools_.size()), 0, location.length, 0};
  auto range = std::prev(ranges_.at(sourceOf(operand)).upper_bound(location.offset));
  uint64_t offset = range->second.lead + (location.offset - range->first);
  return {range->second.pool, offset, location.length, 0};
}

} // namespace avocet::hal
