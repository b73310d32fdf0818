//===- CompiledModel.cpp - The result of a compilation ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/CompiledModel.h"

#include "device/HalResult.h"
#include "model/Program.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace avocet::hal {
namespace {

using Data = std::shared_ptr<const cache::DataCache>;

bool areEqual(const Data &a, const Data &b) { return a == b || std::ranges::equal(a->bytes(), b->bytes()); }

} // namespace

void KeptPrograms::put(KeptProgram program) {
  std::erase_if(programs_, [&](const KeptProgram &known) { return known.facts == program.facts; });
  auto same = std::ranges::find_if(programs_, [&](const auto &known) { return areEqual(known.data, program.data); });
  if (same != programs_.end())
    program.data = same->data;
  programs_.insert(programs_.begin(), std::move(program));
  if (programs_.size() > most_)
    programs_.pop_back();
}

std::optional<KeptProgram> KeptPrograms::find(const Facts &facts) {
  auto found = std::ranges::find(programs_, facts, &KeptProgram::facts);
  if (found == programs_.end())
    return std::nullopt;
  std::rotate(programs_.begin(), found, std::next(found));
  return programs_.front();
}

uint64_t bytesOf(std::span<const KeptProgram> programs) {
  uint64_t bytes = 0;
  std::vector<const cache::DataCache *> counted;
  for (const KeptProgram &program : programs) {
    bytes += program.program->size();
    if (std::ranges::find(counted, program.data.get()) != counted.end())
      continue;
    counted.push_back(program.data.get());
    bytes += program.data->bytes().size();
  }
  return bytes;
}

DataLayout layOut(std::span<const uint8_t> first, std::span<const KeptProgram> programs) {
  DataLayout layout{{first.begin(), first.end()}, {}};
  std::map<const cache::DataCache *, DataPart> placed;
  for (const KeptProgram &program : programs) {
    auto [known, isNew] = placed.try_emplace(program.data.get());
    if (isNew) {
      const std::span<const uint8_t> bytes = program.data->bytes();
      known->second = {layout.bytes.size(), bytes.size(), program.data->checksum()};
      layout.bytes.insert(layout.bytes.end(), bytes.begin(), bytes.end());
    }
    layout.parts.push_back(known->second);
  }
  return layout;
}

namespace {

/// Whether an input of the operation may be omitted, so that a request may leave out a main input.
bool mayOmitInputs(OperationType type) {
  using enum OperationType;
  constexpr OperationType kOperations[] = {LshProjection,
                                           Lstm,
                                           Rnn,
                                           Svdf,
                                           Squeeze,
                                           Transpose,
                                           BidirectionalSequenceLstm,
                                           BidirectionalSequenceRnn,
                                           Quantized16bitLstm,
                                           UnidirectionalSequenceLstm,
                                           UnidirectionalSequenceRnn,
                                           QuantizedLstm};
  return std::find(std::begin(kOperations), std::end(kOperations), type) != std::end(kOperations);
}

bool mayOmitInputs(const Model &model) {
  return std::any_of(model.main.operations.begin(), model.main.operations.end(),
                     [](const Operation &operation) { return mayOmitInputs(operation.type); });
}

} // namespace

Result<LoadedProgram> adoptProgram(const compiler::CompileResult &result) {
  LoadedProgram program;
  std::vector<uint8_t> bytes(result.modelCache.begin(), result.modelCache.end());
  AVOCET_ASSIGN_OR_RETURN(program.model, toHalResult(cache::ModelCache::adopt(std::move(bytes), "model")));
  AVOCET_ASSIGN_OR_RETURN(program.data, toHalResult(cache::DataCache::fromBytes(result.dataCache)));
  return program;
}

Result<KeptProgram> keptProgramOf(const Facts &facts, const compiler::CompileResult &result, uint32_t optimize) {
  KeptProgram kept{facts, nullptr, nullptr, optimize};
  kept.program = std::make_shared<const std::vector<uint8_t>>(result.modelCache.begin(), result.modelCache.end());
  AVOCET_ASSIGN_OR_RETURN(kept.data, toHalResult(cache::DataCache::fromBytes(result.dataCache)));
  return kept;
}

Outcome checkProgram(const cache::ModelCache &program, size_t numInputs, size_t numOutputs) {
  // Variables of a network are the last inputs and outputs of its model, or none of them.
  const size_t states = numInputs == program.numInputs() ? 0 : program.numStates();
  if (program.numInputs() - states == numInputs && program.numOutputs() - states >= numOutputs) {
    Result<RowCounts> rows = RowCounts::of(program, numOutputs);
    return rows ? success() : Outcome(rows.error());
  }
  return generalFailure(fmt::format("the program has {} inputs and {} outputs, its model {} and {}",
                                    program.numInputs() - states, program.numOutputs() - states, numInputs,
                                    numOutputs));
}

Outcome checkValueInputs(const std::vector<uint32_t> &valueInputs, size_t numInputs) {
  const bool isAscending = std::is_sorted(valueInputs.begin(), valueInputs.end());
  if (!isAscending || (!valueInputs.empty() && valueInputs.back() >= numInputs))
    return generalFailure("the list of inputs whose values determine the program is not ascending, or names no input");
  return success();
}

Result<CompiledModel> compileModel(CompilerGate &compiler, const Model &model, ModelBytes source,
                                   const CallLimit &limit, const Levels &levels) {
  uint32_t level = 0;
  auto compileAt = [&](uint32_t optimize) {
    return compiler.compile(source.bytes, source.poolSpans(), limit,
                            {source.format, /*isSpecialized=*/false, optimize});
  };
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileResult result, compileInStages(levels, compileAt, level));
  if (!result.status.isOk() && (!result.needsSpecialization || !result.refusals.empty()))
    return errorOf(result, limit);
  CompiledModel compiled;
  compiled.signature = Signature(model);
  compiled.valueInputs = result.valueInputs;
  AVOCET_RETURN_IF_ERROR(checkValueInputs(compiled.valueInputs, compiled.signature.numInputs()));
  if (!result.needsSpecialization) {
    AVOCET_ASSIGN_OR_RETURN(LoadedProgram program, adoptProgram(result));
    AVOCET_RETURN_IF_ERROR(
        checkProgram(*program.model, compiled.signature.numInputs(), compiled.signature.numOutputs()));
    compiled.program = std::move(program.model);
    compiled.data = std::move(program.data);
  }
  compiled.optimize = level;
  compiled.format = source.format;
  const bool isNeeded = result.needsSpecialization || mayOmitInputs(model);
  compiled.isSourceTemporary = !isNeeded && level < levels.asked;
  if (isNeeded || compiled.isSourceTemporary)
    compiled.source = std::make_shared<ModelBytes>(std::move(source));
  return compiled;
}

} // namespace avocet::hal
