//===- KernelBench.cpp - Host time of the kernels -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times each convolution of MobileNet v2 1.0 224 int8 in tiles of eight output rows, and the whole network, on one
// core. Where XNNPACK is installed, both run alternately, so that the ratio is taken in one run under the same load:
// "peer_ms" is its time, "ratio" ours over its. The outputs are compared once.
//
//===----------------------------------------------------------------------===//

#include "ConvLayer.h"
#include "Peer.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace avocet::bench {
namespace {

constexpr uint32_t kTileRows = 8;

/// CPU time of this thread: other processes of the machine disturb it least.
double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double secondsOf(auto &&work) {
  double begin = threadSeconds();
  work();
  return threadSeconds() - begin;
}

/// Some layers with their peers.
class Workload {
public:
  Workload(const std::vector<ConvShape> &shapes, const std::shared_ptr<const firmware::Target> &target) {
    for (const ConvShape &shape : shapes) {
      layers_.push_back(std::make_unique<ConvLayer>(shape, kTileRows, target));
      peers_.push_back(makePeerLayer(*layers_.back()));
      macs_ += shape.macs();
    }
  }

  void run() {
    for (auto &layer : layers_)
      layer->run();
  }

  bool hasPeer() const { return peers_.front() != nullptr; }

  void runPeer() {
    for (auto &peer : peers_)
      peer->run();
  }

  /// Largest difference of any output: both round differently, so at most 1.
  int largestDifference() const {
    int largest = 0;
    for (size_t i = 0; i < layers_.size(); ++i)
      for (size_t j = 0; j < peers_[i]->output().size(); ++j)
        largest = std::max(largest, std::abs(layers_[i]->output()[j] - peers_[i]->output()[j]));
    return largest;
  }

  uint64_t macs() const { return macs_; }

private:
  std::vector<std::unique_ptr<ConvLayer>> layers_;
  std::vector<std::unique_ptr<PeerLayer>> peers_;
  uint64_t macs_ = 0;
};

void measure(benchmark::State &state, const std::vector<ConvShape> &shapes,
             const std::shared_ptr<const firmware::Target> &target) {
  Workload workload(shapes, target);
  double own = 0, peer = 0;
  workload.run();
  if (workload.hasPeer()) {
    workload.runPeer();
    if (workload.largestDifference() > 1)
      return state.SkipWithError("outputs differ by more than rounding");
  }
  for (auto _ : state) {
    double seconds = secondsOf([&] { workload.run(); });
    own += seconds;
    state.SetIterationTime(seconds);
    if (workload.hasPeer())
      peer += secondsOf([&] { workload.runPeer(); });
  }
  auto iterations = static_cast<double>(state.iterations());
  state.counters["GMAC/s"] = static_cast<double>(workload.macs()) * iterations / own / 1e9;
  if (!workload.hasPeer())
    return;
  state.counters["peer_ms"] = peer / iterations * 1e3;
  state.counters["ratio"] = own / peer;
}

void registerBenchmark(const std::string &name, const std::vector<ConvShape> &shapes,
                       const std::shared_ptr<const firmware::Target> &target) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [shapes, target](benchmark::State &state) { measure(state, shapes, target); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace
} // namespace avocet::bench

static int runMain(int argc, char **argv) {
  avocet::prepareStandardStreams();
  auto target = avocet::firmware::Target::load("e256");
  if (!target.isOk()) {
    avocet::printErr("{}\n", target.status().toString());
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  std::vector<avocet::bench::ConvShape> layers = avocet::bench::mobileNetV2();
  avocet::bench::registerBenchmark("network", layers, *target);
  for (const avocet::bench::ConvShape &layer : layers)
    avocet::bench::registerBenchmark(layer.name, {layer}, *target);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return avocet::finishStandardOutput().isOk() ? 0 : 1;
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
