//===- SimulatorBench.cpp - Host time of simulated inferences -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   simulatorBench ARTEFACTS [--model MODEL.tflite --tflite FOLDER] [--rounds N] [--threads N...]
//
// One compiled network on simulated devices of all modes and in TensorFlow Lite, in turns in one process, so that
// ratios hold while the speed of the machine drifts. Prints one line for each way: its name, and the median and the
// shortest of the rounds in milliseconds. simulatorSpeed compiles networks and makes tables of that.
//
//===----------------------------------------------------------------------===//

#include "Peer.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/runtime/Job.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <vector>

namespace avocet::bench {
namespace {

using namespace runtime;

struct Settings {
  std::string artefacts, model, tflite;
  uint32_t rounds = 15;
  std::vector<uint32_t> threads = {2};
};

/// The network on a device of its own.
class Simulated {
public:
  static Result<std::unique_ptr<Simulated>> create(const cache::Artefacts &artefacts, BackendOptions options) {
    auto made = std::make_unique<Simulated>();
    AVOCET_ASSIGN_OR_RETURN(made->device_, Device::open("sim", options));
    AVOCET_ASSIGN_OR_RETURN(made->context_, Context::create(made->device_));
    AVOCET_ASSIGN_OR_RETURN(made->queue_, Queue::create(made->context_));
    AVOCET_ASSIGN_OR_RETURN(auto executable, Executable::load(made->context_, artefacts.model, *artefacts.data));
    AVOCET_ASSIGN_OR_RETURN(made->job_, Job::create(executable));
    AVOCET_RETURN_IF_ERROR(made->bind(*artefacts.model));
    return made;
  }

