//===- Workloads.cpp - Reference work of a calibration --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workloads.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <cstring>

namespace avocet::tool {
namespace {

using namespace hal;
using enum OperandType;
using Shape = std::vector<uint32_t>;

/// The element type of a network, and the form of its filters.
struct Form {
  OperandType type = TensorFloat32;
  bool isPerChannel = false;
};

/// A graph that grows by one operation after the other; all weights are 0.
class Network {
public:
  Network(Model &model, hal::Subgraph &graph, Form form) : model_(model), graph_(graph), form_(form) {}

  uint32_t input(const Shape &shape) { return input(form_.type, shape); }
  uint32_t input(OperandType type, const Shape &shape) {
    graph_.inputIndexes.push_back(add(tensorOf(type, shape, OperandLifeTime::SubgraphInput)));
    return graph_.inputIndexes.back();
  }
  void output(uint32_t operand) {
    graph_.operands[operand].lifetime = OperandLifeTime::SubgraphOutput;
    graph_.outputIndexes.push_back(operand);
  }

  /// "Same" padding, RELU6.
  uint32_t convolve(uint32_t x, uint32_t channels, Shape window, int32_t stride) {
    const Shape in = shapeOf(x);
    const uint32_t filter = weights({channels, window[0], window[1], in[3]}, 0);
    return operation(OperationType::Conv2d,
                     {x, filter, bias(channels, filter), scalar(1), scalar(stride), scalar(stride), scalar(3)},
                     strided(in, channels, stride));
  }
  uint32_t convolveDepthwise(uint32_t x, int32_t stride) {
    const Shape in = shapeOf(x);
    const uint32_t filter = weights({1, 3, 3, in[3]}, 3);
    return operation(OperationType::DepthwiseConv2d,
                     {x, filter, bias(in[3], filter), scalar(1), scalar(stride), scalar(stride), scalar(1), scalar(3)},
                     strided(in, in[3], stride));
  }
  uint32_t separable(uint32_t x, uint32_t channels, int32_t stride) {
    return convolve(convolveDepthwise(x, stride), channels, {1, 1}, 1);
  }
  uint32_t averageAll(uint32_t x) {
    const Shape in = shapeOf(x);
    return operation(OperationType::AveragePool2d,
                     {x, scalar(2), scalar(1), scalar(1), scalar(int32_t(in[2])), scalar(int32_t(in[1])), scalar(0)},
                     {in[0], 1, 1, in[3]}, scaleOf(x));
  }
  uint32_t connect(uint32_t x, uint32_t units) {
    const Shape in = shapeOf(x);
    const uint32_t size = in.size() == 2 ? in[1] : in[1] * in[2] * in[3];
    const uint32_t filter = add(constantOf(form_.type, {units, size}));
    return operation(OperationType::FullyConnected, {x, filter, bias(units, filter), scalar(0)}, {in[0], units});
  }
  uint32_t join(uint32_t a, uint32_t b) {
    Shape shape = shapeOf(a);
    shape.back() += shapeOf(b).back();
    return operation(OperationType::Concatenation, {a, b, scalar(int32_t(shape.size()) - 1)}, shape, scaleOf(a));
  }
  uint32_t sum(uint32_t a, uint32_t b) { return operation(OperationType::Add, {a, b, scalar(0)}, shapeOf(a)); }
  uint32_t unary(OperationType type, uint32_t x) { return operation(type, {x}, shapeOf(x)); }
  uint32_t isLess(uint32_t a, uint32_t b) {
    return add(OperationType::Less, {a, b}, tensorOf(TensorBool8, shapeOf(a), OperandLifeTime::TemporaryVariable));
  }
  uint32_t lookUp(uint32_t rows, uint32_t width, uint32_t count) {
    const uint32_t indices = input(TensorInt32, {count});
    return operation(OperationType::EmbeddingLookup, {indices, weights({rows, width}, 0)}, {count, width});
  }
  uint32_t lstm(uint32_t x, uint32_t units);
  uint32_t convert(OperationType type, OperandType from, OperandType to, const Shape &shape) {
    return add(type, {input(from, shape)}, tensorOf(to, shape, OperandLifeTime::TemporaryVariable));
  }
  uint32_t operation(OperationType type, std::vector<uint32_t> inputs, const Shape &shape, float scale = kScale) {
    Operand result = tensorOf(form_.type, shape, OperandLifeTime::TemporaryVariable);
    result.scale *= scale / kScale;
    return add(type, std::move(inputs), std::move(result));
  }
  /// Of one float32.
  uint32_t constant(float value) {
    Operand operand = constantOf(TensorFloat32, {1});
    std::memcpy(&model_.operandValues[operand.location.offset], &value, sizeof(value));
    return add(std::move(operand));
  }
  uint32_t scalar(int32_t value) {
    Operand operand = constantOf(Int32, {});
    std::memcpy(&model_.operandValues[operand.location.offset], &value, sizeof(value));
    return add(std::move(operand));
  }
  uint32_t subgraph(uint32_t index) {
    Operand operand;
    operand.type = OperandType::Subgraph;
    operand.lifetime = OperandLifeTime::Subgraph;
    operand.location.offset = index;
    return add(std::move(operand));
  }

private:
  static constexpr float kScale = 1.0F / 16;

