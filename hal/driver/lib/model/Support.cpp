//===- Support.cpp - The operations that the device supports ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Support.h"

#include "avocet/base/File.h"
#include "avocet/hal/extensions/Lowering.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"
#include "memory/PoolFile.h"
#include "model/ConstantPools.h"
#include "model/ForeignTypes.h"
#include "model/NetworkModel.h"
#include "model/SupportAnswers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace avocet::hal {
namespace {

/// Pools of a model that cannot be opened or are shorter than its constants need, by number, with the reason.
using UnreadablePools = std::map<uint32_t, std::string>;

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

UnreadablePools unreadablePools(const Model &model) {
  UnreadablePools unreadable;
  const std::vector<uint64_t> ends = endsOf(model);
  for (uint32_t i = 0; i < model.pools.size(); ++i)
    if (Outcome pool = checkPool(model.pools[i], ends[i]); !pool)
      unreadable.emplace(i, pool.error().message);
  return unreadable;
}

/// The number of such a pool that an operation of the main subgraph reads, itself or in its subgraphs; empty if none.
/// The model must be valid.
std::optional<uint32_t> poolReadBy(const Model &model, const Operation &operation, const UnreadablePools &pools) {
  return pools.empty() ? std::nullopt : PoolReader(model, pools).readBy(model.main, operation.inputs);
}

/// The model with other memory instead of such pools, of a stated size large enough for its constants, so that the rest
/// can be validated. The memory's file is empty.
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

/// Makes constants in such pools omitted operands, in all subgraphs. No operation may read them.
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

Unsupported reasonOf(const compiler::Refusal &refusal) {
  return {refusal.operation, refusal.operand, refusal.rule, refusal.value, refusal.limit};
}

class SupportFinder {
public:
  SupportFinder(ClientState &client, const Model &model)
      : client_(client), limit_(client.limit(std::nullopt)), rest_(model) {
    size_t count = model.main.operations.size();
    answer_.supported.assign(count, true);
    answer_.reasons.resize(count);
    for (size_t i = 0; i < count; ++i)
      numbers_.push_back(i);
  }

  Result<SupportedOperations> run(const UnreadablePools &unreadable) {
    leaveOutReadersOf(unreadable);
    mayKeep_ = unreadable.empty() && client_.core().supportAnswers() != nullptr;
    leaveOutForeignTypes();
    Result<std::optional<NetworkParts>> network = networkOf(rest_);
    if (!network)
      refuseRest(network.error().message);
    else if (Outcome judged = *network ? judgeFile() : judgeOperations(); !judged)
      return judged.error();
    return answer_;
  }

private:
  void leaveOutReadersOf(const UnreadablePools &pools) {
    std::set<size_t> refused;
    for (size_t i = 0; i < rest_.main.operations.size(); ++i)
      if (auto pool = poolReadBy(rest_, rest_.main.operations[i], pools)) {
        refuse(numbers_[i], {"", "", fmt::format("pool {}: {}", *pool, pools.at(*pool)), "", ""});
        refused.insert(i);
      }
    leaveOut(refused);
    dropConstants(rest_, pools);
  }

  void leaveOutForeignTypes() {
    std::set<size_t> refused;
    for (const auto &[i, type] : foreignOperations(rest_)) {
      refuse(numbers_[i], {"", "", "types of operands of this device", type, ""});
      refused.insert(i);
    }
    leaveOut(refused);
    mayKeep_ = mayKeep_ && checkNoForeignTypes(rest_).isOk();
    replaceForeignTypes(rest_);
  }

  /// A whole network is a single operation.
  Outcome judgeFile() {
    Result<ModelBytes> bytes = modelBytesOf(rest_, client_.memory().get());
    if (!bytes)
      return refuseRest(bytes.error());
    AVOCET_ASSIGN_OR_RETURN(std::set<size_t> refused, judge(bytes->bytes, bytes->poolSpans(), bytes->format));
    return success();
  }

  /// Looks for a kept answer first.
  Outcome judgeOperations() {
    Result<ConstantPools> pools = ConstantPools::copy(rest_, client_.memory().get(), ConstantUse::CheckSupport);
    if (!pools)
      return refuseRest(pools.error());
    Result<std::vector<uint8_t>> bytes = describe(rest_, *pools);
    if (!bytes)
      return refuseRest(bytes.error());
    if (!mayKeep_)
      return judgeDescription(std::move(*bytes), *pools);
    cache::BlobCache &answers = *client_.core().supportAnswers();
    const cache::BlobKey key = supportKey(answers, *bytes, *pools);
    if (std::optional<SupportedOperations> kept = findAnswer(answers, key, numbers_.size())) {
      verbose(VerboseTag::Compilation, "support: the answer of an earlier query is kept");
      answer_ = std::move(*kept);
      return success();
    }
    verbose(VerboseTag::Compilation, "support: no answer is kept, the compiler decides");
    AVOCET_RETURN_IF_ERROR(judgeDescription(std::move(*bytes), *pools));
    if (mayKeep_)
      keepAnswer(answers, key, answer_);
    return success();
  }

  /// Removes the operations that the compiler refuses and checks the rest again; results of removed operations become
  /// inputs.
  Outcome judgeDescription(Result<std::vector<uint8_t>> bytes, const ConstantPools &pools) {
    while (!rest_.main.operations.empty()) {
      if (!bytes)
        return refuseRest(bytes.error());
      AVOCET_ASSIGN_OR_RETURN(std::set<size_t> refused, judge(*bytes, pools.spans(), compiler::InputFormat::Nnapi));
      if (refused.empty())
        break;
      leaveOut(refused);
      bytes = describe(rest_, pools);
    }
    return success();
  }

