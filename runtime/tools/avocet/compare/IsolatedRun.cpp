//===- IsolatedRun.cpp - Errors of single operators -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IsolatedRun.h"

#include "avocet/analysis/TfliteModel.h"
#include "avocet/base/File.h"
#include "avocet/base/Status.h"
#include "avocet/session/Inputs.h"
#include "model/Optimization.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {
namespace {

struct IsolatedOperator {
  std::string kind;                         ///< "CONV_2D"
  std::vector<std::string> inputs, outputs; ///< names of the tensors, in the order of the network's operands
  std::vector<uint8_t> file;                ///< a .tflite network; empty: the operator has graphs of its own
};

struct IsolatedModel {
  std::vector<std::string> inputs; ///< names of the network's own inputs
  std::vector<IsolatedOperator> operators;
};

bool hasGraphs(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"IF", "WHILE", "CALL_ONCE", "STABLEHLO_COMPOSITE"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

/// Operators whose results are the same in every run, since all that they read is constant: DEQUANTIZE of stored
/// float16 weights, for example.
class ConstantOperators {
public:
  explicit ConstantOperators(const tflite::ModelT &model) : graph_(analysis::mainGraph(model)) {
    for (const auto &operation : graph_.operators) {
      const std::string kind = analysis::operatorName(model, *operation);
      const bool isRepeatable = !hasGraphs(kind) && kind.find("RANDOM") == std::string::npos && kind != "MULTINOMIAL";
      if (isRepeatable && !operation->inputs.empty() &&
          std::ranges::all_of(operation->inputs, [&](int32_t input) { return isConstant(model, input); }))
        for (int32_t output : operation->outputs)
          makers_[output] = operation.get();
    }
  }

  /// The operators that make constant inputs of `operation`, each after those that it needs.
  std::vector<const tflite::OperatorT *> neededBy(const tflite::OperatorT &operation) const {
    if (std::ranges::none_of(operation.inputs, [&](int32_t input) { return makers_.contains(input); }))
      return {};
    std::set<int32_t> wanted(operation.inputs.begin(), operation.inputs.end());
    std::vector<const tflite::OperatorT *> needed;
    // Operators are stored in an order in which each follows those that it needs.
    for (auto place = graph_.operators.rbegin(); place != graph_.operators.rend(); ++place) {
      const tflite::OperatorT *candidate = place->get();
      const auto makes = [&](int32_t output) {
        const auto maker = makers_.find(output);
        return wanted.contains(output) && maker != makers_.end() && maker->second == candidate;
      };
      if (candidate == &operation || std::ranges::none_of(candidate->outputs, makes))
        continue;
      needed.push_back(candidate);
      wanted.insert(candidate->inputs.begin(), candidate->inputs.end());
    }
    std::ranges::reverse(needed);
    return needed;
  }

private:
  bool isConstant(const tflite::ModelT &model, int32_t tensor) const {
    return tensor < 0 || makers_.contains(tensor) ||
           analysis::isConstant(model, *graph_.tensors[static_cast<size_t>(tensor)]);
  }

  const tflite::SubGraphT &graph_;
  std::map<int32_t, const tflite::OperatorT *> makers_; ///< by the tensor
};

/// Copies an operator with what it needs.
class Isolation {
public:
  explicit Isolation(const tflite::ModelT &model) : model_(model) {
    isolated_.version = model.version;
    isolated_.buffers.push_back(std::make_unique<tflite::BufferT>()); // number 0 is empty by convention
    isolated_.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
  }

  /// `constants` make constant inputs of the operator, and are copied with it.
  tflite::ModelT run(const tflite::OperatorT &operation, const std::vector<const tflite::OperatorT *> &constants) && {
    std::set<int32_t> made;
    for (const tflite::OperatorT *constant : constants) {
      const tflite::OperatorT &copy = add(*constant);
      made.insert(copy.outputs.begin(), copy.outputs.end());
    }
    const tflite::OperatorT &copy = add(operation);
    tflite::SubGraphT &graph = analysis::mainGraph(isolated_);
    for (int32_t input : copy.inputs)
      if (input >= 0 && !made.contains(input) && isInput(*graph.tensors[static_cast<size_t>(input)]) &&
          std::ranges::find(graph.inputs, input) == graph.inputs.end())
        graph.inputs.push_back(input);
    graph.outputs = copy.outputs;
    return std::move(isolated_);
  }

private:
  const tflite::OperatorT &add(const tflite::OperatorT &operation) {
    auto copy = std::make_unique<tflite::OperatorT>(operation);
    copy->opcode_index = static_cast<uint32_t>(isolated_.operator_codes.size());
    isolated_.operator_codes.push_back(
        std::make_unique<tflite::OperatorCodeT>(*model_.operator_codes[operation.opcode_index]));
    for (std::vector<int32_t> *tensors : {&copy->inputs, &copy->outputs, &copy->intermediates})
      for (int32_t &tensor : *tensors)
        tensor = numberOf(tensor);
    return *analysis::mainGraph(isolated_).operators.emplace_back(std::move(copy));
  }

  bool isInput(const tflite::TensorT &tensor) const {
    return !analysis::isConstant(isolated_, tensor) && !tensor.is_variable;
  }

  /// The number of a tensor's copy; -1 is an operand that is left out.
  int32_t numberOf(int32_t tensor) {
    if (tensor < 0)
      return tensor;
    const auto [place, isNew] = numbers_.try_emplace(tensor, static_cast<int32_t>(numbers_.size()));
    if (!isNew)
      return place->second;
    auto copy = std::make_unique<tflite::TensorT>(*analysis::mainGraph(model_).tensors[static_cast<size_t>(tensor)]);
    const tflite::BufferT &buffer = *model_.buffers[copy->buffer];
    copy->buffer = 0;
    if (!buffer.data.empty()) {
      copy->buffer = static_cast<uint32_t>(isolated_.buffers.size());
      isolated_.buffers.push_back(std::make_unique<tflite::BufferT>(buffer));
    }
    analysis::mainGraph(isolated_).tensors.push_back(std::move(copy));
    return place->second;
  }

  const tflite::ModelT &model_;
  tflite::ModelT isolated_;
  std::map<int32_t, int32_t> numbers_; ///< of tensors of the network in the isolated one
};

std::vector<std::string> namesOf(const tflite::ModelT &model, const std::vector<int32_t> &tensors) {
  std::vector<std::string> names;
  for (int32_t tensor : tensors)
    names.push_back(analysis::mainGraph(model).tensors[static_cast<size_t>(tensor)]->name);
  return names;
}

/// Each operator of the first subgraph of a .tflite network as a network of its own, which computes its outputs from
/// its inputs. Constants, types, scales and initial states are those of the file. `name` is for messages. DataLoss: the
/// bytes are no such file.
Result<IsolatedModel> isolateOperators(std::span<const uint8_t> file, const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(const tflite::ModelT model, analysis::parseTflite(file, name));
  const ConstantOperators constants(model);
  IsolatedModel result;
  result.inputs = namesOf(model, analysis::mainGraph(model).inputs);
  for (const auto &operation : analysis::mainGraph(model).operators) {
    IsolatedOperator &isolated = result.operators.emplace_back();
    isolated.kind = analysis::operatorName(model, *operation);
    isolated.outputs = namesOf(model, operation->outputs);
    if (hasGraphs(isolated.kind))
      continue;
    tflite::ModelT alone = Isolation(model).run(*operation, constants.neededBy(*operation));
    isolated.inputs = namesOf(alone, analysis::mainGraph(alone).inputs);
    if (auto bytes = analysis::serialize(std::move(alone)))
      isolated.file = std::move(*bytes);
  }
  return result;
}

constexpr uint64_t kMostFileBytes = uint64_t{1} << 31;

/// Adds the inputs of the network to the expected tensors.
Status addInputs(const LoadedModel &model, const RunOptions &options, const std::vector<std::string> &names,
                 ExpectedTensors &expected) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<session::LocalSession> session,
                          session::LocalSession::open(model, session::valuesOnly()));
  AVOCET_RETURN_IF_ERROR(session::fillInputs(*session, options.inputs));
  for (size_t i = 0; i < std::min(names.size(), session::numOwnInputs(session->model())); ++i) {
    const std::span<const uint8_t> bytes = session->input(i);
    expected[names[i]] = {session->model().input(i).type, 1, 0, {bytes.begin(), bytes.end()}};
  }
  return Status::ok();
}

