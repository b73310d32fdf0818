//===- TypeCommands.cpp - The same command on several types ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypeCommands.h"

#include "NormalizeSamples.h"

#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/WideFunctions.h"
#include "avocet/kernels/dsp/Window.h"

#include <bit>
#include <cstring>
#include <optional>
#include <random>

namespace avocet::bench {

using namespace firmware;
using namespace kernels;

uint32_t BenchMemory::allocate(size_t bytes) {
  const size_t address = top_;
  top_ += (bytes + 63) / 64 * 64;
  return static_cast<uint32_t>(address);
}

FeatureMap BenchMemory::map(DataType type, uint32_t height, uint32_t width, uint32_t channels) {
  const uint64_t count = uint64_t(height) * width * channels;
  FeatureMap map{type, allocate(count * sizeOf(type)), height, width, channels, height, 0, 0, 0, 0};
  map.pixelStride = channels * sizeOf(type);
  map.rowStride = width * map.pixelStride;
  std::minstd_rand random(1);
  uint8_t *to = bytes().data() + map.address.offset;
  for (uint64_t i = 0; i < count; ++i) {
    const float real = static_cast<float>(random() % 65536) / 32768.0f - 1.0f;
    if (type == DataType::Float32)
      reinterpret_cast<float *>(to)[i] = real;
    else if (type == DataType::Float16)
      reinterpret_cast<_Float16 *>(to)[i] = static_cast<_Float16>(real);
    else
      for (uint32_t byte = 0; byte < sizeOf(type); ++byte)
        to[i * sizeOf(type) + byte] = static_cast<uint8_t>(random() >> 8);
  }
  return map;
}

namespace {

constexpr uint32_t kSize = 28, kChannels = 128;
constexpr double kElements = kSize * kSize * kChannels;
constexpr Rescale kHalfScale{1 << 30, 0};

/// No bound.
Clamp openClamp(DataType type) {
  if (!isFloat(type))
    return {};
  return {std::bit_cast<int32_t>(-1e30f), std::bit_cast<int32_t>(1e30f)};
}

using Words = std::function<std::vector<uint32_t>(DataType)>;

TypeCase caseOf(std::string name, double elements, std::function<CommandBody(BenchMemory &, DataType)> make) {
  TypeCase test;
  test.name = std::move(name);
  test.elements = elements;
  test.make = std::move(make);
  return test;
}

/// A kernel of the DSP with `inputs` operands and an output of one shape; `results`: the output's type, if it differs.
TypeCase dspCase(std::string name, KernelId kernel, uint32_t inputs, Words words,
                 std::optional<DataType> results = std::nullopt) {
  return caseOf(std::move(name), kElements, [=](BenchMemory &memory, DataType type) -> CommandBody {
    DspCommand command;
    command.kernel = kernel.number;
    for (uint32_t i = 0; i < inputs; ++i)
      command.inputs.push_back(memory.map(type, kSize, kSize, kChannels));
    command.outputs.push_back(memory.map(results.value_or(type), kSize, kSize, kChannels));
    command.parameters = words(type);
    return command;
  });
}

TypeCase halfOnly(TypeCase test) {
  test.wide = false;
  return test;
}

TypeCase wideOnly(TypeCase test) {
  test.half = false;
  return test;
}

TypeCase unaryCase(std::string name, UnaryFunction function) {
  return halfOnly(dspCase(std::move(name), kUnaryKernel, 1,
                          [=](DataType) { return packParameters(UnaryParameters{function, 0, 6}); }));
}

TypeCase binaryCase(std::string name, BinaryKind kind, std::optional<DataType> results = std::nullopt) {
  return dspCase(
      std::move(name), kBinaryKernel, 2,
      [=](DataType type) {
        BinaryParameters parameters;
        parameters.kind = kind;
        parameters.clamp = openClamp(type);
        parameters.rescaleA = parameters.rescaleB = parameters.rescaleOutput = kHalfScale;
        return packParameters(parameters);
      },
      results);
}

TypeCase eltwiseCase(std::string name, EltwiseKind kind) {
  return caseOf(std::move(name), kElements, [=](BenchMemory &memory, DataType type) -> CommandBody {
    EltwiseCommand command;
    command.kind = kind;
    command.inputA = memory.map(type, kSize, kSize, kChannels);
    command.inputB = memory.map(type, kSize, kSize, kChannels);
    command.output = memory.map(type, kSize, kSize, kChannels);
    command.rescaleA = command.rescaleB = command.rescaleOutput = kHalfScale;
    command.clamp = openClamp(type);
    return command;
  });
}

TypeCase poolCase(std::string name, PoolKind kind) {
  return caseOf(std::move(name), kElements / 4, [=](BenchMemory &memory, DataType type) -> CommandBody {
    PoolCommand command;
    command.kind = kind;
    command.input = memory.map(type, kSize, kSize, kChannels);
    command.output = memory.map(type, kSize / 2, kSize / 2, kChannels);
    command.window.kernelHeight = command.window.kernelWidth = 2;
    command.window.strideHeight = command.window.strideWidth = 2;
    command.clamp = openClamp(type);
    return command;
  });
}

OutputScaling scalingOf(DataType type) {
  if (isFloat(type))
    return OutputScaling::Float;
  return type == DataType::Int16 ? OutputScaling::RequantizeWide : OutputScaling::Requantize;
}

/// Weights of a convolution: filters, or the second factor of a matrix product, which has 16 bits if the first has.
enum class Weights { Filters, Factor };

/// Weights and records of a convolution whose maps and window are set.
void placeWeights(BenchMemory &memory, ConvCommand &command, Weights weights) {
  const DataType type = command.input.type;
  command.scaling = scalingOf(type);
  command.weightType = isFloat(type) || weights == Weights::Factor ? type : DataType::Int8;
  const WeightDims dims{command.output.channels, command.window.kernelHeight, command.window.kernelWidth,
                        command.input.channels};
  const auto layout =
      WeightLayout::create((*Target::load("e256"))->mac(), command.kind, dims, sizeOf(command.weightType));
  command.weightBytes = static_cast<uint32_t>(layout->bytes());
  command.weights = memory.map(command.weightType, 1, 1, command.weightBytes / sizeOf(command.weightType)).address;
  const uint32_t bytes = channelRecordBytes(command.scaling);
  command.channelRecords = memory.allocate(size_t(command.output.channels) * bytes);
  for (uint32_t c = 0; c < command.output.channels; ++c) {
    uint8_t *record = memory.bytes().data() + command.channelRecords.offset + size_t(c) * bytes;
    const WideRequantRecord wide{0, 0, 1 << 30, -16};
    const RequantRecord narrow{0, 1 << 30, -8};
    if (command.scaling == OutputScaling::RequantizeWide)
      std::memcpy(record, &wide, sizeof(wide));
    else if (command.scaling == OutputScaling::Requantize)
      std::memcpy(record, &narrow, sizeof(narrow));
  }
  command.clamp = openClamp(type);
}

TypeCase convCase(std::string name, ConvKind kind, uint32_t size, uint32_t inputs, uint32_t outputs, uint32_t kernel,
                  Weights weights = Weights::Filters) {
  TypeCase test = caseOf(std::move(name), double(size) * size * outputs, [=](BenchMemory &memory, DataType type) {
    ConvCommand command;
    command.kind = kind;
    command.input = memory.map(type, size, size, inputs);
    command.output = memory.map(type, size, size, outputs);
    command.window = {kernel, kernel, 1, 1, 1, 1, kernel / 2, kernel / 2};
    placeWeights(memory, command, weights);
    return CommandBody(command);
  });
  test.products = test.elements * kernel * kernel * (kind == ConvKind::Dense ? inputs : 1);
  return test;
}

/// Rows of [kSize * kSize, kChannels] along the last axis.
TypeCase normalizeCase(const NormalizeSample &sample) {
  return halfOnly(dspCase(std::string(sample.kernel.name), sample.kernel, 1,
                          [&](DataType) { return sample.parameters({kSize * kSize, kChannels, 1}); }));
}

/// The table of 8-bit types is a command of the MAC array.
TypeCase wideSigmoidCase() {
  return caseOf("wideLogistic", kElements, [](BenchMemory &memory, DataType type) -> CommandBody {
    const FeatureMap input = memory.map(type, kSize, kSize, kChannels),
                     output = memory.map(type, kSize, kSize, kChannels);
    if (type == DataType::Int8)
      return LookupCommand{input, output, memory.map(type, 1, 1, 256).address, {}};
    return DspCommand{kWideSigmoidKernel.number,
                      {input},
                      {output},
                      packParameters(prepareWideSigmoid(WideSigmoidFunction::Logistic, 1 / 4000.0f))};
  });
}

std::vector<uint32_t> softmaxWords(DataType type) {
  if (isFloat(type))
    return packParameters(SoftmaxParameters());
  return packParameters(type == DataType::Int16 ? prepareWideSoftmax(1, 1 / 4096.0f) : prepareSoftmax(1, 1 / 16.0f));
}

TypeCase softmaxCase() {
  TypeCase test = dspCase("softmax", kSoftmaxKernel, 1, softmaxWords);
  test.make = [make = test.make](BenchMemory &memory, DataType type) {
    CommandBody body = make(memory, type);
    std::get<DspCommand>(body).outputs[0].zeroPoint = type == DataType::Int8 ? -128 : 0;
    return body;
  };
  return test;
}

TypeCase reduceCase(std::string name, ReduceKind kind) {
  return caseOf(std::move(name), kElements, [=](BenchMemory &memory, DataType type) -> CommandBody {
    ReduceParameters parameters;
    parameters.kind = kind;
    parameters.rank = 2;
    parameters.extents = {kSize * kSize, kChannels};
    parameters.reducedAxes = 1;
    DspCommand command;
    command.kernel = kReduceKernel.number;
    command.inputs.push_back(memory.map(type, 1, 1, kSize * kSize * kChannels));
    command.outputs.push_back(memory.map(type, 1, 1, kChannels));
    command.parameters = packParameters(parameters);
    return command;
  });
}

TypeCase windowConvCase(std::string name, WindowConvForm form) {
  constexpr uint32_t kIn = 32, kOut = 32, kFilter = 3, kStep = 2;
  const bool transposed = form == WindowConvForm::Transposed;
  const uint32_t size = transposed ? kSize * kStep : kSize;
  const double terms = form == WindowConvForm::Depthwise ? 1 : kIn / (transposed ? 4.0 : 1);
  TypeCase test = caseOf(std::move(name), double(size) * size * kOut, [=](BenchMemory &memory, DataType type) {
    WindowConvParameters parameters;
    parameters.form = form;
    parameters.window.kernelHeight = parameters.window.kernelWidth = kFilter;
    parameters.window.strideHeight = parameters.window.strideWidth = transposed ? kStep : 1;
    parameters.window.padTop = parameters.window.padLeft = transposed ? 0 : 1;
    parameters.clamp = openClamp(type);
    const DataType weights = isFloat(type) ? type : DataType::Int8;
    const bool depthwise = form == WindowConvForm::Depthwise;
    DspCommand command;
    command.kernel = kWindowConvKernel.number;
    command.inputs = {memory.map(type, kSize, kSize, kIn),
                      memory.map(weights, depthwise ? kFilter : kOut * kFilter, kFilter, kIn)};
    if (!isFloat(type)) {
      command.inputs.push_back(memory.map(DataType::Int32, 1, 1, 2));
      auto *scale = reinterpret_cast<int32_t *>(memory.bytes().data() + command.inputs.back().address.offset);
      scale[0] = 1 << 30;
      scale[1] = -8;
    }
    command.outputs = {memory.map(type, size, size, kOut)};
    command.parameters = packParameters(parameters);
    return CommandBody(command);
  });
  test.products = test.elements * kFilter * kFilter * terms;
  return test;
}

} // namespace

std::vector<TypeCase> typeCases() {
  const Words identity = [](DataType) { return packParameters(RequantizeParameters{1 << 30, 1}); };
  const Words scale = [](DataType) { return packParameters(QuantizeParameters{0.01f}); };
  std::vector<TypeCase> cases = {
      convCase("conv3x3", ConvKind::Dense, kSize, 64, 64, 3),
      convCase("conv1x1", ConvKind::Dense, kSize, 96, 128, 1),
      convCase("matrixProduct", ConvKind::Dense, kSize, 96, 128, 1, Weights::Factor),
      convCase("fullyConnected", ConvKind::Dense, 1, 1024, 256, 1),
      convCase("depthwise3x3", ConvKind::Depthwise, kSize, kChannels, kChannels, 3),
      windowConvCase("windowDense", WindowConvForm::Dense),
      windowConvCase("windowDepthwise", WindowConvForm::Depthwise),
      windowConvCase("windowTransposed", WindowConvForm::Transposed),
      poolCase("maxPool", PoolKind::Max),
      poolCase("averagePool", PoolKind::Average),
      eltwiseCase("eltwiseAdd", EltwiseKind::Add),
      eltwiseCase("eltwiseMul", EltwiseKind::Mul),
      eltwiseCase("eltwiseMax", EltwiseKind::Max),
      binaryCase("binaryAdd", BinaryKind::Add),
      binaryCase("binaryMaximum", BinaryKind::Maximum),
      halfOnly(binaryCase("binaryPrelu", BinaryKind::Prelu)),
      binaryCase("binaryLess", BinaryKind::Less, DataType::Bool8),
      unaryCase("abs", UnaryFunction::Abs),
      unaryCase("clamp", UnaryFunction::Clamp),
      unaryCase("hardSwish", UnaryFunction::HardSwish),
      unaryCase("logistic", UnaryFunction::Logistic),
      unaryCase("tanh", UnaryFunction::Tanh),
      wideOnly(softmaxCase()),
      reduceCase("mean", ReduceKind::Mean),
      reduceCase("max", ReduceKind::Max),
      halfOnly(dspCase("quantize", kQuantizeKernel, 1, scale, DataType::Int8)),
      wideOnly(dspCase("dequantize", kDequantizeKernel, 1, scale, DataType::Float32)),
      wideOnly(dspCase("requantize", kRequantizeKernel, 1, identity)),
      wideOnly(wideSigmoidCase()),
  };
  for (const NormalizeSample &sample : kNormalizeSamples)
    cases.push_back(normalizeCase(sample));
  return cases;
}

} // namespace avocet::bench
