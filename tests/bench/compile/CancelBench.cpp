//===- CancelBench.cpp - Latency of a cancellation --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cancelBench [--target NAME] [--rounds N] [--chain LAYERS] [MODEL...]
//
// Compiles each model once, then cancels it at N points of that time, spread evenly. Prints the thread time from the
// moment of cancellation to the return of the call: median, 90th percentile and most. `gap` is the longest time between
// two checks for cancellation during the whole compilation, with its phase: no cancellation can be much quicker. Chains
// are networks of LAYERS layers.
//
//===----------------------------------------------------------------------===//

#include "ChainModel.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/compiler/Loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

namespace {

using namespace avocet;
using namespace avocet::compiler;
/// CPU time of this thread: a compilation stays on it, and other processes of the machine do not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

double millisecondsSince(double start) { return now() - start; }

struct Subject {
  std::string name;
  CompileRequest request;
};

struct Whole {
  double milliseconds = 0, gap = 0;
  std::string gapPhase;
  uint64_t questions = 0;
};

/// Compiles to the end and counts the checks for cancellation.
Whole compileWhole(const LoadedCompiler &compiler, CompileRequest request) {
  Whole whole;
  std::string phase;
  const double start = now();
  double last = start;
  request.progress = [&](std::string_view name, uint32_t, uint32_t) { phase = name; };
  request.cancelled = [&] {
    if (double gap = millisecondsSince(last); gap > whole.gap)
      whole.gap = gap, whole.gapPhase = phase;
    last = now();
    ++whole.questions;
    return false;
  };
  CompileResult result = compiler.compile(request);
  whole.milliseconds = millisecondsSince(start);
  if (!result.status.isOk())
    printErr("{}\n", result.status.toString());
  return whole;
}

/// Milliseconds from the moment of cancellation to the return, or -1: the compilation had ended before.
double cancelAt(const LoadedCompiler &compiler, CompileRequest request, double milliseconds) {
  const double start = now();
  request.cancelled = [&] { return millisecondsSince(start) >= milliseconds; };
  CompileResult result = compiler.compile(request);
  const double end = millisecondsSince(start);
  return result.status.code() == StatusCode::Aborted ? end - milliseconds : -1;
}

void run(const LoadedCompiler &compiler, const Subject &subject, int rounds) {
  const Whole whole = compileWhole(compiler, subject.request);
  std::vector<double> latencies;
  for (int round = 0; round < rounds; ++round)
    if (double latency = cancelAt(compiler, subject.request, whole.milliseconds * round / rounds); latency >= 0)
      latencies.push_back(latency);
  std::sort(latencies.begin(), latencies.end());
  if (latencies.empty())
    latencies.push_back(-1);
  auto at = [&](double share) { return latencies[std::min(latencies.size() - 1, size_t(share * latencies.size()))]; };
  printOut("{:<28} {:>9.1f} {:>9} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {}\n", subject.name, whole.milliseconds,
           whole.questions, at(0.5), at(0.9), latencies.back(), whole.gap, whole.gapPhase);
}

std::string nameOf(const std::string &model) {
  std::filesystem::path path(model);
  return (path.stem() == "model" ? path.parent_path().filename() : path.stem()).string();
}

} // namespace

static int runMain(int argc, char **argv) {
  CommandLine app("Time until a cancelled compilation ends");
  std::string target = "e256";
  int rounds = 40;
  std::vector<uint32_t> chains = {100, 1000, 10000};
  std::vector<std::string> models;
  app.addText("--target", target, "Device");
  addNumber(app, "--rounds", rounds, "Cancellations of each model", 1, 100'000);
  addNumber(app, "--chain", chains, "Lengths of chains of layers", 1, 1'000'000).oneEach();
  app.addTexts("models", models, "TFLite models");
  return runProgram(app, argc, argv, [&] {
    Result<LoadedCompiler> compiler = LoadedCompiler::load();
    if (!compiler) {
      printErr("{}\n", compiler.status().toString());
      return 1;
    }
    printOut("{:<28} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8}\n", "model, milliseconds", "compile", "questions", "median",
             "90 %", "most", "gap");
    for (const std::string &model : models) {
      Subject subject{nameOf(model), {}};
      subject.request.modelPath = model;
      subject.request.target = target;
      run(*compiler, subject, rounds);
    }
    for (uint32_t layers : chains) {
      const std::string text = bench::chainModel(layers);
      Subject subject{fmt::format("chain of {}", layers), {}};
      subject.request.modelPath = "chain.mlir";
      subject.request.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
      subject.request.target = target;
      run(*compiler, subject, rounds);
    }
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