/// Compiles and runs single operators.
class IsolatedRun {
public:
  IsolatedRun(const RunOptions &options, const std::string &target, const ExpectedTensors &expected,
              const Tolerance &tolerance, Progress &progress)
      : options_(options), target_(target), expected_(expected), tolerance_(tolerance), progress_(progress) {}

  void run(size_t number, const IsolatedOperator &operation, std::vector<IsolatedResult> &results) const {
    const size_t first = results.size();
    for (const std::string &output : operation.outputs)
      results.push_back({number, operation.kind, output, "", {}});
    const Status status = compare(operation, std::span(results).subspan(first));
    for (IsolatedResult &result : std::span(results).subspan(first))
      if (!status.isOk())
        result.obstacle = status.message();
  }

private:
  Status compare(const IsolatedOperator &operation, std::span<IsolatedResult> results) const {
    if (operation.file.empty())
      return unsupported("has graphs of its own");
    if (std::ranges::none_of(operation.outputs, [&](const std::string &name) { return expected_.contains(name); }))
      return notFound("not in the oracle");
    for (const std::string &input : operation.inputs)
      if (!expected_.contains(input))
        return notFound(fmt::format("the oracle lacks its input '{}'", input));
    AVOCET_ASSIGN_OR_RETURN(const LoadedModel model, compile(operation));
    AVOCET_ASSIGN_OR_RETURN(
        std::unique_ptr<session::LocalSession> session,
        session::LocalSession::open(model, session::withInputs(options_.inputs, model, session::valuesOnly())));
    for (size_t i = 0; i < operation.inputs.size(); ++i) {
      const std::vector<uint8_t> &bytes = expected_.find(operation.inputs[i])->second.bytes;
      if (bytes.size() != session->input(i).size())
        return unsupported(fmt::format("the oracle has its input '{}' in another form", operation.inputs[i]));
      std::ranges::copy(bytes, session->input(i).begin());
    }
    AVOCET_RETURN_IF_ERROR(session->run().status());
    for (size_t i = 0; i < results.size(); ++i)
      compareOutput(*session, i, results[i]);
    return Status::ok();
  }

