//===- Support.cpp - Which operations the device can do ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Support.h"

#include <algorithm>
#include <set>

namespace avocet::hal {
namespace {

Unsupported reasonOf(const compiler::Refusal &refusal) {
  return {refusal.operation, refusal.operand, refusal.rule, refusal.value, refusal.limit};
}

class SupportFinder {
public:
  SupportFinder(ClientState &client, const Model &model) : client_(client), rest_(model) {
    size_t count = model.main.operations.size();
    answer_.supported.assign(count, true);
    answer_.reasons.resize(count);
    for (size_t i = 0; i < count; ++i)
      numbers_.push_back(i);
  }

  Result<SupportedOperations> run() {
    const CallLimit limit = client_.limit(std::nullopt);
    while (!rest_.main.operations.empty()) {
      Result<ModelBytes> bytes = modelBytesOf(rest_, client_.memory().get());
      if (bytes.code() == ErrorStatus::ResourceExhaustedTransient)
        return bytes.error(); // says nothing about the model
      if (!bytes)
        return refuseRest({"", "", bytes.error().message, "", ""});
      AVOCET_HAL_ASSIGN_OR_RETURN(TurnGate::Turn turn, client_.compilations().enter(limit));
      AVOCET_HAL_ASSIGN_OR_RETURN(
          compiler::CompileResult result,
          client_.core().compiler().compile(bytes->bytes, bytes->poolSpans(), limit, bytes->format));
      if (result.status.code() == StatusCode::DataLoss || result.status.code() == StatusCode::Aborted)
        return errorOf(result, limit);
      std::set<size_t> refused = note(result);
      if (result.status.isOk() || result.needsSpecialisation)
        break;
      if (refused.empty())
        return refuseRest({"", "", errorOf(result, limit).message, "", ""});
      cut(refused);
    }
    return answer_;
  }

private:
  SupportedOperations refuseRest(const Unsupported &reason) {
    for (size_t number : numbers_)
      refuse(number, reason);
    return answer_;
  }

  void refuse(size_t number, const Unsupported &reason) {
    if (answer_.supported[number])
      answer_.reasons[number] = reason;
    answer_.supported[number] = false;
  }

  /// Which of the operations that are left were refused. A refusal that names none means each of them.
  std::set<size_t> note(const compiler::CompileResult &result) {
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

  /// Takes operations out; what they compute comes from outside then.
  void cut(const std::set<size_t> &refused) {
    Subgraph &main = rest_.main;
    for (size_t i : refused)
      for (uint32_t output : main.operations[i].outputs)
        makeInput(output);
    for (auto i = refused.rbegin(); i != refused.rend(); ++i) {
      main.operations.erase(main.operations.begin() + static_cast<ptrdiff_t>(*i));
      numbers_.erase(numbers_.begin() + static_cast<ptrdiff_t>(*i));
    }
  }

  void makeInput(uint32_t operand) {
    Subgraph &main = rest_.main;
    std::erase(main.outputIndexes, operand);
    main.operands[operand].lifetime = OperandLifeTime::SubgraphInput;
    main.inputIndexes.push_back(operand);
  }

  ClientState &client_;
  Model rest_;                  ///< the model without what was refused
  std::vector<size_t> numbers_; ///< of its operations in the whole model
  SupportedOperations answer_;
};

} // namespace

Result<SupportedOperations> supportedOperations(ClientState &client, const Model &model) {
  return SupportFinder(client, model).run();
}

SupportedOperations unsupportedOperations(const Model &model, const std::string &reason) {
  size_t count = model.main.operations.size();
  return {std::vector<bool>(count, false), std::vector<Unsupported>(count, {"", "", reason, "", ""})};
}

} // namespace avocet::hal