  /// Returns the operations of the rest that the compiler refuses, already recorded in the answer.
  Result<std::set<size_t>> judge(std::span<const uint8_t> bytes, const std::vector<std::span<const uint8_t>> &pools,
                                 compiler::InputFormat format) {
    AVOCET_ASSIGN_OR_RETURN(CompilerTurns::Turn turn, client_.compilations().enter(limit_));
    AVOCET_ASSIGN_OR_RETURN(compiler::Verdict result, client_.core().compiler().judge(bytes, pools, limit_, format));
    if (result.status.code() == StatusCode::DataLoss || result.status.code() == StatusCode::Aborted ||
        result.status.code() == StatusCode::ResourceExhausted)
      return errorOf(result, limit_);
    std::set<size_t> refused = note(result);
    if (!result.status.isOk() && refused.empty())
      refused = refuseRest(errorOf(result, limit_).message);
    return refused;
  }

  /// A transient error is independent of the model and becomes the result of the call.
  Outcome refuseRest(const Error &error) {
    if (error.code == ErrorStatus::ResourceExhaustedTransient)
      return error;
    refuseRest(error.message);
    return success();
  }

  std::set<size_t> refuseRest(const std::string &reason) {
    mayKeep_ = false; // the reason may be another one next time
    std::set<size_t> refused;
    for (size_t i = 0; i < numbers_.size(); ++i) {
      refuse(numbers_[i], {"", "", reason, "", ""});
      refused.insert(i);
    }
    return refused;
  }

  void refuse(size_t number, const Unsupported &reason) {
    if (answer_.supported[number])
      answer_.reasons[number] = reason;
    answer_.supported[number] = false;
  }

  /// A refusal that names no operation applies to all of them.
  std::set<size_t> note(const compiler::Verdict &result) {
    std::set<size_t> refused;
    for (const compiler::Refusal &refusal : result.refusals) {
      bool isNamed = refusal.index >= 0 && static_cast<size_t>(refusal.index) < numbers_.size();
      size_t first = isNamed ? static_cast<size_t>(refusal.index) : 0;
      size_t end = isNamed ? first + 1 : numbers_.size();
      for (size_t i = first; i < end; ++i) {
        refuse(numbers_[i], reasonOf(refusal));
        refused.insert(i);
      }
    }
    return refused;
  }

  void leaveOut(const std::set<size_t> &refused) {
    Subgraph &main = rest_.main;
    for (size_t i : refused)
      for (uint32_t output : main.operations[i].outputs)
        makeInput(output);
    for (auto i = refused.rbegin(); i != refused.rend(); ++i) {
      main.operations.erase(main.operations.begin() + static_cast<ptrdiff_t>(*i));
      numbers_.erase(numbers_.begin() + static_cast<ptrdiff_t>(*i));
    }
    dropUnusedInputs();
  }

  /// Inputs read only by removed operations may be the reason of the refusal, such as a tensor with too many axes.
  void dropUnusedInputs() {
    Subgraph &main = rest_.main;
    std::set<uint32_t> used;
    for (const Operation &operation : main.operations)
      used.insert(operation.inputs.begin(), operation.inputs.end());
    for (uint32_t operand : main.inputIndexes)
      if (!used.contains(operand))
        main.operands[operand].lifetime = OperandLifeTime::NoValue;
    std::erase_if(main.inputIndexes, [&](uint32_t operand) { return !used.contains(operand); });
  }

  void makeInput(uint32_t operand) {
    Subgraph &main = rest_.main;
    std::erase(main.outputIndexes, operand);
    main.operands[operand].lifetime = OperandLifeTime::SubgraphInput;
    main.inputIndexes.push_back(operand);
  }

  ClientState &client_;
  const CallLimit limit_;
  Model rest_;                  ///< the model without refused operations
  std::vector<size_t> numbers_; ///< numbers of its operations in the whole model
  SupportedOperations answer_;
  bool mayKeep_ = false; ///< the answer is that of the compiler to the whole model
};

void logAnswer(const Model &model, const SupportedOperations &answer) {
  for (size_t i = 0; i < answer.supported.size(); ++i) {
    const Unsupported &why = answer.reasons[i];
    if (!answer.supported[i])
      writeVerbose(VerboseTag::Compilation, fmt::format("support: operation {} ({}) refused: {} {} {}, limit {}", i,
                                                        operationName(model.main.operations[i].type), why.operand,
                                                        why.rule, why.value, why.limit.empty() ? "none" : why.limit));
  }
  writeVerbose(
      VerboseTag::Compilation,
      fmt::format("support: {} of {} operations", std::ranges::count(answer.supported, true), answer.supported.size()));
}

Result<SupportedOperations> find(ClientState &client, const Model &model, const UnreadablePools &unreadable) {
  AVOCET_RETURN_IF_ERROR(validate(model));
  if (!usesExtensions(model))
    return SupportFinder(client, model).run(unreadable);
  AVOCET_ASSIGN_OR_RETURN(Model lowered, lowerExtensions(model));
  return SupportFinder(client, lowered).run(unreadable);
}

Result<SupportedOperations> findSupported(ClientState &client, const Model &model) {
  const UnreadablePools unreadable = unreadablePools(model);
  if (unreadable.empty())
    return find(client, model, unreadable);
  // An unreadable pool does not make the model invalid.
  AVOCET_ASSIGN_OR_RETURN(Model sound, withStandIns(model, unreadable));
  return find(client, sound, unreadable);
}

} // namespace

Result<SupportedOperations> supportedOperations(ClientState &client, const Model &model) {
  Result<SupportedOperations> answer = findSupported(client, model);
  if (!answer)
    return verboseError(VerboseTag::Compilation, "support: no answer", answer.error());
  if (isVerbose(VerboseTag::Compilation))
    logAnswer(model, *answer);
  return answer;
}

} // namespace avocet::hal
