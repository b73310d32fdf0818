//===- Avocet.cpp - A model through the compiler and the simulator --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"

#include "avocet/compiler/Loader.h"
#include "avocet/runtime/SimBackend.h"
#include "avocet/session/LocalSession.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace avocet::differential {
namespace {

/// The rule of refusals of operators without a converter (Refusal.h).
constexpr const char *kImplementedRule = "operation of the compiler";

std::string describe(const compiler::Refusal &refusal) {
  std::string text = refusal.operand.empty() ? refusal.rule : refusal.operand + ": " + refusal.rule;
  if (!refusal.value.empty())
    text += ", found " + refusal.value;
  return refusal.limit.empty() ? text : text + ", accepted " + refusal.limit;
}

std::string firstError(const compiler::CompileResult &result) {
  return result.diagnostics.empty() ? result.status.toString() : result.diagnostics[0].message;
}

Result<compiler::CompileResult> compile(const TestModel &model, const DeviceOptions &options) {
  static const Result<compiler::LoadedCompiler> kLoaded = compiler::LoadedCompiler::load();
  if (!kLoaded)
    return kLoaded.status();
  compiler::CompileRequest request;
  request.modelPath = "case.tflite";
  request.modelBytes = model.file;
  request.format = compiler::InputFormat::Tflite;
  request.target = options.target;
  request.sourceMap = options.sourceMap;
  request.runsStep = options.runsStep;
  request.remark = options.remark;
  const tflite::SubGraph &graph = *tflite::GetModel(model.file.data())->subgraphs()->Get(0);
  for (size_t i = 0; i < model.shapes.size(); ++i) {
    const auto tensor = static_cast<uint32_t>(graph.inputs()->Get(static_cast<uint32_t>(i)));
    const flatbuffers::String *name = graph.tensors()->Get(tensor)->name();
    request.shapes.push_back({name && name->size() ? name->str() : fmt::format("tensor{}", tensor),
                              {model.shapes[i].begin(), model.shapes[i].end()}});
  }
  return kLoaded->compile(request);
}

DeviceResult judge(const compiler::CompileResult &result) {
  DeviceResult judged{result.status};
  if (result.status.isOk())
    return judged;
  if (result.refusals.empty())
    judged.status = Status(result.status.code(), firstError(result));
  else {
    judged.refusal = describe(result.refusals[0]);
    judged.isImplemented = result.refusals[0].rule != kImplementedRule;
  }
  return judged;
}

Result<session::LoadedModel> adopt(const compiler::CompileResult &result, const std::string &target) {
  session::LoadedModel loaded;
  std::vector<uint8_t> bytes(result.modelCache.begin(), result.modelCache.end());
  AVOCET_ASSIGN_OR_RETURN(loaded.artefacts.model, cache::ModelCache::adopt(std::move(bytes), "case"));
  AVOCET_ASSIGN_OR_RETURN(loaded.artefacts.data, cache::DataCache::fromBytes(result.dataCache));
  AVOCET_ASSIGN_OR_RETURN(loaded.target, firmware::Target::load(target));
  return loaded;
}

Status runOnce(session::LocalSession &session, std::span<const Bytes> inputs, std::vector<Bytes> &outputs) {
  const cache::ModelCache &model = session.model();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (model.input(i).bytes != inputs[i].size())
      return internalError(
          fmt::format("input {} has {} bytes, the compiled model's {}", i, inputs[i].size(), model.input(i).bytes));
    std::ranges::copy(inputs[i], session.input(i).begin());
  }
  AVOCET_RETURN_IF_ERROR(session.run().status());
  for (size_t i = 0; i < model.numOutputs() - model.numStates(); ++i) {
    const auto bytes = session.output(i).first(model.output(i).bytes);
    outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return Status::ok();
}

/// Several sets of inputs are several runs, in which the states advance.
Result<std::vector<Bytes>> simulate(const compiler::CompileResult &result, const std::vector<Bytes> &inputs,
                                    const DeviceOptions &options) {
  static std::once_flag registered;
  std::call_once(registered, runtime::registerSimBackend);
  AVOCET_ASSIGN_OR_RETURN(const session::LoadedModel loaded, adopt(result, options.target));
  AVOCET_ASSIGN_OR_RETURN(auto session,
                          session::LocalSession::open(loaded, {.backend = "sim", .timing = options.timing}));
  const size_t count = session->model().numInputs() - session->model().numStates();
  if (count == 0 ? !inputs.empty() : inputs.size() % count != 0)
    return internalError(fmt::format("the compiled model has {} inputs, the file {}", count, inputs.size()));
  std::vector<Bytes> outputs;
  const std::span<const Bytes> all(inputs);
  for (size_t run = 0; run < std::max<size_t>(1, count == 0 ? 1 : inputs.size() / count); ++run)
    AVOCET_RETURN_IF_ERROR(runOnce(*session, all.subspan(run * count, count), outputs));
  return outputs;
}

} // namespace

DeviceResult compileOnly(const TestModel &model) {
  Result<compiler::CompileResult> result = compile(model, {});
  return result ? judge(*result) : DeviceResult{result.status()};
}

DeviceResult runOnDevice(const TestModel &model, const DeviceOptions &options) {
  Result<compiler::CompileResult> compiled = compile(model, options);
  if (!compiled)
    return {compiled.status()};
  DeviceResult result = judge(*compiled);
  if (!result.status.isOk())
    return result;
  Result<std::vector<Bytes>> outputs = simulate(*compiled, model.inputs, options);
  if (outputs)
    result.outputs = std::move(*outputs);
  else
    result.status = outputs.status();
  return result;
}

} // namespace avocet::differential
