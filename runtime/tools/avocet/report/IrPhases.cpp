//===- IrPhases.cpp - The IR of all phases of a model -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IrPhases.h"

#include "BytecodeInput.h"
#include "Optimisation.h"
#include "avocet/base/Knobs.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Names.h"
#include "commands/CommandStreams.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace avocet::tool {
namespace {

using compiler::CompileRequest;
using compiler::CompileResult;

constexpr std::string_view kPhases[] = {"import", "nn", "place", "schedule", "allocate", "cmd"};
constexpr std::string_view kSchedule = "schedule";

Result<CompileRequest> makeRequest(const ModelChoice &choice) {
  CompileRequest request;
  request.modelPath = choice.path;
  request.target = choice.target.empty() ? knobText(knobs::kTarget) : choice.target;
  request.signature = choice.signature;
  AVOCET_ASSIGN_OR_RETURN(request.shapes, parseShapes(choice.shapes));
  request.threads = std::max(1u, std::thread::hardware_concurrency());
  return request;
}

Result<CompileResult> compileTo(const compiler::LoadedCompiler &compiler, const CompileRequest &request) {
  CompileResult result = compileFile(compiler, request);
  if (!result.status.isOk())
    return result.status;
  return result;
}

/// The schedule of a search, so that the phases after it need no search of their own. Empty without a search.
Result<CompileResult> findSchedule(const compiler::LoadedCompiler &compiler, const ModelChoice &choice) {
  if (choice.optimise.empty())
    return CompileResult{};
  AVOCET_ASSIGN_OR_RETURN(CompileRequest request, makeRequest(choice));
  AVOCET_RETURN_IF_ERROR(setOptimisation(request, choice.optimise));
  request.stopAfter = kSchedule;
  request.irFormat = compiler::IrFormat::Bytecode;
  return compileTo(compiler, request);
}

std::string_view textOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// A file of a later phase gives its own text for each phase before that.
void dropRepeated(std::vector<IrText> &phases) {
  for (size_t i = phases.size(); i-- > 1;)
    if (phases[i - 1].text == phases[i].text)
      phases.erase(phases.begin() + static_cast<ptrdiff_t>(i) - 1);
}

} // namespace

Result<std::vector<IrText>> collectIr(const ModelChoice &choice, const LayersByName &layers, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  progress.stage("searching for the schedule");
  AVOCET_ASSIGN_OR_RETURN(CompileResult schedule, findSchedule(compiler, choice));
  std::vector<IrText> phases;
  bool isSearched = false;
  for (std::string_view phase : kPhases) {
    progress.stage(fmt::format("reading the IR of {}: {}", choice.path, phase));
    AVOCET_ASSIGN_OR_RETURN(CompileRequest request, makeRequest(choice));
    isSearched |= phase == kSchedule && !schedule.ir.empty();
    if (isSearched) {
      request.modelBytes = schedule.ir;
      request.format = compiler::InputFormat::Bytecode; // own output
      request.startAt = kSchedule;
      request.signature.clear();
      request.shapes.clear();
    }
    request.stopAfter = phase;
    AVOCET_ASSIGN_OR_RETURN(CompileResult result, compileTo(compiler, request));
    phases.push_back(readIr(phase, textOf(result.ir), layers));
  }
  progress.clear();
  dropRepeated(phases);
  return phases;
}

IrText disassemble(const cache::ModelCache &model) {
  IrText result;
  result.phase = "commands";
  const auto addLine = [&result](const std::string &line, int32_t layer) {
    result.text += line + '\n';
    result.layers.push_back(layer);
  };
  const CommandStreams streams(model);
  for (size_t i = 0; i < streams.numStreams(); ++i) {
    const std::string engine(firmware::valueName(streams.engine(i).kind));
    const uint32_t index = streams.engine(i).index;
    addLine(fmt::format("stream {} {}, section {}", engine, index, streams.section(i)), kWithoutLayer);
    result.streams.push_back({engine, index, static_cast<uint32_t>(result.layers.size())});
    for (const firmware::Command &command : streams.commands(i)) {
      const bool hasLayer = command.layer < model.numLayers();
      addLine("  " + firmware::print(command), hasLayer ? static_cast<int32_t>(command.layer) : kWithoutLayer);
    }
  }
  return result;
}

} // namespace avocet::tool
