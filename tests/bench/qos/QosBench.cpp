//===- QosBench.cpp - Latency of an urgent client beside a saturating one -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   qosBench [--model FOLDER]... [--samples N] [--target NAME]
//
// One client runs a real network continuously at low priority. Another one runs a tiny model now and then, at high
// priority, and then at the same priority as the first. The second case shows the wait without priorities.
//
//   wait    device time from the moment when the device could have started the urgent job to its start
//   host    time of the urgent call as measured by its client, the simulation of the device included
//
// "right" counts the low-priority runs, interrupted or not, that had the bits of a run alone. The physical limit
// of the wait is 0; the limit of the host time is that of the tiny model without other clients, in the first row.
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "TfliteToHal.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/hal/driver/Driver.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

namespace avocet::hal::bench {
namespace {

struct Options {
  std::string target = "e256";
  std::vector<std::string> models;
  int samples = 200;
};

constexpr const char *kDefaultModels[] = {"kws_dscnn_int8", "vww_mobilenet_int8", "ic_resnet_large_int8",
                                          "ad_toycar_int8", "mobilenet_v2_100_224_int8"};

/// All jobs of the device; urgent jobs are identified by their number of commands, which no other job has.
class Jobs {
public:
  void add(const firmware::JobProfile &profile) {
    std::lock_guard lock(mutex_);
    const firmware::CompletionRecord &record = profile.record;
    jobs_.push_back({record.counters.commands, record.counters.cycles, record.arrivalCycle, record.startCycle});
  }
  struct Job {
    uint64_t commands, cycles, arrival, start;
  };
  std::vector<Job> take() {
    std::lock_guard lock(mutex_);
    return std::exchange(jobs_, {});
  }

private:
  std::mutex mutex_;
  std::vector<Job> jobs_;
};

/// A model with random inputs, bound once.
class Load {
public:
  Load(IDevice &device, const Model &model, Priority priority)
      : inputs_(sizeOfAll(model, model.main.inputIndexes)), outputs_(sizeOfAll(model, model.main.outputIndexes)) {
    uint64_t noise = 1;
    for (size_t i = 0; i < inputs_.bytes().size(); ++i)
      inputs_.bytes()[i] = i % 4 == 3 ? 0x3f : static_cast<uint8_t>((noise = noise * 6364136223846793005u + 1) >> 56);
    PrepareOptions options;
    options.priority = priority;
    auto prepared = need(device.prepareModel(model, options));
    Request request;
    request.inputs = place(model, model.main.inputIndexes, 0);
    request.outputs = place(model, model.main.outputIndexes, 1);
    request.pools = {inputs_.memory(), outputs_.memory()};
    execution_ = need(prepared->createReusableExecution(request, {}));
    run();
    golden_.assign(outputs_.bytes().begin(), outputs_.bytes().end());
  }

  void run() { needOk(execution_->compute({})); }
  bool isRight() { return std::ranges::equal(golden_, outputs_.bytes()); }

private:
  static uint64_t sizeOf(const Model &model, uint32_t operand) {
    return getNonExtensionSize(model.main.operands[operand]).value_or(0);
  }
  static uint64_t sizeOfAll(const Model &model, const std::vector<uint32_t> &operands) {
    uint64_t sum = 0;
    for (uint32_t operand : operands)
      sum += *checkedRoundUp(sizeOf(model, operand), 64);
    return sum;
  }
  static std::vector<RequestArgument> place(const Model &model, const std::vector<uint32_t> &operands, uint32_t pool) {
    std::vector<RequestArgument> arguments;
    uint64_t offset = 0;
    for (uint32_t operand : operands) {
      arguments.push_back({false, {pool, offset, sizeOf(model, operand), 0}, {}});
      offset += *checkedRoundUp(sizeOf(model, operand), 64);
    }
    return arguments;
  }

  BenchPool inputs_, outputs_;
  std::shared_ptr<IExecution> execution_;
  std::vector<uint8_t> golden_;
};

/// Runs the load until the object ends.
class Saturation {
public:
  explicit Saturation(Load &load)
      : thread_([this, &load] {
          for (; !isEnd_; ++runs) {
            load.run();
            right += load.isRight();
          }
        }) {}
  ~Saturation() { end(); }
  void end() {
    isEnd_ = true;
    if (thread_.joinable())
      thread_.join();
  }
  std::atomic<uint64_t> runs{0}, right{0};

private:
  std::atomic<bool> isEnd_{false};
  std::thread thread_;
};

/// Host times of the urgent load's runs, in microseconds.
std::vector<double> sample(Load &urgent, int samples) {
  std::vector<double> times;
  uint64_t pause = 1;
  for (int i = 0; i < samples; ++i) {
    pause = pause * 6364136223846793005u + 1;
    std::this_thread::sleep_for(std::chrono::microseconds(pause >> 53)); // up to 2 ms, to reach any point of the other
                                                                         // client's job
    const auto start = Clock::now();
    urgent.run();
    times.push_back(microsecondsSince(start));
  }
  return times;
}

std::string threeFigures(std::vector<double> values) {
  if (values.empty())
    return fmt::format("{:>9} {:>9} {:>9}", "-", "-", "-");
  return fmt::format("{:>9.1f} {:>9.1f} {:>9.1f}", percentile(values, 0.5), percentile(values, 0.99), values.back());
}

class Bench {
public:
  explicit Bench(const Options &options) : options_(options) {
    const auto target = need(firmware::Target::load(options.target));
    microsecondsPerCycle_ = 1e6 / static_cast<double>(target->clockHz());
    DriverOptions driver;
    driver.target = options.target;
    driver.profileSink = [this](const firmware::JobProfile &profile) { jobs_.add(profile); };
    driver_ = need(Driver::open(driver));
    urgentDevice_ = need(driver_->connect({.name = "urgent", .quotas = {}}));
    patientDevice_ = need(driver_->connect({.name = "patient", .quotas = {}}));
  }

