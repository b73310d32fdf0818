//===- CompileBench.cpp - Cost of compiling ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   compileBench [--target NAME] [--rounds N] [MODEL...]
//
// For each model: wall time of a process that opens the compiler, compiles once and ends (cold), time of a compilation
// in a process that has compiled before (warm), time of a support query (query), the phases of the cold compilation,
// and its peak memory. Then chains of 10 to 10,000 layers: time and memory per layer should not grow. All figures are
// the least of the rounds. Without models: those of the tree, and of AVOCET_SHARED_DATA.
//
//===----------------------------------------------------------------------===//

#include "ChainModel.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/File.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/compiler/Loader.h"

#include <fmt/format.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

extern char **environ;

namespace {

using namespace avocet;
using namespace avocet::compiler;
namespace fs = std::filesystem;

double millisecondsOf(auto &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <typename Request> Request requestFor(const std::string &model, const std::string &target) {
  Request request;
  request.modelPath = model;
  request.target = target;
  return request;
}

template <typename Answer> Answer need(Answer answer) {
  if (!answer.status.isOk()) {
    printErr("{}\n", answer.status.toString());
    std::exit(1);
  }
  return answer;
}

CompileResult compileOnce(const LoadedCompiler &compiler, const std::string &model, const std::string &target) {
  return need(compiler.compile(requestFor<CompileRequest>(model, target)));
}

LoadedCompiler load() {
  Result<LoadedCompiler> loaded = LoadedCompiler::load();
  if (!loaded.isOk()) {
    printErr("{}\n", loaded.status().toString());
    std::exit(1);
  }
  return *loaded;
}

/// The body of the cold process: compiles once and writes the phases to a file.
int runChild(const std::string &model, const std::string &target, const std::string &phasesFile) {
  CompileResult result = compileOnce(load(), model, target);
  std::string text;
  for (const PhaseCost &phase : result.phases)
    text += fmt::format("{} {}\n", phase.phase, phase.milliseconds);
  text += fmt::format("peak {}\n", static_cast<double>(result.phases.back().peakMemoryBytes) / (1 << 20));
  return writeFile(phasesFile, text).isOk() ? 0 : 1;
}

struct Cold {
  double milliseconds = 0;
  double peakMegabytes = 0;
  std::string phases;
};

Cold runCold(const std::string &model, const std::string &target) {
  std::string phasesFile = (fs::temp_directory_path() / fmt::format("compileBench.{}", getpid())).string();
  std::string self = fs::read_symlink("/proc/self/exe").string();
  const char *arguments[] = {self.c_str(),  "--child", phasesFile.c_str(), "--target", target.c_str(),
                             model.c_str(), nullptr};
  Cold cold;
  int status = 0;
  cold.milliseconds = millisecondsOf([&] {
    pid_t child = 0;
    if (posix_spawn(&child, self.c_str(), nullptr, nullptr, const_cast<char **>(arguments), environ) != 0 ||
        waitpid(child, &status, 0) != child)
      status = 1;
  });
  std::ifstream file(phasesFile);
  std::string name;
  double value = 0;
  while (file >> name >> value) {
    if (name == "peak")
      cold.peakMegabytes = value;
    else
      cold.phases += fmt::format(" {} {:.1f}", name, value);
  }
  fs::remove(phasesFile);
  if (status != 0)
    cold.milliseconds = -1;
  return cold;
}

Cold bestCold(const std::string &model, const std::string &target, int rounds) {
  Cold best = runCold(model, target);
  for (int round = 1; round < rounds; ++round)
    if (Cold next = runCold(model, target); next.milliseconds < best.milliseconds)
      best = next;
  return best;
}

/// Time to verify the model cache and map the data cache of a compiled model.
double bestLoad(const CompileResult &compiled, int rounds) {
  std::string folder = (fs::temp_directory_path() / fmt::format("compileBench.artefacts.{}", getpid())).string();
  double best = 1e300;
  if (Status status = cache::writeArtefacts(folder, compiled.modelCache, compiled.dataCache); !status.isOk())
    printErr("{}\n", status.toString());
  for (int round = 0; round < rounds; ++round)
    best = std::min(best, millisecondsOf([&] {
                      if (auto read = cache::readArtefacts(folder); !read)
                        printErr("{}\n", read.status().toString());
                    }));
  fs::remove_all(folder);
  return best;
}

/// Sums over the models.
struct Sums {
  double warm = 0, query = 0;
};

void benchModel(const LoadedCompiler &compiler, const std::string &model, const std::string &target, int rounds,
                Sums &sums) {
  Cold cold = bestCold(model, target, rounds);
  std::string name = fs::path(model).stem() == "model" ? fs::path(model).parent_path().filename().string()
                                                       : fs::path(model).stem().string();
  if (cold.milliseconds < 0) {
    printOut("{:<28} does not compile\n", name);
    return;
  }
  double warm = 1e300, query = 1e300;
  for (int round = 0; round < rounds; ++round) {
    warm = std::min(warm, millisecondsOf([&] { compileOnce(compiler, model, target); }));
    query = std::min(query, millisecondsOf([&] { need(compiler.judge(requestFor<JudgeRequest>(model, target))); }));
  }
  sums.warm += warm;
  sums.query += query;
  double load = bestLoad(compileOnce(compiler, model, target), rounds);
  printOut("{:<28} {:>8.1f} {:>8.1f} {:>8.2f} {:>6.1f}% {:>8.3f} {:>7.0f}x {:>8.1f}  {}\n", name, cold.milliseconds,
           warm, query, 100 * query / warm, load, warm / load, cold.peakMegabytes, cold.phases);
}

void benchChains(const std::string &target, int rounds) {
  printOut("\n{:<28} {:>8} {:>8} {:>10} {:>10}\n", "chain of layers", "cold ms", "peak MB", "us/layer", "KB/layer");
  Cold smallest;
  for (uint32_t layers : {10u, 100u, 1000u, 10000u}) {
    fs::path file = fs::temp_directory_path() / fmt::format("chain{}.{}.mlir", layers, getpid());
    if (Status status = writeFile(file.string(), bench::chainModel(layers)); !status.isOk())
      printErr("{}\n", status.toString());
    Cold cold = bestCold(file.string(), target, rounds);
    fs::remove(file);
    if (layers == 10)
      smallest = cold;
    // Per layer beyond the shortest chain, whose cost is that of any process.
    double more = std::max(1.0, layers - 10.0);
    printOut("{:<28} {:>8.1f} {:>8.1f} {:>10.1f} {:>10.1f} {}\n", layers, cold.milliseconds, cold.peakMegabytes,
             (cold.milliseconds - smallest.milliseconds) * 1000 / more,
             (cold.peakMegabytes - smallest.peakMegabytes) * 1024 / more, cold.phases);
  }
}

std::vector<std::string> defaultModels() {
  std::vector<std::string> models;
  for (const char *name : {"digits_int8", "digits_float32"})
    models.push_back(fmt::format("{}/tests/models/digits/{}.tflite", AVOCET_SOURCE_DIR, name));
  std::error_code none;
  for (const auto &folder : fs::directory_iterator(fs::path(AVOCET_SHARED_DATA) / "models", none))
    if (fs::exists(folder.path() / "model.tflite"))
      models.push_back((folder.path() / "model.tflite").string());
  std::sort(models.begin(), models.end());
  return models;
}

} // namespace

static int runMain(int argc, char **argv) {
  CommandLine app("Time and memory of compilations");
  std::string target = "e256", child;
  std::vector<std::string> models;
  int rounds = 5;
  app.addText("--target", target, "profile or target file").showDefault();
  addNumber(app, "--rounds", rounds, "rounds; the best one is reported", 1, 1000).showDefault();
  app.addText("--child", child).group("");
  app.addTexts("models", models, "TFLite or MLIR files");
  return runProgram(app, argc, argv, [&] {
    if (!child.empty())
      return runChild(models.at(0), target, child);

    LoadedCompiler compiler = load();
    Sums sums;
    printOut("{:<28} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8} {:>8}   phases of the cold process, ms\n",
             "model on " + target, "cold ms", "warm ms", "query ms", "of warm", "load ms", "warm:load", "peak MB");
    for (const std::string &model : models.empty() ? defaultModels() : models)
      benchModel(compiler, model, target, rounds, sums);
    if (sums.warm > 0)
      printOut("{:<28} {:>8} {:>8.1f} {:>8.2f} {:>6.1f}%\n", "sum", "", sums.warm, sums.query,
               100 * sums.query / sums.warm);
    if (models.empty())
      benchChains(target, rounds);
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