  uint32_t add(Operand operand) {
    graph_.operands.push_back(std::move(operand));
    return static_cast<uint32_t>(graph_.operands.size() - 1);
  }
  uint32_t add(OperationType type, std::vector<uint32_t> inputs, Operand result) {
    const uint32_t output = add(std::move(result));
    graph_.operations.push_back({type, std::move(inputs), {output}});
    return output;
  }
  Shape shapeOf(uint32_t operand) const { return graph_.operands[operand].dimensions; }
  float scaleOf(uint32_t operand) const {
    const float scale = graph_.operands[operand].scale;
    return scale == 0 ? kScale : scale;
  }
  static Shape strided(const Shape &in, uint32_t channels, int32_t stride) {
    const auto step = static_cast<uint32_t>(stride);
    return {in[0], (in[1] + step - 1) / step, (in[2] + step - 1) / step, channels};
  }
  static Operand tensorOf(OperandType type, Shape shape, OperandLifeTime lifetime) {
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(shape);
    operand.lifetime = lifetime;
    if (const OperandTypeInfo *info = findOperandType(type); info != nullptr && info->scale == ScaleRule::Required)
      operand.scale = kScale;
    return operand;
  }
  /// Zeros.
  Operand constantOf(OperandType type, const Shape &shape) {
    Operand operand = tensorOf(type, shape, OperandLifeTime::ConstantCopy);
    const uint64_t bytes = getNonExtensionSize(operand).value_or(0);
    model_.operandValues.resize((model_.operandValues.size() + 3) / 4 * 4);
    operand.location = {0, model_.operandValues.size(), bytes, 0};
    model_.operandValues.resize(model_.operandValues.size() + bytes);
    return operand;
  }
  uint32_t weights(const Shape &shape, uint32_t channelAxis) {
    if (!form_.isPerChannel)
      return add(constantOf(form_.type, shape));
    Operand filter = constantOf(TensorQuant8SymmPerChannel, shape);
    filter.scale = 0;
    filter.extraParams = SymmPerChannelQuantParams{std::vector<float>(shape[channelAxis], kScale), channelAxis};
    return add(std::move(filter));
  }
  uint32_t bias(uint32_t channels, uint32_t filter) {
    Operand operand = constantOf(isQuantized(form_.type) ? TensorInt32 : form_.type, {channels});
    const bool hasScale = isQuantized(form_.type) && graph_.operands[filter].scale != 0;
    operand.scale = hasScale ? kScale * kScale : 0.0F;
    return add(std::move(operand));
  }

