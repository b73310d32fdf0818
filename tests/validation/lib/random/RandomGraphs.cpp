//===- RandomGraphs.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/validation/RandomGraphs.h"

#include "Evaluation.h"
#include "Generator.h"
#include "Reducer.h"
#include "avocet/base/File.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace avocet::hal::conformance {
namespace {

/// The first run that failed; null if none did.
const RunResult *failureOf(const CaseResult &result) {
  const auto found = std::ranges::find(result.runs, Verdict::Failed, &RunResult::verdict);
  return found == result.runs.end() ? nullptr : &*found;
}

/// Threads that take graph after graph.
class Campaign {
public:
  Campaign(std::shared_ptr<IDevice> device, IDevice &reference, const RandomGraphOptions &options)
      : device_(std::move(device)), reference_(reference), options_(options), next_(options.firstGraph) {
    if (options.timeLimit)
      end_ = std::chrono::steady_clock::now() + *options.timeLimit;
  }

  avocet::Result<RandomGraphSummary> run() {
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 1; i < options_.jobs; ++i)
        threads.emplace_back([this] { work(); });
      work();
    }
    AVOCET_RETURN_IF_ERROR(status_);
    std::ranges::sort(summary_.failures, {}, &RandomGraphFailure::graph);
    return std::move(summary_);
  }

private:
  void work() {
    while (std::optional<uint64_t> number = take())
      runGraph(*number);
  }

  std::optional<uint64_t> take() {
    const std::lock_guard lock(mutex_);
    const bool isLate = end_ && std::chrono::steady_clock::now() >= *end_;
    const bool isStopped = options_.stopsAtFailure && !summary_.failures.empty();
    if (!status_.isOk() || isLate || isStopped || next_ >= options_.firstGraph + options_.numGraphs)
      return std::nullopt;
    return next_++;
  }

  void runGraph(uint64_t number) {
    const GeneratedGraph made = generateGraph(options_.seed, number, options_.maxOperations, reference_, *device_);
    const std::string name = fmt::format("seed{}-{}", options_.seed, number);
    std::optional<RandomGraphFailure> failure;
    Verdict verdict = Verdict::Passed;
    if (!made.graph.operations.empty()) {
      const CaseResult result = runCase(*device_, caseOf(made.graph, name), options_.runner);
      verdict = result.verdict();
      if (const RunResult *failed = failureOf(result))
        failure = reduce(made.graph, *failed, name);
    }
    if (failure)
      failure->graph = number;
    std::vector<RandomGraphFailure> failures = wrongReferences(made, number, name);
    if (failure)
      failures.push_back(*std::move(failure));
    if (!made.lost.empty())
      failures.push_back(lostDevice(made, number));
    count(made, verdict, std::move(failures));
  }

  RandomGraphFailure reduce(const Graph &graph, const RunResult &failed, const std::string &name) {
    auto fails = [&](const Graph &candidate) {
      const CaseResult result = runCase(*device_, caseOf(candidate, name), options_.runner);
      const RunResult *other = failureOf(result);
      return other != nullptr && other->kind == failed.kind && other->reason == failed.reason;
    };
    auto evaluate = [&](Graph &candidate) { return bool(evaluateAll(candidate, reference_)); };
    const Graph smallest = reduceGraph(graph, fails, evaluate);
    RandomGraphFailure failure = describe(smallest, operationTypes(graph).size());
    failure.reason = failed.reason;
    failure.detail = failed.detail;
    save(smallest, name, failure);
    return failure;
  }

  static RandomGraphFailure describe(const Graph &reduced, size_t operations) {
    RandomGraphFailure failure;
    failure.operations = operations;
    for (OperationType type : operationTypes(reduced))
      failure.reduced.push_back(operationName(type));
    return failure;
  }

  void save(const Graph &graph, const std::string &name, RandomGraphFailure &failure) {
    if (options_.saveDirectory.empty())
      return;
    failure.file = fmt::format("{}/{}.nntv", options_.saveDirectory, name);
    if (Status status = writeFile(failure.file, vectorFileOf(graph, name)); !status.isOk()) {
      const std::lock_guard lock(mutex_);
      status_ = std::move(status);
    }
  }

  std::vector<RandomGraphFailure> wrongReferences(const GeneratedGraph &made, uint64_t number,
                                                  const std::string &name) {
    std::vector<RandomGraphFailure> failures;
    for (const WrongReference &wrong : made.wrong) {
      RandomGraphFailure failure = describe(wrong.graph, wrong.graph.operations.size());
      failure.graph = number;
      failure.reason = "the reference device does not compute the operation's definition";
      failure.detail = wrong.difference;
      save(wrong.graph, fmt::format("{}-reference{}", name, failures.size()), failure);
      failures.push_back(std::move(failure));
    }
    return failures;
  }

  static RandomGraphFailure lostDevice(const GeneratedGraph &made, uint64_t number) {
    RandomGraphFailure failure;
    failure.graph = number;
    failure.reason = "the device does not answer";
    failure.detail = made.lost;
    failure.operations = operationTypes(made.graph).size();
    return failure;
  }

  void count(const GeneratedGraph &made, Verdict verdict, std::vector<RandomGraphFailure> failures) {
    const std::lock_guard lock(mutex_);
    ++summary_.graphs;
    const std::vector<OperationType> types = operationTypes(made.graph);
    summary_.operations += types.size();
    for (const OperationType type : types)
      ++summary_.draws[type].taken;
    summary_.unsupported += verdict == Verdict::Unsupported;
    for (const auto &[type, draws] : made.draws) {
      OperationDraws &all = summary_.draws[type];
      all.refused += draws.refused;
      all.rejected += draws.rejected;
      all.computed += draws.computed;
      all.compared += draws.compared;
    }
    for (RandomGraphFailure &failure : failures)
      summary_.failures.push_back(std::move(failure));
    if (options_.progress)
      options_.progress(summary_.graphs, summary_.failures.size());
  }

  const std::shared_ptr<IDevice> device_;
  IDevice &reference_;
  const RandomGraphOptions &options_;
  std::optional<std::chrono::steady_clock::time_point> end_;
  std::mutex mutex_; ///< guards the members below
  uint64_t next_;
  RandomGraphSummary summary_;
  Status status_;
};

} // namespace

avocet::Result<RandomGraphSummary> runRandomGraphs(const std::shared_ptr<IDevice> &device, IDevice &reference,
                                                   const RandomGraphOptions &options) {
  return Campaign(device, reference, options).run();
}

} // namespace avocet::hal::conformance
