//===- WorkerBench.cpp - What a compile worker costs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   workerBench [--target NAME] [--rounds N]
//
// For each model: the same compilation in this process and in a worker, in turn in one run. Figures are medians in
// milliseconds; "overhead" is the median of the differences.
//
//===----------------------------------------------------------------------===//

#include "BenchModels.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/compiler/Loader.h"
#include "avocet/hal/CompileWorkers.h"
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
  std::vector<double> here, there, difference;
  for (int round = 0; round < options.rounds; ++round) {
    here.push_back(millisecondsOf([&] { return local.compile(request); }));
    there.push_back(millisecondsOf([&] { return workers.compile(request); }));
    difference.push_back(there.back() - here.back());
  }
  avocet::printOut("{:<22} {:>10.3f} {:>10.3f} {:>10.3f}\n", name, median(here), median(there), median(difference));
}

void measureAll(const Options &options) {
  auto local = avocet::compiler::LoadedCompiler::load();
  WorkerOptions workerOptions;
  workerOptions.targets = {options.target};
  auto workers = CompileWorkers::start(workerOptions);
  if (!local || !workers)
    fail(!local ? local.status().toString() : workers.status().toString());
  avocet::printOut("{:<22} {:>10} {:>10} {:>10}\n", "model (ms)", "in process", "in worker", "overhead");
  measure("sum of two vectors", bench::smallSum(), *local, **workers, options);
  measure("8 layers of 64 x 64", bench::fullyConnectedChain(8, 64), *local, **workers, options);
  measure("4 layers of 1k x 1k", bench::fullyConnectedChain(4, 1024), *local, **workers, options);
  measure("MobileNet v1", bench::mobileNet(), *local, **workers, options);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("What a compile worker costs");
  Options options;
  app.add_option("--target", options.target)->capture_default_str();
  avocet::addNumber(app, "--rounds", options.rounds, "compilations of each kind", 1, 1'000'000)->capture_default_str();
  return avocet::runProgram(app, argc, argv, [&] {
    measureAll(options);
    return avocet::kExitOk;
  });
}
