//===- OnnxRunner.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxRunner.h"

#include "OnnxTensor.h"
#include "avocet/session/LocalSession.h"
#include "model/ModelSource.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace avocet::tool {
namespace {

using namespace hal::conformance;
using Clock = std::chrono::steady_clock;
using Tensors = std::vector<OnnxTensor>;

RunResult verdictOf(Verdict verdict, std::string reason = "", std::string detail = "") {
  return {.kind = RunKind::General, .verdict = verdict, .reason = std::move(reason), .detail = std::move(detail)};
}

/// The same text for the same reason: without the path of the model.
std::string withoutPath(std::string text, const std::string &path) {
  for (size_t at = text.find(path); at != std::string::npos; at = text.find(path))
    text.erase(at, path.size() + (text.compare(at + path.size(), 2, ": ") == 0 ? 2 : 0));
  return text;
}

/// Without the name of the node.
std::string kindOf(const compiler::Refusal &refusal) {
  const size_t end = refusal.operation.starts_with("node '") ? refusal.operation.rfind("' ") : std::string::npos;
  return end == std::string::npos ? refusal.operation : refusal.operation.substr(end + 2);
}

std::string describe(const compiler::Refusal &refusal) {
  std::string text = kindOf(refusal);
  if (!refusal.operand.empty())
    text += " " + refusal.operand;
  text += ": " + refusal.rule;
  if (!refusal.value.empty())
    text += ", found " + refusal.value;
  return refusal.limit.empty() ? text : text + ", accepted is " + refusal.limit;
}

/// The first error: the status repeats it without its place, or counts refusals.
std::string errorOf(const compiler::CompileResult &result) {
  for (const compiler::Diagnostic &diagnostic : result.diagnostics)
    if (diagnostic.severity == compiler::Severity::Error)
      return diagnostic.location + ": " + diagnostic.message;
  return std::string(result.status.message());
}

RunResult judgeCompilation(const compiler::CompileResult &result, const std::string &path) {
  if (!result.refusals.empty())
    return verdictOf(Verdict::Unsupported, describe(result.refusals.front()));
  if (result.status.code() == StatusCode::Unsupported)
    return verdictOf(Verdict::Unsupported, withoutPath(errorOf(result), path));
  return verdictOf(Verdict::Failed, "does not compile", withoutPath(errorOf(result), path));
}

Result<Tensors> readTensors(const std::string &folder, const char *kind, size_t count) {
  Tensors tensors;
  for (size_t i = 0; i < count; ++i) {
    const std::string path = fmt::format("{}/{}_{}.pb", folder, kind, i);
    std::error_code error;
    if (!std::filesystem::exists(path, error))
      break; // optional inputs at the end
    AVOCET_ASSIGN_OR_RETURN(OnnxTensor tensor, readOnnxTensor(path));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// Runs one case in the calling thread.
class OnnxCaseRunner {
public:
  OnnxCaseRunner(const compiler::LoadedCompiler &compiler, std::shared_ptr<const firmware::Target> target,
                 const OnnxCase &about, const OnnxRunnerOptions &options)
      : compiler_(compiler), target_(std::move(target)), case_(about), options_(options) {}

  RunResult run();

private:
  RunResult runDataSet(const std::string &folder);
  bool addValues(const compiler::CompileResult &result, const Tensors &inputs, compiler::CompileRequest &request) const;
  compiler::CompileResult compile(const Tensors &inputs) const;
  RunResult execute(const compiler::CompileResult &compiled, const Tensors &inputs, const Tensors &expected) const;
  Status fillInputs(session::Session &session, const Tensors &inputs) const;
  std::string compareOutputs(const session::Session &session, const Tensors &expected) const;

  const compiler::LoadedCompiler &compiler_;
  const std::shared_ptr<const firmware::Target> target_;
  const OnnxCase &case_;
  const OnnxRunnerOptions &options_;
  const Clock::time_point end_ = Clock::now() + options_.caseLimit;
};

/// Gives the values of inputs that the compiler asks for; false: it asks for none that has data and no value yet.
bool OnnxCaseRunner::addValues(const compiler::CompileResult &result, const Tensors &inputs,
                               compiler::CompileRequest &request) const {
  const size_t before = request.values.size();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string &name = case_.inputs[i].name;
    const bool isAsked = std::ranges::find(result.valueNames, name) != result.valueNames.end();
    if (isAsked && std::ranges::find(request.values, name, &compiler::InputValue::name) == request.values.end())
      request.values.push_back({name, inputs[i].bytes});
  }
  return request.values.size() > before;
}

compiler::CompileResult OnnxCaseRunner::compile(const Tensors &inputs) const {
  compiler::CompileRequest request;
  request.modelPath = case_.model;
  request.target = options_.target;
  request.cancelled = [this] { return Clock::now() > end_; };
  for (size_t i = 0; i < inputs.size(); ++i)
    if (case_.inputs[i].isOpen())
      request.shapes.push_back({case_.inputs[i].name, inputs[i].shape});
  compiler::CompileResult result = compiler_.compile(request);
  while (!result.status.isOk() && addValues(result, inputs, request))
    result = compiler_.compile(request);
  return result;
}

Status OnnxCaseRunner::fillInputs(session::Session &session, const Tensors &inputs) const {
  for (size_t i = 0; i < session.numInputs(); ++i) {
    const cache::OperandView operand = session.describeInput(i);
    const auto found = std::ranges::find(case_.inputs, operand.name, &OnnxInput::name);
    const size_t index = static_cast<size_t>(found - case_.inputs.begin());
    if (index >= inputs.size())
      return failedPrecondition(fmt::format("the compiled network has an input '{}' without data", operand.name));
    AVOCET_RETURN_IF_ERROR(fillOperand(inputs[index], operand, session.input(i)));
  }
  return Status::ok();
}

std::string OnnxCaseRunner::compareOutputs(const session::Session &session, const Tensors &expected) const {
  if (session.numOutputs() < expected.size())
    return fmt::format("the compiled network has {} outputs, must be {}", session.numOutputs(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    if (const std::string found = compareOperand(expected[i], session.describeOutput(i), session.output(i));
        !found.empty())
      return fmt::format("output {} '{}' {}", i, case_.outputs[i], found);
  return "";
}

RunResult OnnxCaseRunner::execute(const compiler::CompileResult &compiled, const Tensors &inputs,
                                  const Tensors &expected) const {
  auto session = [&]() -> Result<std::unique_ptr<session::LocalSession>> {
    AVOCET_ASSIGN_OR_RETURN(LoadedModel model, network::adoptResult(case_.model, compiled));
    model.target = target_;
    AVOCET_ASSIGN_OR_RETURN(auto opened, session::LocalSession::open(model, session::valuesOnly()));
    AVOCET_RETURN_IF_ERROR(fillInputs(*opened, inputs));
    AVOCET_RETURN_IF_ERROR(opened->run().status());
    return opened;
  }();
  if (!session)
    return verdictOf(Verdict::Failed, "does not run",
                     withoutPath(std::string(session.status().message()), case_.model));
  std::string difference = compareOutputs(**session, expected);
  return difference.empty() ? verdictOf(Verdict::Passed)
                            : verdictOf(Verdict::Failed, std::string(kWrongResult), std::move(difference));
}

RunResult OnnxCaseRunner::runDataSet(const std::string &folder) {
  Result<Tensors> inputs = readTensors(folder, "input", case_.inputs.size());
  Result<Tensors> expected = readTensors(folder, "output", case_.outputs.size());
  for (const Result<Tensors> *read : {&inputs, &expected})
    if (!*read)
      return verdictOf(read->status().code() == StatusCode::Unsupported ? Verdict::Unsupported : Verdict::Failed,
                       withoutPath(std::string(read->status().message()), folder));
  for (size_t i = 0; i < inputs->size(); ++i)
    if (!case_.inputs[i].admits((*inputs)[i].shape))
      return verdictOf(Verdict::Unsupported, "the data have another shape than the model declares");
  const compiler::CompileResult compiled = compile(*inputs);
  if (!compiled.status.isOk())
    return judgeCompilation(compiled, case_.model);
  return execute(compiled, *inputs, *expected);
}

RunResult OnnxCaseRunner::run() {
  if (!case_.hasOnlyTensors) { // for the reason
    RunResult result = judgeCompilation(compile({}), case_.model);
    return result.verdict == Verdict::Unsupported ? result : verdictOf(Verdict::Failed, "compiles without tensors");
  }
  for (const std::string &folder : case_.dataSets)
    if (RunResult result = runDataSet(folder); result.verdict != Verdict::Passed)
      return result;
  return case_.dataSets.empty() ? verdictOf(Verdict::Skipped, "there are no data") : verdictOf(Verdict::Passed);
}

} // namespace

std::vector<CaseResult> runOnnxCases(const compiler::LoadedCompiler &compiler,
                                     const std::shared_ptr<const firmware::Target> &target,
                                     const std::vector<OnnxCase> &cases, const OnnxRunnerOptions &options) {
  std::vector<CaseResult> results(cases.size());
  std::mutex mutex; // guards the two counts and the calls of progress
  size_t next = 0, done = 0;
  const auto work = [&] {
    for (std::unique_lock lock(mutex); next < cases.size();) {
      const size_t index = next++;
      lock.unlock();
      const Clock::time_point start = Clock::now();
      CaseResult result{.info = cases[index].info, .runs = {}};
      result.runs.push_back(OnnxCaseRunner(compiler, target, cases[index], options).run());
      result.milliseconds = session::millisecondsSince(start);
      lock.lock();
      results[index] = std::move(result);
      ++done;
      if (options.progress)
        options.progress(results[index], done, cases.size());
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < options.jobs; ++i)
    threads.emplace_back(work);
  work();
  threads.clear(); // joins
  return results;
}

} // namespace avocet::tool
