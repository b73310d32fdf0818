//===- DomainsBench.cpp - Cost of passing a state tensor on ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   domainsBench [--rounds N] [--target NAME]
//
// A model whose output is its next input, 4 KB to 4 MB of it. Each step passes the state on in one of four ways:
//
//   device     two buffers of the driver alternate as input and output; the host does not access their bytes
//   pools      two of the caller's pools alternate, for a caller that needs the state only for the next step
//   copied     one pool for inputs, one for outputs: the caller copies the state back after each step
//   through    device buffers, but the state goes through a pool after each step: copyTo(), copyFrom()
//
// It also prints the time of the execution alone and the machine's least time to copy as many bytes.
//
//===----------------------------------------------------------------------===//

#include "BenchSupport.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/driver/Driver.h"

#include <cstring>
#include <functional>
#include <limits>

namespace avocet::hal::bench {
namespace {

struct Options {
  std::string target = "e256";
  int rounds = 5;
};

/// The smallest model with a state: RELU of bytes / 1024 rows of 32 x 32 bytes.
Model stateModel(uint64_t bytes) {
  Model model;
  Operand state;
  state.type = OperandType::TensorQuant8Asymm;
  state.dimensions = {1, static_cast<uint32_t>(bytes / 1024), 32, 32};
  state.scale = 1;
  state.lifetime = OperandLifeTime::SubgraphInput;
  Operand next = state;
  next.lifetime = OperandLifeTime::SubgraphOutput;
  model.main.operands = {state, next};
  model.main.operations = {{hal::OperationType::Relu, {0}, {1}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {1};
  return model;
}

RequestArgument whole(uint32_t pool, uint64_t length) { return {false, {pool, 0, length, 0}, {}}; }

/// The ways to pass the state on, through one model.
class State {
public:
  State(Driver &driver, IDevice &device, uint64_t bytes)
      : driver_(driver), bytes_(bytes), first_(bytes), second_(bytes),
        model_(need(device.prepareModel(stateModel(bytes), {}))) {
    const std::vector<BufferRole> role = {{model_, 0, 1}};
    for (auto &buffer : buffers_)
      buffer = need(device.allocate({}, role, role));
    (void)need(buffers_[0]->copyFrom(first_.memory(), {}));
  }

  void stepInBuffers() {
    Request request;
    request.inputs = {whole(0, 0)};
    request.outputs = {whole(1, 0)};
    request.pools = {buffers_[turn_]->token(), buffers_[1 - turn_]->token()};
    needOk(model_->execute(request, {}));
    turn_ = 1 - turn_;
  }
  void stepThroughPool() {
    stepInBuffers();
    (void)need(buffers_[turn_]->copyTo(first_.memory()));
    (void)need(buffers_[turn_]->copyFrom(first_.memory(), {}));
  }
  void stepInPools() {
    run(turn_ == 0 ? first_ : second_, turn_ == 0 ? second_ : first_);
    turn_ = 1 - turn_;
  }
  void stepCopied() {
    run(first_, second_);
    std::memcpy(first_.bytes().data(), second_.bytes().data(), bytes_);
  }
  void runAlone() { run(first_, second_); }
  void copyAlone() { std::memcpy(first_.bytes().data(), second_.bytes().data(), bytes_); }

  uint64_t hostBytesCopied() const { return driver_.counters().hostBytesCopied; }

private:
  void run(BenchPool &input, BenchPool &output) {
    Request request;
    request.inputs = {whole(0, bytes_)};
    request.outputs = {whole(1, bytes_)};
    request.pools = {input.memory(), output.memory()};
    needOk(model_->execute(request, {}));
  }

  Driver &driver_;
  uint64_t bytes_;
  BenchPool first_, second_;
  std::shared_ptr<IPreparedModel> model_;
  std::shared_ptr<IBuffer> buffers_[2];
  int turn_ = 0;
};

struct Cost {
  double microseconds = std::numeric_limits<double>::max(); ///< of one step, in the best round
  double copied = 0;                                        ///< bytes that the driver copied in one step
};

Cost costOf(State &state, int rounds, int steps, const std::function<void()> &step) {
  Cost cost;
  step();
  for (int round = 0; round < rounds; ++round) {
    const uint64_t before = state.hostBytesCopied();
    const auto start = Clock::now();
    for (int i = 0; i < steps; ++i)
      step();
    cost.microseconds = std::min(cost.microseconds, microsecondsSince(start) / steps);
    cost.copied = static_cast<double>(state.hostBytesCopied() - before) / steps;
  }
  return cost;
}

void measure(Driver &driver, IDevice &device, uint64_t bytes, const Options &options) {
  State state(driver, device, bytes);
  const int steps = static_cast<int>(std::max<uint64_t>(3, (uint64_t(1) << 22) / bytes));
  const Cost alone = costOf(state, options.rounds, steps, [&] { state.runAlone(); });
  const Cost copy = costOf(state, options.rounds, steps, [&] { state.copyAlone(); });
  auto print = [&](const char *name, const Cost &cost) {
    printOut("{:>9} {:<9} {:>11.1f} {:>13.2f}x {:>16.0f} {:>13.1f}\n", bytes, name, cost.microseconds,
             cost.microseconds / alone.microseconds, cost.copied, copy.microseconds);
  };
  print("device", costOf(state, options.rounds, steps, [&] { state.stepInBuffers(); }));
  print("pools", costOf(state, options.rounds, steps, [&] { state.stepInPools(); }));
  print("copied", costOf(state, options.rounds, steps, [&] { state.stepCopied(); }));
  print("through", costOf(state, options.rounds, steps, [&] { state.stepThroughPool(); }));
}

} // namespace
} // namespace avocet::hal::bench

static int runMain(int argc, char **argv) {
  using namespace avocet::hal;
  using namespace avocet::hal::bench;
  Options options;
  avocet::CommandLine app("Cost of passing a state tensor from one execution to the next");
  avocet::addNumber(app, "--rounds", options.rounds, "measurements; the shortest one is reported", 1, 100'000)
      .showDefault();
  app.addText("--target", options.target, "device").showDefault();
  return avocet::runProgram(app, argc, argv, [&] {
    DriverOptions settings;
    settings.target = options.target;
    std::shared_ptr<Driver> driver = need(Driver::open(settings));
    std::shared_ptr<IDevice> device = need(driver->connect({}));
    avocet::printOut("{:>9} {:<9} {:>11} {:>14} {:>16} {:>13}\n", "bytes", "way", "us per step", "of execution",
                     "driver copies", "memcpy alone");
    for (uint64_t bytes : {uint64_t(4) << 10, uint64_t(256) << 10, uint64_t(4) << 20})
      measure(*driver, *device, bytes, options);
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
