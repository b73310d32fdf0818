//===- Workloads.cpp - Reference work of a calibration --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workloads.h"

#include "NetworkBuilder.h"

#include "avocet/hal/types/Utils.h"

namespace avocet::tool {
namespace {

using namespace hal;
using enum OperandType;
using Shape = NetworkBuilder::Shape;

void classify(NetworkBuilder &network) {
  uint32_t x = network.convolve(network.input({1, 96, 96, 3}), 16, {3, 3}, 2);
  x = network.separable(x, 32, 1);
  x = network.separable(x, 64, 2);
  x = network.separable(x, 64, 1);
  x = network.separable(x, 128, 2);
  x = network.separable(x, 128, 1);
  network.output(network.connect(network.averageAll(x), 100));
}

void detect(NetworkBuilder &network) {
  const uint32_t fine = network.input({1, 32, 32, 32});
  const uint32_t coarse = network.separable(network.convolve(fine, 64, {3, 3}, 2), 64, 1);
  for (const uint32_t x : {fine, coarse})
    network.output(network.join(network.convolve(x, 12, {3, 3}, 1), network.convolve(x, 24, {1, 1}, 1)));
}

void spotKeywords(NetworkBuilder &network) {
  uint32_t x = network.convolve(network.input({1, 49, 10, 1}), 64, {10, 4}, 2);
  for (int i = 0; i < 4; ++i)
    x = network.separable(x, 64, 1);
  network.output(network.connect(network.averageAll(x), 12));
}

void recognizeSpeech(NetworkBuilder &network) {
  uint32_t x = network.input({4, 320});
  for (int i = 0; i < 3; ++i)
    x = network.connect(x, 512);
  network.output(network.connect(x, 128));
}

void recur(NetworkBuilder &network) { network.output(network.lstm(network.input({8, 1, 64}), 96)); }

void readText(NetworkBuilder &network) {
  const uint32_t words = network.lookUp(1000, 64, 16);
  network.output(network.connect(network.connect(words, 256), 64));
}

struct Kind {
  const char *name;
  void (*build)(NetworkBuilder &network);
  bool hasIntegers; ///< whether NNAPI has it for 8-bit types
};

constexpr Kind kKinds[] = {
    {"classification of 96x96 pixels", classify, true}, {"detection in 32x32x32", detect, true},
    {"keywords in 49x10", spotKeywords, true},          {"acoustic model, 4 frames", recognizeSpeech, true},
    {"LSTM of 96 cells, 8 steps", recur, false},        {"text of 16 words", readText, false},
};

void addNetworks(std::vector<Workload> &all, const std::string &figure, OperandType type, bool isPerChannel = false) {
  for (const Kind &kind : kKinds)
    if (!isQuantized(type) || kind.hasIntegers) {
      Workload &work = all.emplace_back(Workload{figure, kind.name, type, {}, {}});
      NetworkBuilder network(work.model, work.model.main, work.loops, type, isPerChannel);
      kind.build(network);
    }
}

void addRelaxed(std::vector<Workload> &all) {
  const size_t first = all.size();
  addNetworks(all, "RELAXED_TENSOR_FLOAT32", TensorFloat32);
  for (size_t i = first; i < all.size(); ++i)
    all[i].model.relaxComputationFloat32toFloat16 = true;
}

/// An operation of a type with which networks compute little. If no arithmetic of NNAPI has operands of the type alone,
/// a conversion shows what moving them costs.
Workload single(OperandType type, OperationType operation, OperandType result) {
  const Shape shape = {1, 1, 1024, 16};
  Workload work{
      std::string(toString(type)), std::string(operationName(operation)) + " of 16384 elements", result, {}, {}};
  NetworkBuilder network(work.model, work.model.main, work.loops, type);
  const uint32_t x = network.input(shape);
  if (operation == OperationType::Add)
    network.output(network.sum(x, network.input(shape)));
  else if (operation == OperationType::LogicalAnd)
    network.output(network.elementwise(operation, {x, network.input(shape)}));
  else
    network.output(network.convert(operation, x, result));
  return work;
}

/// x + x or RELU(x), as a flag says. The loops do the work of one.
Workload branch() {
  Workload work{"IF", "IF of 1024 elements", TensorFloat32, {}, {}};
  work.model.referenced.resize(2);
  const Shape shape = {1, 1024};
  PlainLoops other;
  NetworkBuilder sum(work.model, work.model.referenced[0], work.loops, work.type);
  const uint32_t x = sum.input(shape);
  sum.output(sum.sum(x, x));
  NetworkBuilder relu(work.model, work.model.referenced[1], other, work.type);
  relu.output(relu.elementwise(OperationType::Relu, {relu.input(shape)}));
  NetworkBuilder network(work.model, work.model.main, other, work.type);
  const uint32_t flag = network.input(TensorBool8, {1});
  network.output(network.controlFlow(OperationType::If, {0, 1}, {flag, network.input(shape)}, shape));
  return work;
}

/// while x[0] < 8: x + 1
Workload loop() {
  constexpr int kTimes = 8;
  Workload work{"WHILE", "WHILE of 8 iterations of 1024 elements", TensorFloat32, {}, {}};
  work.model.referenced.resize(2);
  const Shape shape = {1, 1024};
  PlainLoops other;
  NetworkBuilder condition(work.model, work.model.referenced[0], other, work.type);
  condition.output(condition.isLess(condition.first(condition.input(shape)), condition.constant(kTimes)));
  NetworkBuilder body(work.model, work.model.referenced[1], other, work.type);
  body.output(body.sum(body.input(shape), body.constant(1)));
  NetworkBuilder network(work.model, work.model.main, other, work.type);
  network.output(network.controlFlow(OperationType::While, {0, 1}, {network.input(shape)}, shape));
  for (int i = 0; i < kTimes; ++i)
    work.loops.add(shape[1]);
  return work;
}

} // namespace

std::vector<Workload> referenceWorkloads() {
  std::vector<Workload> all;
  for (const OperandType type : {TensorFloat32, TensorFloat16, TensorQuant8Asymm, TensorQuant8AsymmSigned})
    addNetworks(all, std::string(toString(type)), type);
  addNetworks(all, "TENSOR_QUANT8_SYMM_PER_CHANNEL", TensorQuant8Asymm, /*isPerChannel=*/true);
  addRelaxed(all);
  all.push_back(single(TensorInt32, OperationType::Add, TensorInt32));
  all.push_back(single(TensorBool8, OperationType::LogicalAnd, TensorBool8));
  all.push_back(single(TensorQuant8Symm, OperationType::Dequantize, TensorFloat32));
  for (const OperandType type : {TensorQuant16Symm, TensorQuant16Asymm})
    all.push_back(single(type, OperationType::Cast, type));
  all.push_back(branch());
  all.push_back(loop());
  return all;
}

} // namespace avocet::tool
