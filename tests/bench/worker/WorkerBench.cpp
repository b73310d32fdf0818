//===- WorkerBench.cpp - Cost of a compile worker -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   workerBench [--target NAME] [--rounds N]
//
// For each model: the same compilation in this process and in a worker, alternating in one run. Figures are medians in
// milliseconds; "overhead" is the median of the differences. "limit" is the cost of moving the bytes of the request and
// of the answer alone, in the same run (TransferLimit.h).
//
//===----------------------------------------------------------------------===//

#include "BenchModels.h"
#include "TransferLimit.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/compiler/Loader.h"
#include "avocet/hal/worker/CompileWorkers.h"
#include "model/ModelBytes.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>

namespace {

using namespace avocet::hal;

struct Options {
  std::string target = "e256";
  int rounds = 51;
};

[[noreturn]] void fail(const std::string &reason) {
  avocet::printErr("workerBench: {}\n", reason);
  std::exit(1);
}

double millisecondsOf(auto &&compile) {
  auto start = std::chrono::steady_clock::now();
  avocet::compiler::CompileResult result = compile();
  auto time = std::chrono::steady_clock::now() - start;
  if (!result.status.isOk())
    fail(result.status.toString());
  return std::chrono::duration<double, std::milli>(time).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

std::vector<uint8_t> allBytesOf(const ModelBytes &model) {
  std::vector<uint8_t> bytes = model.bytes;
  for (const std::vector<uint8_t> &pool : model.pools)
    bytes.insert(bytes.end(), pool.begin(), pool.end());
  return bytes;
}

void measure(const char *name, const Model &model, const avocet::compiler::LoadedCompiler &local,
             CompileWorkers &workers, const Options &options) {
  Result<ModelBytes> bytes = modelBytesOf(model);
  if (!bytes)
    fail(bytes.error().message);
  avocet::compiler::CompileRequest request;
  request.modelPath = "model";
  request.modelBytes = bytes->bytes;
  request.pools = bytes->poolSpans();
  request.format = bytes->format;
  request.target = options.target;
  bench::TransferLimit limit;
  const std::vector<uint8_t> sent = allBytesOf(*bytes);
  const avocet::compiler::CompileResult first = workers.compile(request);
  const std::vector<uint8_t> answered(first.dataCache.begin(), first.dataCache.end());
  std::vector<double> here, there, difference, least;
  for (int round = 0; round < options.rounds; ++round) {
    here.push_back(millisecondsOf([&] { return local.compile(request); }));
    least.push_back(limit.measure(sent, answered));
    there.push_back(millisecondsOf([&] { return workers.compile(request); }));
    difference.push_back(there.back() - here.back());
  }
  avocet::printOut("{:<22} {:>8.2f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}\n", name,
                   static_cast<double>(sent.size() + answered.size()) / (1 << 20), median(here), median(there),
                   median(difference), median(least));
}

void measureAll(const Options &options) {
  auto local = avocet::compiler::LoadedCompiler::load();
  WorkerOptions workerOptions;
  workerOptions.targets = {options.target};
  auto workers = CompileWorkers::start(workerOptions);
  if (!local || !workers)
    fail(!local ? local.status().toString() : workers.status().toString());
  avocet::printOut("{:<22} {:>8} {:>10} {:>10} {:>10} {:>10}\n", "model (ms)", "MiB", "in process", "in worker",
                   "overhead", "limit");
  measure("sum of two vectors", bench::smallSum(), *local, **workers, options);
  measure("8 layers of 64 x 64", bench::fullyConnectedChain(8, 64), *local, **workers, options);
  measure("4 layers of 1k x 1k", bench::fullyConnectedChain(4, 1024), *local, **workers, options);
  measure("MobileNet v1", bench::mobileNet(), *local, **workers, options);
}

} // namespace

static int runMain(int argc, char **argv) {
  avocet::CommandLine app("Overhead of a compile worker");
  Options options;
  app.addText("--target", options.target).showDefault();
  avocet::addNumber(app, "--rounds", options.rounds, "compilations of each kind", 1, 1'000'000).showDefault();
  return avocet::runProgram(app, argc, argv, [&] {
    measureAll(options);
    return avocet::kExitOk;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
