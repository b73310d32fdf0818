//===- HalBench.cpp - Cost of the HAL ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   halBench [--target NAME] [--rounds N] [--largest MB]
//
// First the hash of the constants of artefacts, in ms for each MiB, with its share of a load from a folder
// (--trust-data omits it). Then the first execution with extents that the model leaves open: its program compiled, from
// the client's files, and from the driver's own cache. Then compilation in stages: the time of the answer, and until
// the program of the level asked for has replaced the first one. For each model: a support query, a preparation, a
// preparation from cache files, the first and later executions. Then the time of a synchronous execution over that of
// the same job submitted through the runtime, and the bytes that the host copies for one. All figures but the last are
// the least of the rounds, in milliseconds of the host. The chains have the same number of layers and increasing
// weights: the time of a preparation from cache should not depend on them.
//
//===----------------------------------------------------------------------===//

#include "BenchModels.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"
#include "avocet/runtime/SimBackend.h"
#include "model/CompiledModel.h"
#include "model/Compilers.h"
#include "model/Program.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace avocet;
using namespace avocet::hal;

struct Options {
  std::string target = "e256";
  int rounds = 5;
  uint32_t largestMegabytes = 100;
  std::filesystem::path folder;
};

double millisecondsOf(auto &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double leastOf(int rounds, auto &&work) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < rounds; ++i)
    least = std::min(least, millisecondsOf(work));
  return least;
}

template <typename R> auto need(R result) {
  if (result.isOk())
    return std::move(*result);
  if constexpr (requires { result.status(); })
    printErr("halBench: {}\n", result.status().toString());
  else
    printErr("halBench: {}\n", result.error().message);
  std::exit(1);
}

void needOk(const ExecutionOutcome &outcome) {
  if (outcome.isOk())
    return;
  printErr("halBench: {}\n", outcome.message);
  std::exit(1);
}

SharedMemory makePool(uint64_t bytes) {
  auto file = std::make_shared<const FileDescriptor>(need(createMemoryFile("pool", bytes)));
  return std::make_shared<Memory>(Memory{Ashmem{std::move(file), bytes}});
}

Request requestFor(const Model &model) {
  Request request;
  uint64_t inputs = 0, outputs = 0;
  auto place = [&](uint32_t operand, uint32_t pool, uint64_t &end) {
    RequestArgument argument;
    argument.location = {pool, end, getNonExtensionSize(model.main.operands[operand]).value_or(0), 0};
    end += argument.location.length;
    return argument;
  };
  for (uint32_t operand : model.main.inputIndexes)
    request.inputs.push_back(place(operand, 0, inputs));
  for (uint32_t operand : model.main.outputIndexes)
    request.outputs.push_back(place(operand, 1, outputs));
  request.pools = {makePool(inputs), makePool(outputs)};
  return request;
}