  Result<LoadedModel> compile(const IsolatedOperator &operation) const {
    compiler::CompileRequest request;
    request.modelPath = options_.model;
    request.modelBytes = operation.file;
    request.target = target_;
    AVOCET_RETURN_IF_ERROR(setOptimization(request, options_.optimize));
    AVOCET_ASSIGN_OR_RETURN(auto target, firmware::Target::load(target_));
    AVOCET_ASSIGN_OR_RETURN(const compiler::CompileResult compiled,
                            compileModel(std::move(request), DiagnosticsFormat::Text, progress_));
    AVOCET_ASSIGN_OR_RETURN(LoadedModel model, network::adoptResult(options_.model, compiled));
    model.target = std::move(target);
    return model;
  }

  void compareOutput(const session::LocalSession &session, size_t index, IsolatedResult &result) const {
    const auto expected = expected_.find(result.tensor);
    if (expected == expected_.end())
      result.obstacle = "not in the oracle";
    else if (index >= session::numOwnOutputs(session.model()) ||
             session.output(index).size() != expected->second.bytes.size() ||
             session.model().output(index).type != expected->second.type)
      result.obstacle = "other form";
    else
      result.difference = differenceOf(expected->second, session.output(index), tolerance_);
  }

  const RunOptions &options_;
  const std::string &target_;
  const ExpectedTensors &expected_;
  Tolerance tolerance_;
  Progress &progress_;
};

} // namespace

Result<std::vector<IsolatedResult>> runIsolated(const RunOptions &options, const std::string &target,
                                                const LoadedModel &model, ExpectedTensors expected,
                                                const Tolerance &tolerance, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> file, readFile(options.model, kMostFileBytes));
  AVOCET_ASSIGN_OR_RETURN(const IsolatedModel isolated, isolateOperators(file, options.model));
  AVOCET_RETURN_IF_ERROR(addInputs(model, options, isolated.inputs, expected));
  const IsolatedRun alone(options, target, expected, tolerance, progress);
  std::vector<IsolatedResult> results;
  for (size_t i = 0; i < isolated.operators.size(); ++i) {
    progress.count("operators alone", i, isolated.operators.size());
    alone.run(i, isolated.operators[i], results);
  }
  progress.clear();
  return results;
}

} // namespace avocet::tool