  Status run() const { return queue_->run(*job_); }
  uint64_t cycles() const { return job_->fence()->outcome().counters.cycles; }
  std::vector<uint8_t> results() const {
    std::vector<uint8_t> all;
    for (const auto &output : outputs_) {
      const std::span<const uint8_t> bytes = std::as_const(*output).bytes();
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

private:
  Status bind(const cache::ModelCache &model) {
    std::mt19937 random(1);
    for (size_t i = 0; i < model.numInputs(); ++i) {
      AVOCET_ASSIGN_OR_RETURN(auto buffer, Buffer::create(device_, model.input(i).bytes));
      for (uint8_t &byte : buffer->bytes())
        byte = static_cast<uint8_t>(random() & 0x3f); // floats and integers without special values
      AVOCET_ASSIGN_OR_RETURN(auto mapping, context_->map(buffer, Access::Read));
      AVOCET_RETURN_IF_ERROR(job_->bindInput(i, mapping));
    }
    for (size_t i = 0; i < model.numOutputs(); ++i) {
      AVOCET_ASSIGN_OR_RETURN(auto buffer, Buffer::create(device_, model.output(i).bytes));
      AVOCET_ASSIGN_OR_RETURN(auto mapping, context_->map(buffer, Access::Write));
      AVOCET_RETURN_IF_ERROR(job_->bindOutput(i, mapping));
      outputs_.push_back(std::move(buffer));
    }
    return Status::ok();
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Queue> queue_;
  std::unique_ptr<Job> job_;
  std::vector<std::shared_ptr<Buffer>> outputs_;
};

/// One way to compute the network.
struct Way {
  std::string name;
  std::function<Status()> run;
  std::vector<double> milliseconds = {};
};

/// The second of two inferences: the first one brings the data of this way back into the processor's caches.
Status measure(Way &way) {
  AVOCET_RETURN_IF_ERROR(way.run());
  const auto start = std::chrono::steady_clock::now();
  AVOCET_RETURN_IF_ERROR(way.run());
  const auto end = std::chrono::steady_clock::now();
  way.milliseconds.push_back(std::chrono::duration<double, std::milli>(end - start).count());
  return Status::ok();
}

Status measureAll(std::vector<Way> &ways, uint32_t rounds) {
  for (uint32_t round = 0; round < rounds; ++round)
    for (Way &way : ways)
      AVOCET_RETURN_IF_ERROR(measure(way));
  for (Way &way : ways) {
    std::ranges::sort(way.milliseconds);
    printOut("{}\t{:.3f}\t{:.3f}\n", way.name, way.milliseconds[way.milliseconds.size() / 2], way.milliseconds.front());
  }
  return Status::ok();
}

/// The devices, "both" first.
class Devices {
public:
  Status open(const Settings &settings) {
    AVOCET_ASSIGN_OR_RETURN(const cache::Artefacts artefacts, cache::readArtefacts(settings.artefacts));
    BackendOptions options;
    AVOCET_ASSIGN_OR_RETURN(options.target, firmware::Target::load(std::string(artefacts.model->targetName())));
    AVOCET_RETURN_IF_ERROR(add("both", artefacts, options));
    for (const uint32_t threads : settings.threads) {
      options.threads = threads;
      AVOCET_RETURN_IF_ERROR(add("both, " + std::to_string(threads) + " threads", artefacts, options));
    }
    options.threads = 1;
    options.timing = false;
    AVOCET_RETURN_IF_ERROR(add("functional", artefacts, options));
    options.timing = true;
    options.functional = false;
    return add("timing", artefacts, options);
  }

  void appendWays(std::vector<Way> &ways) const {
    for (const auto &[name, device] : devices_)
      ways.push_back({name, [&device] { return device->run(); }});
  }

  /// Threads and modes must change neither results nor cycles.
  Status compare() const {
    const Simulated &first = *devices_.front().second;
    for (const auto &[name, device] : devices_) {
      if (name != "functional" && device->cycles() != first.cycles())
        return {StatusCode::Internal, name + ": other cycles"};
      if (name != "timing" && device->results() != first.results())
        return {StatusCode::Internal, name + ": other results"};
    }
    return Status::ok();
  }

private:
  Status add(const std::string &name, const cache::Artefacts &artefacts, const BackendOptions &options) {
    AVOCET_ASSIGN_OR_RETURN(auto device, Simulated::create(artefacts, options));
    devices_.emplace_back(name, std::move(device));
    return Status::ok();
  }

  std::vector<std::pair<std::string, std::unique_ptr<Simulated>>> devices_;
};

Status run(const Settings &settings) {
  registerSimBackend();
  Devices devices;
  std::vector<Way> ways;
  AVOCET_RETURN_IF_ERROR(devices.open(settings));
  devices.appendWays(ways);
  application::TfliteApi api{};
  std::vector<Peer> peers;
  if (!settings.model.empty()) {
    AVOCET_ASSIGN_OR_RETURN(api, application::loadTflite(settings.tflite));
    for (const bool useXnnpack : {true, false}) {
      AVOCET_ASSIGN_OR_RETURN(Peer peer, Peer::create(api, settings.model, useXnnpack));
      peers.push_back(std::move(peer));
    }
    ways.push_back({"XNNPACK", [&peers] { return peers[0].run(); }});
    ways.push_back({"default kernels", [&peers] { return peers[1].run(); }});
  }
  AVOCET_RETURN_IF_ERROR(measureAll(ways, settings.rounds));
  return devices.compare();
}

} // namespace
} // namespace avocet::bench

static int runMain(int argc, char **argv) {
  using namespace avocet;
  bench::Settings settings;
  CommandLine line("Host time of simulated inferences, next to TensorFlow Lite on one core.", "simulatorBench");
  line.addText("artefacts", settings.artefacts, "Directory of artefacts").required();
  line.addText("--model", settings.model, "Their .tflite file, for TensorFlow Lite");
  line.addText("--tflite", settings.tflite, "Folder of libtensorflowlite_c.so");
  addNumber(line, "--rounds", settings.rounds, "Measured inferences of each way", 1, 100000);
  addNumber(line, "--threads", settings.threads, "Host threads of further devices", 1, 64);
  return runProgram(line, argc, argv, [&] { return bench::run(settings); });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