  Model &model_;
  hal::Subgraph &graph_;
  const Form form_;
};

/// UNIDIRECTIONAL_SEQUENCE_LSTM without options, over all times.
uint32_t Network::lstm(uint32_t x, uint32_t units) {
  const Shape in = shapeOf(x); // times, batch, features
  std::vector<uint32_t> inputs = {x};
  const auto omit = [&] {
    Operand operand = tensorOf(form_.type, {}, OperandLifeTime::NoValue);
    inputs.push_back(add(std::move(operand)));
  };
  for (int i = 0; i < 4; ++i)
    inputs.push_back(weights({units, in[2]}, 0));
  for (int i = 0; i < 4; ++i)
    inputs.push_back(weights({units, units}, 0));
  for (int i = 0; i < 3; ++i)
    omit(); // no peephole
  for (int i = 0; i < 4; ++i)
    inputs.push_back(bias(units, inputs[1]));
  omit(); // no projection
  omit();
  inputs.push_back(input({in[1], units}));
  inputs.push_back(input({in[1], units}));
  inputs.push_back(scalar(4)); // TANH
  for (int i = 0; i < 2; ++i) {
    Operand clip = constantOf(form_.type == TensorFloat16 ? Float16 : Float32, {});
    inputs.push_back(add(std::move(clip)));
  }
  Operand isTimeMajor = constantOf(Bool, {});
  model_.operandValues[isTimeMajor.location.offset] = 1;
  inputs.push_back(add(std::move(isTimeMajor)));
  for (int i = 0; i < 4; ++i)
    omit(); // no layer normalization
  return operation(OperationType::UnidirectionalSequenceLstm, std::move(inputs), {in[0], in[1], units});
}

using Build = void (*)(Network &network);

void classify(Network &network) {
  uint32_t x = network.convolve(network.input({1, 96, 96, 3}), 16, {3, 3}, 2);
  x = network.separable(x, 32, 1);
  x = network.separable(x, 64, 2);
  x = network.separable(x, 64, 1);
  x = network.separable(x, 128, 2);
  x = network.separable(x, 128, 1);
  network.output(network.connect(network.averageAll(x), 100));
}

void detect(Network &network) {
  uint32_t fine = network.input({1, 32, 32, 32});
  uint32_t coarse = network.convolve(fine, 64, {3, 3}, 2);
  coarse = network.separable(coarse, 64, 1);
  fine = network.join(network.convolve(fine, 12, {3, 3}, 1), network.convolve(fine, 24, {1, 1}, 1));
  network.output(fine);
  network.output(network.join(network.convolve(coarse, 12, {3, 3}, 1), network.convolve(coarse, 24, {1, 1}, 1)));
}

void spotKeywords(Network &network) {
  uint32_t x = network.convolve(network.input({1, 49, 10, 1}), 64, {10, 4}, 2);
  for (int i = 0; i < 4; ++i)
    x = network.separable(x, 64, 1);
  network.output(network.connect(network.averageAll(x), 12));
}

void recognizeSpeech(Network &network) {
  uint32_t x = network.input({4, 320});
  for (int i = 0; i < 3; ++i)
    x = network.connect(x, 512);
  network.output(network.connect(x, 128));
}

void recur(Network &network) { network.output(network.lstm(network.input({8, 1, 64}), 96)); }

void readText(Network &network) {
  uint32_t x = network.lookUp(1000, 64, 16);
  x = network.connect(network.connect(x, 256), 64);
  network.output(x);
}

struct Kind {
  const char *name;
  Build build;
  bool isForFloat, isForIntegers;
};

constexpr Kind kKinds[] = {
    {"classification of 96x96 pixels", classify, true, true}, {"detection in 32x32x32", detect, true, true},
    {"keywords in 49x10", spotKeywords, true, true},          {"acoustic model, 4 frames", recognizeSpeech, true, true},
    {"LSTM of 96 cells, 8 steps", recur, true, false},        {"text of 16 words", readText, true, false},
};

Model modelOf(Form form, Build build) {
  Model model;
  Network network(model, model.main, form);
  build(network);
  return model;
}

void addNetworks(std::vector<Workload> &all, const std::string &figure, Form form, bool isRelaxed = false) {
  for (const Kind &kind : kKinds)
    if (isQuantized(form.type) ? kind.isForIntegers : kind.isForFloat) {
      all.push_back({figure, kind.name, modelOf(form, kind.build)});
      all.back().model.relaxComputationFloat32toFloat16 = isRelaxed;
    }
}

constexpr uint32_t kRows = 1024, kColumns = 16;
const Shape kElements = {1, 1, kRows, kColumns};

/// An operation of two operands for types with which networks compute little.
Workload elementwise(OperandType type, OperationType operation) {
  Model model;
  Network network(model, model.main, {type});
  std::vector<uint32_t> inputs = {network.input(kElements), network.input(kElements)};
  if (operation == OperationType::Add)
    inputs.push_back(network.scalar(0));
  network.output(network.operation(operation, std::move(inputs), kElements));
  return {std::string(toString(type)), std::string(operationName(operation)) + " of 16384 elements", std::move(model)};
}

/// No arithmetic of NNAPI has operands of this type alone: a conversion shows what moving them costs.
Workload conversion(OperandType from, OperandType to, OperationType operation) {
  Model model;
  Network network(model, model.main, {from});
  network.output(network.convert(operation, from, to, kElements));
  return {std::string(toString(from)), std::string(operationName(operation)) + " of 16384 elements", std::move(model)};
}

/// x + x or RELU(x), as a flag says.
Workload branch() {
  Workload work{"IF", "IF of 1024 elements", {}};
  work.model.referenced.resize(2);
  const Shape shape = {1, 1024};
  for (size_t i = 0; i < 2; ++i) {
    Network network(work.model, work.model.referenced[i], {});
    const uint32_t x = network.input(shape);
    network.output(i == 0 ? network.sum(x, x) : network.unary(OperationType::Relu, x));
  }
  Network network(work.model, work.model.main, {});
  const uint32_t flag = network.input(TensorBool8, {1}), x = network.input(shape);
  network.output(network.operation(OperationType::If, {flag, network.subgraph(0), network.subgraph(1), x}, shape));
  return work;
}

/// while i < 8: i + 1
Workload loop() {
  Workload work{"WHILE", "WHILE of 8 iterations", {}};
  work.model.referenced.resize(2);
  const Shape shape = {1};
  Network condition(work.model, work.model.referenced[0], {});
  condition.output(condition.isLess(condition.input(shape), condition.constant(8)));
  Network body(work.model, work.model.referenced[1], {});
  body.output(body.sum(body.input(shape), body.constant(1)));
  Network network(work.model, work.model.main, {});
  network.output(
      network.operation(OperationType::While, {network.subgraph(0), network.subgraph(1), network.input(shape)}, shape));
  return work;
}

} // namespace

std::vector<Workload> referenceWorkloads() {
  std::vector<Workload> all;
  for (const OperandType type : {TensorFloat32, TensorFloat16, TensorQuant8Asymm, TensorQuant8AsymmSigned})
    addNetworks(all, std::string(toString(type)), {type});
  addNetworks(all, "TENSOR_QUANT8_SYMM_PER_CHANNEL", {TensorQuant8Asymm, /*isPerChannel=*/true});
  addNetworks(all, "RELAXED_TENSOR_FLOAT32", {TensorFloat32}, /*isRelaxed=*/true);
  all.push_back(elementwise(TensorInt32, OperationType::Add));
  all.push_back(elementwise(TensorBool8, OperationType::LogicalAnd));
  all.push_back(conversion(TensorQuant8Symm, TensorFloat32, OperationType::Dequantize));
  for (const OperandType type : {TensorQuant16Symm, TensorQuant16Asymm})
    all.push_back(conversion(type, type, OperationType::Cast));
  all.push_back(branch());
  all.push_back(loop());
  return all;
}

} // namespace avocet::tool