  void measureAlone() {
    Load urgent(*urgentDevice_, sumModel(kUrgentElements), Priority::High);
    (void)jobs_.take();
    std::vector<double> host = sample(urgent, options_.samples);
    const std::vector<Jobs::Job> jobs = jobs_.take();
    if (jobs.empty())
      giveUp("the device reports no jobs");
    urgentCommands_ = jobs.front().commands;
    print("alone", "high", 0, waits(jobs), std::move(host), 0, 0);
  }

  void measureBeside(const std::string &name, const Model &model) {
    Load patient(*patientDevice_, model, Priority::Low);
    const double patientTime = static_cast<double>(jobs_.take().back().cycles) * microsecondsPerCycle_;
    for (Priority priority : {Priority::High, Priority::Low}) {
      Load urgent(*urgentDevice_, sumModel(kUrgentElements), priority);
      Saturation saturation(patient);
      (void)jobs_.take();
      std::vector<double> host = sample(urgent, options_.samples);
      saturation.end();
      print(name, priority == Priority::High ? "high" : "same", patientTime, waits(jobs_.take()), std::move(host),
            saturation.runs, saturation.right);
    }
  }

private:
  static constexpr uint32_t kUrgentElements = 17;

  std::vector<double> waits(const std::vector<Jobs::Job> &jobs) const {
    std::vector<double> waits;
    for (const Jobs::Job &job : jobs)
      if (job.commands == urgentCommands_)
        waits.push_back(static_cast<double>(job.start - job.arrival) * microsecondsPerCycle_);
    return waits;
  }

  void print(const std::string &name, const char *priority, double patientTime, std::vector<double> waits,
             std::vector<double> host, uint64_t runs, uint64_t right) const {
    printOut("{:<26} {:>8} {:>10.1f} {} {} {:>6} {:>6}\n", name, priority, patientTime, threeFigures(std::move(waits)),
             threeFigures(std::move(host)), runs, right);
    std::fflush(stdout);
  }

  Options options_;
  double microsecondsPerCycle_ = 0;
  Jobs jobs_;
  std::shared_ptr<Driver> driver_;
  std::shared_ptr<IDevice> urgentDevice_, patientDevice_;
  uint64_t urgentCommands_ = 0;
};

std::vector<std::string> modelFolders(const Options &options) {
  if (!options.models.empty())
    return options.models;
  std::vector<std::string> folders;
  for (const char *name : kDefaultModels)
    if (const std::string folder = std::string(AVOCET_SHARED_DATA) + "/models/" + name; std::filesystem::exists(folder))
      folders.push_back(folder);
  return folders;
}

void measure(const Options &options) {
  printOut("{:<26} {:>8} {:>10} {:^29} {:^29}\n", "", "urgent", "low job", "wait (us of the device)",
           "call (us of the host)");
  printOut("{:<26} {:>8} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>6}\n", "beside", "priority", "us", "p50",
           "p99", "worst", "p50", "p99", "worst", "runs", "right");
  Bench bench(options);
  bench.measureAlone();
  for (const std::string &folder : modelFolders(options)) {
    const std::vector<uint8_t> file = need(readFile(folder + "/model.tflite"));
    bench.measureBeside(std::filesystem::path(folder).filename(), need(golden::tfliteToHal(file)));
  }
}

} // namespace
} // namespace avocet::hal::bench

static int runMain(int argc, char **argv) {
  using namespace avocet::hal::bench;
  Options options;
  avocet::CommandLine app("Latency of a high-priority client beside a saturating low-priority one");
  app.addTexts("--model", options.models, "folder with model.tflite; repeatable; default: five of the shared models");
  avocet::addNumber(app, "--samples", options.samples, "urgent runs for each row", 1, 1'000'000);
  app.addText("--target", options.target, "device").showDefault();
  return avocet::runProgram(app, argc, argv, [&] {
    measure(options);
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