CacheFiles cacheFiles(const Options &options) {
  auto openFile = [&](const char *name) {
    return std::make_shared<const FileDescriptor>(
        ::open((options.folder / name).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  };
  return {{openFile("model")}, {openFile("data")}, {1}};
}

uint64_t sizeOfFile(const SharedHandle &file) {
  struct stat status = {};
  ::fstat(file->get(), &status);
  return static_cast<uint64_t>(status.st_size);
}

void measureModel(IDevice &device, const char *name, const Model &model, const Options &options) {
  PrepareOptions prepareOptions;
  double support = leastOf(options.rounds, [&] { (void)need(device.getSupportedOperations(model)); });
  double prepare = leastOf(options.rounds, [&] { (void)need(device.prepareModel(model, prepareOptions)); });
  prepareOptions.cache = cacheFiles(options);
  (void)need(device.prepareModel(model, prepareOptions));
  double fromCache =
      leastOf(options.rounds, [&] { (void)need(device.prepareModelFromCache({}, prepareOptions.cache)); });
  std::shared_ptr<IPreparedModel> prepared = need(device.prepareModelFromCache({}, prepareOptions.cache));
  Request request = requestFor(model);
  double first = millisecondsOf([&] { needOk(prepared->execute(request, {})); });
  double later = leastOf(std::min(options.rounds, 3), [&] { needOk(prepared->execute(request, {})); });
  printOut("{:<22} {:>9.2f} {:>9.2f} {:>10.3f} {:>7.0f}x {:>9.2f} {:>9.2f} {:>8.1f} {:>8.1f}\n", name, support, prepare,
           fromCache, prepare / fromCache, first, later,
           static_cast<double>(sizeOfFile(prepareOptions.cache.modelCache[0])) / 1024,
           static_cast<double>(sizeOfFile(prepareOptions.cache.dataCache[0])) / 1024);
}

/// The same program through the runtime alone: bound once, submitted and waited for.
double runtimeMilliseconds(const Model &model, const Options &options, int runs) {
  LocalCompiler compiler("", options.target, {});
  DeadlineClock clock;
  CompiledModel compiled = need(compileModel(compiler, model, need(modelBytesOf(model)), CallLimit(clock, {}, {})));
  runtime::registerSimBackend();
  runtime::BackendOptions backend;
  backend.target = need(firmware::Target::load(options.target));
  auto context = need(runtime::Context::create(need(runtime::Device::open("sim", backend))));
  auto queue = need(runtime::Queue::create(context));
  auto memory = std::make_shared<Quota>("bytes", std::numeric_limits<uint64_t>::max());
  auto program = need(Program::load(context, compiled.program, *compiled.data, {}, memory));
  auto slot = need(program->takeSlot());
  for (size_t i = 0; i < program->model().numInputs(); ++i)
    (void)need(slot->stageInput(i));
  for (size_t i = 0; i < program->model().numOutputs(); ++i)
    (void)need(slot->stageOutput(i));
  auto run = [&] { (void)queue->run(slot->job()).isOk(); };
  run();
  return leastOf(runs, run);
}

void measureOverhead(Driver &driver, IDevice &device, const char *name, const Model &model, const Options &options,
                     int runs) {
  auto prepared = need(device.prepareModel(model, {}));
  Request request = requestFor(model);
  uint64_t copiedBefore = driver.counters().hostBytesCopied;
  needOk(prepared->execute(request, {}));
  uint64_t copied = driver.counters().hostBytesCopied - copiedBefore;
  double hal = leastOf(runs, [&] { needOk(prepared->execute(request, {})); });
  auto reusable = need(prepared->createReusableExecution(request, {}));
  double again = leastOf(runs, [&] { needOk(reusable->compute({})); });
  double alone = runtimeMilliseconds(model, options, runs);
  printOut("{:<22} {:>9.4f} {:>9.4f} {:>9.4f} {:>8.2f}x {:>8.2f}x {:>9}\n", name, alone, hal, again, hal / alone,
           again / alone, copied);
}

/// Lines that verbose messages of all tags write during `work`.
size_t messagesOf(auto &&work) {
  FileDescriptor file = need(createMemoryFile("messages", 0));
  const FileDescriptor before(::dup(STDERR_FILENO));
  ::dup2(file.get(), STDERR_FILENO);
  setVerboseTags(kAllVerboseTags);
  work();
  setVerboseTags(0);
  ::dup2(before.get(), STDERR_FILENO);
  std::string text(4096, ' ');
  const ssize_t bytes = ::pread(file.get(), text.data(), text.size(), 0);
  return static_cast<size_t>(std::ranges::count(text.substr(0, std::max<ssize_t>(bytes, 0)), '\n'));
}

/// What messages cost that no tag enables (AVOCET_VLOG is unset).
void measureMessages(IDevice &device, int rounds) {
  constexpr int kMessages = 1'000'000;
  const double nanoseconds = leastOf(rounds,
                                     [] {
                                       for (int i = 0; i < kMessages; ++i)
                                         verbose(VerboseTag::Memory, "{} bytes copied", i);
                                     }) *
                             1e6 / kMessages;
  const Model model = bench::smallSum();
  auto prepared = need(device.prepareModel(model, {}));
  const Request request = requestFor(model);
  auto run = [&] { needOk(prepared->execute(request, {})); };
  run();
  const size_t messages = messagesOf(run);
  const double all = leastOf(500, run) * 1e6;
  printOut("\ndisabled messages: {:.2f} ns each, {} in an execution of the sum: {:.3f} % of its {:.1f} us\n",
           nanoseconds, messages, 100 * nanoseconds * static_cast<double>(messages) / all, all / 1e3);
}

/// The longest time by which a preparation exceeds its deadline, for deadlines spread over a compilation.
double worstOvershoot(IDevice &device, const Model &model) {
  double worst = 0;
  for (int step = 1; step <= 20; ++step) {
    PrepareOptions options;
    options.deadline = BootClock::now() + std::chrono::milliseconds(3) * step;
    hal::Result<std::shared_ptr<IPreparedModel>> prepared = device.prepareModel(model, options);
    if (!prepared)
      worst = std::max(worst, std::chrono::duration<double, std::milli>(BootClock::now() - *options.deadline).count());
  }
  return worst;
}

/// The first execution with the extents of `closed` of the same model with an open first extent, in a new driver.
double firstExecution(const DriverOptions &options, const Model &closed, const CacheFiles &files, bool isCached) {
  Model open = closed;
  for (uint32_t operand : {open.main.inputIndexes[0], open.main.outputIndexes[0]})
    open.main.operands[operand].dimensions[0] = 0;
  std::shared_ptr<IDevice> device = need(openDevice(options));
  PrepareOptions prepareOptions;
  prepareOptions.cache = files;
  auto prepared = isCached && files.areGiven() ? need(device->prepareModelFromCache({}, files))
                                               : need(device->prepareModel(open, prepareOptions));
  Request request = requestFor(closed);
  request.inputs[0].dimensions = closed.main.operands[closed.main.inputIndexes[0]].dimensions;
  return millisecondsOf([&] { needOk(prepared->execute(request, {})); });
}

void measureOpenModel(const char *name, const Model &model, const Options &options) {
  DriverOptions driver;
  driver.target = options.target;
  driver.cacheDirectory = options.folder / "open";
  const CacheFiles files = cacheFiles(options);
  const double cold = firstExecution(driver, model, files, false);
  const double fromFiles = firstExecution(driver, model, files, true);
  driver.blobCacheBytes = uint64_t{1} << 30;
  (void)firstExecution(driver, model, {}, false);
  const double fromBlobs = firstExecution(driver, model, {}, true);
  printOut("{:<22} {:>9.2f} {:>9.2f} {:>10.2f}\n", name, cold, fromFiles, fromBlobs);
}

void measureOpenModels(const Options &options) {
  printOut("{:<22} {:>9} {:>9} {:>10}\n", "first execution (ms)", "compiled", "files", "own cache");
  measureOpenModel("MobileNet v1 224", bench::mobileNet(), options);
  measureOpenModel("10 layers, 10 MB", bench::fullyConnectedChain(10, 1000), options);
  printOut("\n");
}

/// Milliseconds until the answer of a preparation, and until its final program is in use.
struct StageTimes {
  double answer = 0, end = 0;
};

StageTimes timesOfStages(const Options &options, uint32_t level, bool isStaged, const Model &model) {
  DriverOptions driver;
  driver.target = options.target;
  driver.optimize = level;
  driver.staged = isStaged;
  std::shared_ptr<Driver> opened = need(Driver::open(driver));
  std::shared_ptr<IDevice> device = need(opened->connect({}));
  (void)need(device->getSupportedOperations(bench::smallSum())); // loads the compiler
  StageTimes times;
  std::shared_ptr<IPreparedModel> prepared;
  times.end = millisecondsOf([&] {
    times.answer = millisecondsOf([&] { prepared = need(device->prepareModel(model, {})); });
    while (isStaged && opened->counters().improvements + opened->counters().improvementsFailed == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  return times;
}

void measureStages(const Options &options) {
  printOut("{:<22} {:>9} {:>9} {:>10}\n", "MobileNet v1 224 (ms)", "at once", "staged", "in the end");
  for (uint32_t level : {1u, 2u}) {
    StageTimes least{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    double atOnce = std::numeric_limits<double>::max();
    for (int round = 0; round < options.rounds; ++round) {
      atOnce = std::min(atOnce, timesOfStages(options, level, false, bench::mobileNet()).answer);
      const StageTimes staged = timesOfStages(options, level, true, bench::mobileNet());
      least = {std::min(least.answer, staged.answer), std::min(least.end, staged.end)};
    }
    printOut("{:<22} {:>9.2f} {:>9.2f} {:>10.2f}\n", fmt::format("level {}", level), atOnce, least.answer, least.end);
  }
  printOut("\n");
}

/// Artefacts of a model in a folder, whose constants are in the page cache.
void measureDataCheck(const Options &options, uint32_t megabytes) {
  LocalCompiler compiler("", options.target, {});
  DeadlineClock clock;
  const Model model = bench::fullyConnectedChain(10, static_cast<uint32_t>(316.2 * std::sqrt(megabytes)));
  CompiledModel compiled = need(compileModel(compiler, model, need(modelBytesOf(model)), CallLimit(clock, {}, {})));
  const std::string folder = options.folder / "artefacts";
  if (Status written = cache::writeArtefacts(folder, compiled.program->bytes(), compiled.data->bytes());
      !written.isOk()) {
    printErr("halBench: {}\n", written.toString());
    std::exit(1);
  }
  const auto load = [&](cache::DataCheck check) {
    return leastOf(options.rounds, [&] { (void)need(cache::readArtefacts(folder, check)); });
  };
  const double trusted = load(cache::DataCheck::Identity), hashed = load(cache::DataCheck::Hash);
  const double mebibytes = static_cast<double>(compiled.data->bytes().size()) / (1 << 20);
  printOut("{:<22} {:>9.2f} {:>9.2f} {:>10.3f}\n", fmt::format("{:.1f} MiB", mebibytes), trusted, hashed,
           (hashed - trusted) / mebibytes);
}

void measureDataChecks(const Options &options) {
  printOut("{:<22} {:>9} {:>9} {:>10}\n", "artefacts (ms)", "trusted", "hashed", "per MiB");
  for (uint32_t megabytes : {1u, 10u, 100u})
    if (megabytes <= options.largestMegabytes)
      measureDataCheck(options, megabytes);
  printOut("\n");
}

void measureAll(const Options &options) {
  measureDataChecks(options);
  measureStages(options);
  measureOpenModels(options);
  DriverOptions driver;
  driver.target = options.target;
  driver.cacheDirectory = options.folder / "driver";
  std::shared_ptr<Driver> opened = need(Driver::open(driver));
  std::shared_ptr<IDevice> device = need(opened->connect({}));
  printOut("{:<22} {:>9} {:>9} {:>10} {:>8} {:>9} {:>9} {:>8} {:>8}\n", "model (ms)", "support", "prepare",
           "from cache", "ratio", "first run", "later run", "model KB", "data KB");
  measureModel(*device, "sum of 2 floats", bench::smallSum(), options);
  measureModel(*device, "MobileNet v1 224", bench::mobileNet(), options);
  for (uint32_t megabytes : {1u, 10u, 100u}) {
    if (megabytes > options.largestMegabytes)
      continue;
    auto extent = static_cast<uint32_t>(316.2 * std::sqrt(megabytes));
    measureModel(*device, fmt::format("10 layers, {} MB", megabytes).c_str(), bench::fullyConnectedChain(10, extent),
                 options);
  }
  printOut("\n{:<22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "execution (ms)", "runtime", "HAL", "reusable", "HAL",
           "reusable", "copied B");
  measureOverhead(*opened, *device, "sum of 2 floats", bench::smallSum(), options, 500);
  measureOverhead(*opened, *device, "MobileNet v1 224", bench::mobileNet(), options, 3);
  measureMessages(*device, options.rounds);
  printOut("\nMobileNet v1 224: missed deadlines answer at most {:.1f} ms late\n",
           worstOvershoot(*device, bench::mobileNet()));
}

} // namespace

static int runMain(int argc, char **argv) {
  Options options;
  CommandLine app("Costs of the HAL: preparation, caching, execution");
  app.addText("--target", options.target, "target to compile for").showDefault();
  addNumber(app, "--rounds", options.rounds, "measurements; the shortest one is reported", 1, 100'000).showDefault();
  addNumber(app, "--largest", options.largestMegabytes, "leave out chains with more megabytes of weights", 0, 1'000'000)
      .showDefault();
  return runProgram(app, argc, argv, [&] {
    std::string pattern = (std::filesystem::temp_directory_path() / "halBenchXXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      return 1;
    options.folder = pattern;
    measureAll(options);
    std::filesystem::remove_all(options.folder);
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
