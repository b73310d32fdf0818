//===- TurnsBench.cpp - Models that alternate on one device -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   turnsBench [--target T] [--models N] [--rounds N] [--functional]
//
// The host time of a run when one model runs repeatedly, and when models alternate. The ratio shows how much the
// simulator gains from data that it keeps of a model between its runs. Real models, one context each. Milliseconds,
// medians.
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/compiler/Loader.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace {

using namespace avocet;
using namespace avocet::runtime;
using hal::bench::giveUp;
using hal::bench::microsecondsSince;
using hal::bench::need;

struct BenchOptions {
  std::string target = "e256";
  size_t models = 16;
  int rounds = 20;
  bool functional = false;
};

/// One model with its own context, queue and buffers.
struct Tenant {
  std::string name;
  std::shared_ptr<const cache::ModelCache> model;
  std::shared_ptr<Context> context;
  std::shared_ptr<Queue> queue;
  std::unique_ptr<Job> job;
  std::vector<double> alone, inTurns;

  double run() const {
    auto start = hal::bench::Clock::now();
    if (Status status = queue->run(*job); !status.isOk())
      giveUp(name + ": " + status.toString());
    return microsecondsSince(start) / 1000;
  }
};

void bind(const std::shared_ptr<Device> &device, Tenant &tenant) {
  auto map = [&](uint64_t bytes, Access access) {
    return need(tenant.context->map(need(Buffer::create(device, bytes)), access));
  };
  for (size_t i = 0; i < tenant.model->numInputs(); ++i)
    if (!tenant.job->bindInput(i, map(tenant.model->input(i).bytes, Access::Read)).isOk())
      giveUp(tenant.name + ": input");
  for (size_t i = 0; i < tenant.model->numOutputs(); ++i)
    if (!tenant.job->bindOutput(i, map(tenant.model->output(i).bytes, Access::Write)).isOk())
      giveUp(tenant.name + ": output");
}

Tenant open(const std::shared_ptr<Device> &device, const compiler::LoadedCompiler &compiler,
            const std::filesystem::path &path, const std::string &target) {
  compiler::CompileRequest request;
  request.modelPath = path.string();
  request.target = target;
  compiler::CompileResult result = compiler.compile(request);
  if (!result.status.isOk())
    giveUp(result.status.toString());
  Tenant tenant;
  tenant.name = path.parent_path().filename().string();
  tenant.model = need(cache::ModelCache::adopt({result.modelCache.begin(), result.modelCache.end()}, path.string()));
  tenant.context = need(Context::create(device));
  tenant.queue = need(Queue::create(tenant.context));
  auto data = need(cache::DataCache::fromBytes(result.dataCache));
  tenant.job = need(Job::create(need(Executable::load(tenant.context, tenant.model, *data))));
  bind(device, tenant);
  return tenant;
}

std::vector<std::filesystem::path> findModels(size_t count) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(std::string(AVOCET_SHARED_DATA) + "/models"))
    if (std::filesystem::exists(entry.path() / "model.tflite"))
      paths.push_back(entry.path() / "model.tflite");
  std::ranges::sort(paths);
  paths.resize(std::min(paths.size(), count));
  return paths;
}

double residentMegabytes() {
  uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void measure(std::vector<Tenant> &tenants, int rounds) {
  for (Tenant &tenant : tenants) {
    tenant.run();
    for (int round = 0; round < rounds; ++round)
      tenant.alone.push_back(tenant.run());
  }
  for (int round = 0; round < rounds; ++round)
    for (Tenant &tenant : tenants)
      tenant.inTurns.push_back(tenant.run());
}

void print(std::vector<Tenant> &tenants) {
  double alone = 0, inTurns = 0;
  for (Tenant &tenant : tenants) {
    const double a = hal::bench::percentile(tenant.alone, 0.5), t = hal::bench::percentile(tenant.inTurns, 0.5);
    printOut("{:28} alone {:9.3f}  in turns {:9.3f}  ratio {:.2f}\n", tenant.name, a, t, t / a);
    alone += a;
    inTurns += t;
  }
  printOut("{:2} models: a round of each alone {:.3f} ms, in turns {:.3f} ms, ratio {:.2f}; resident {:.1f} MiB\n",
           tenants.size(), alone, inTurns, inTurns / alone, residentMegabytes());
}

void runBench(const BenchOptions &bench) {
  BackendOptions options;
  options.target = need(firmware::Target::load(bench.target));
  options.functional = bench.functional;
  std::shared_ptr<Device> device = need(Device::open("sim", options));
  auto compiler = need(compiler::LoadedCompiler::load());
  std::vector<Tenant> tenants;
  for (const std::filesystem::path &path : findModels(bench.models))
    tenants.push_back(open(device, compiler, path, bench.target));
  if (tenants.empty())
    giveUp("no models in " AVOCET_SHARED_DATA "/models");
  measure(tenants, bench.rounds);
  print(tenants);
}

} // namespace

static int runMain(int argc, char **argv) {
  BenchOptions options;
  CommandLine app("Models that take turns on one simulated device");
  app.addText("--target", options.target, "device profile").showDefault();
  addNumber(app, "--models", options.models, "how many of the shared models", 1, 1000);
  addNumber(app, "--rounds", options.rounds, "runs of each model, alone and in turns", 1, 1'000'000);
  app.addFlag("--functional", options.functional, "compute values, too");
  return runProgram(app, argc, argv, [&] {
    registerSimBackend();
    runBench(options);
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
