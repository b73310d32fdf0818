//===- PoolUse.cpp - Operations and the pools that they read ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/PoolUse.h"

#include "avocet/base/File.h"
#include "device/HalResult.h"
#include "memory/PoolFile.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace avocet::hal {
namespace {

bool isIn(const Operand &operand, const UnreadablePools &pools) {
  return operand.lifetime == OperandLifeTime::ConstantReference && operand.location.length > 0 &&
         pools.contains(operand.location.poolIndex);
}

/// The end of the last constant in each pool, of a model that may break rules.
std::vector<uint64_t> endsOf(const Model &model) {
  std::vector<uint64_t> ends(model.pools.size(), 0);
  auto note = [&](const Subgraph &subgraph) {
    for (const Operand &operand : subgraph.operands)
      if (operand.lifetime == OperandLifeTime::ConstantReference && operand.location.poolIndex < ends.size()) {
        uint64_t &end = ends[operand.location.poolIndex];
        const uint64_t last = uint64_t{operand.location.offset} + operand.location.length;
        end = std::max(end, last < operand.location.length ? UINT64_MAX : last);
      }
  };
  note(model.main);
  std::ranges::for_each(model.referenced, note);
  return ends;
}

/// Reads only the last byte: a file that has it has all before it. A constant outside its pool breaks a rule of the
/// model, which is checked elsewhere.
Outcome checkPool(const SharedMemory &memory, uint64_t end) {
  AVOCET_ASSIGN_OR_RETURN(PoolFile pool, PoolFile::open(memory));
  std::array<uint8_t, 1> last{};
  return end > 0 && end <= pool.size() ? pool.read(end - 1, last) : success();
}

/// Visits each subgraph once, also if several operands refer to it.
class PoolReader {
public:
  PoolReader(const Model &model, const UnreadablePools &pools)
      : model_(model), pools_(pools), seen_(model.referenced.size()) {}

  std::optional<uint32_t> readBy(const Subgraph &subgraph, const std::vector<uint32_t> &operands) {
    for (uint32_t index : operands) {
      const Operand &operand = subgraph.operands[index];
      if (isIn(operand, pools_))
        return operand.location.poolIndex;
      if (operand.lifetime == OperandLifeTime::Subgraph)
        if (auto pool = readIn(operand.location.offset))
          return pool;
    }
    return std::nullopt;
  }

private:
  std::optional<uint32_t> readIn(uint32_t number) {
    if (seen_[number])
      return std::nullopt;
    seen_[number] = true;
    const Subgraph &subgraph = model_.referenced[number];
    for (const Operation &operation : subgraph.operations)
      if (auto pool = readBy(subgraph, operation.inputs))
        return pool;
    return std::nullopt;
  }

  const Model &model_;
  const UnreadablePools &pools_;
  std::vector<bool> seen_;
};

} // namespace

UnreadablePools unreadablePools(const Model &model) {
  UnreadablePools unreadable;
  const std::vector<uint64_t> ends = endsOf(model);
  for (uint32_t i = 0; i < model.pools.size(); ++i)
    if (Outcome pool = checkPool(model.pools[i], ends[i]); !pool)
      unreadable.emplace(i, pool.error().message);
  return unreadable;
}

std::optional<uint32_t> poolReadBy(const Model &model, const Operation &operation, const UnreadablePools &pools) {
  return pools.empty() ? std::nullopt : PoolReader(model, pools).readBy(model.main, operation.inputs);
}

Result<Model> withStandIns(const Model &model, const UnreadablePools &pools) {
  const std::vector<uint64_t> ends = endsOf(model);
  Model result = model;
  for (const auto &[number, reason] : pools) {
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, toHalResult(createMemoryFile("pool", 0)));
    auto handle = std::make_shared<const FileDescriptor>(std::move(file));
    result.pools[number] =
        std::make_shared<Memory>(Memory{Ashmem{std::move(handle), std::max<uint64_t>(ends[number], 1)}});
  }
  return result;
}

void dropConstants(Model &model, const UnreadablePools &pools) {
  auto drop = [&](Subgraph &subgraph) {
    for (Operand &operand : subgraph.operands)
      if (isIn(operand, pools)) {
        operand.lifetime = OperandLifeTime::NoValue;
        operand.location = {};
      }
  };
  drop(model.main);
  std::ranges::for_each(model.referenced, drop);
}

} // namespace avocet::hal
