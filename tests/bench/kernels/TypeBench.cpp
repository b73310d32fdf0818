//===- TypeBench.cpp - Host time of the kernels by element type -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times kernels on f16 and i16 beside the same command on f32 and i8: "ratio" is the time over that of the other type,
// measured alternately in one run. "limit" is the time over what the machine needs at least: copying the bytes of all
// operands within its caches, for convolutions the products at the rate of the f32 or i8 form. An argument selects the
// rows whose name contains it.
//
//===----------------------------------------------------------------------===//

#include "TypeCommands.h"

#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/kernels/Kernel.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string_view>

namespace avocet::bench {
namespace {

using firmware::DataType;

double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The shortest of some calls, each at least a tenth of a millisecond long.
class Stopwatch {
public:
  template <typename F> void time(F &&work) {
    const double begin = threadSeconds();
    double end = begin;
    uint32_t calls = 0;
    for (; end - begin < 1e-4; end = threadSeconds(), ++calls)
      work();
    best_ = std::min(best_, (end - begin) / calls);
  }
  double seconds() const { return best_; }

private:
  double best_ = 1e9;
};

class Runner {
public:
  Runner(const firmware::Target &target, const TypeCase &test, DataType type)
      : target_(target), command_(test.make(memory_, type)), kernel_(*kernels::findKernel(command_)) {
    const Status status = kernel_.check(target, command_);
    if (!status.isOk())
      printErr("{} of {}: {}\n", test.name, firmware::toString(type), status.toString());
    legal_ = status.isOk();
  }
  bool isLegal() const { return legal_; }
  void run() { kernel_.run(target_, command_, memory_.bytes()); }
  void copy() {
    const size_t half = memory_.used() / 2;
    std::memcpy(memory_.bytes().data() + half, memory_.bytes().data(), half);
  }

private:
  const firmware::Target &target_;
  BenchMemory memory_;
  firmware::CommandBody command_;
  const kernels::Kernel &kernel_;
  bool legal_ = false;
};

void measure(const firmware::Target &target, const TypeCase &test, DataType type, DataType other) {
  Runner own(target, test, type), peer(target, test, other), copied(target, test, type);
  if (!own.isLegal() || !peer.isLegal())
    return;
  Stopwatch ownTime, peerTime, copyTime;
  for (int round = 0; round < 20; ++round) {
    ownTime.time([&] { own.run(); });
    peerTime.time([&] { peer.run(); });
    copyTime.time([&] { copied.copy(); });
  }
  const double seconds = ownTime.seconds(), limit = test.products > 0 ? peerTime.seconds() : copyTime.seconds();
  const double units = test.products > 0 ? test.products : test.elements;
  printOut("{:<22}{:>8}{:>14.3f}{:>10.2f}{:>10.2f}\n", test.name, firmware::toString(type), seconds / units * 1e9,
           seconds / peerTime.seconds(), seconds / limit);
}

int runMain(int argc, char **argv) {
  prepareStandardStreams();
  auto target = firmware::Target::load("e256");
  if (!target.isOk()) {
    printErr("{}\n", target.status().toString());
    return 1;
  }
  printOut("{:<22}{:>8}{:>14}{:>10}{:>10}\n", "kernel", "type", "ns/element", "ratio", "limit");
  const std::string_view filter = argc > 1 ? argv[1] : "";
  for (const TypeCase &test : typeCases()) {
    if (test.name.find(filter) == std::string::npos)
      continue;
    if (test.half)
      measure(**target, test, DataType::Float16, DataType::Float32);
    if (test.wide)
      measure(**target, test, DataType::Int16, DataType::Int8);
  }
  return finishStandardOutput().isOk() ? 0 : 1;
}

} // namespace
} // namespace avocet::bench

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, avocet::bench::runMain); }
