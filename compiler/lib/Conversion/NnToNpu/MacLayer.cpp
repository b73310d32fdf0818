//===- MacLayer.cpp - Convolutions and fully connected layers on the array -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MacLayer.h"

#include "avocet/kernels/dsp/Quantize.h"

#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// One layer on its way to the npu dialect.
class MacPlacer {
public:
  MacPlacer(const MacLayer &layer, Placement &placement)
      : layer_(layer), placement_(placement), input_(quantizationOf(layer.input)),
        output_(quantizationOf(layer.op->getResult(0))) {}

  LogicalResult place() {
    filter_ = layer_.filter.getDefiningOp<nn::ConstantOp>();
    if (!filter_)
      return placement_.refuse(layer_.op, "filter", "is constant", "a computed tensor");
    if (layer_.bias && !layer_.bias.getDefiningOp<nn::ConstantOp>())
      return placement_.refuse(layer_.op, "bias", "is constant", "a computed tensor");
    filterType_ = dyn_cast<quant::QuantizedType>(tensorOf(layer_.filter).getElementType());
    weightType_ = !filterType_ ? DataType::Float32 : filterType_.isSigned() ? DataType::Int8 : DataType::UInt8;
    scaling_ = !filterType_       ? OutputScaling::Float
               : input_.isFloat() ? OutputScaling::Dynamic
                                  : OutputScaling::Requantize;
    Value weights = packWeights(), records = weights ? channelRecords() : Value();
    if (!records)
      return failure();
    return createConv(weights, records);
  }

private:
  size_t channels() const { return layer_.dims.outputChannels; }

  double weightScale(size_t channel) const {
    if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(filterType_))
      return perAxis.getScales()[channel];
    return cast<quant::UniformQuantizedType>(filterType_).getScale();
  }

  /// Null if the layer has more weights than the device can address.
  Value packWeights() {
    size_t elementSize = sizeOf(weightType_);
    auto layout = WeightLayout::create(placement_.target().mac(), layer_.kind, layer_.dims, elementSize);
    if (!layout) {
      (void)placement_.refuse(layer_.op, "filter", layout.status().message(), "");
      return {};
    }
    std::vector<uint8_t> splat, reordered;
    ArrayRef<uint8_t> plain = constantBytes(filter_, splat);
    if (layer_.channelsLast)
      plain = channelsFirst(plain, elementSize, reordered);
    return placement_.bytes(layer_.op, "weights", layout->bytes(), [&](llvm::MutableArrayRef<uint8_t> packed) {
      layout->pack({plain.data(), plain.size()}, {packed.data(), packed.size()});
    });
  }

  /// [taps, channels] to [channels, taps].
  ArrayRef<uint8_t> channelsFirst(ArrayRef<uint8_t> plain, size_t elementSize, std::vector<uint8_t> &buffer) const {
    buffer.resize(plain.size());
    size_t taps = plain.size() / elementSize / channels();
    for (size_t tap = 0; tap < taps; ++tap)
      for (size_t channel = 0; channel < channels(); ++channel)
        std::memcpy(&buffer[(channel * taps + tap) * elementSize], &plain[(tap * channels() + channel) * elementSize],
                    elementSize);
    return buffer;
  }

  /// Null if a scale is out of the device's range.
  Value channelRecords() {
    if (scaling_ == OutputScaling::Requantize && failed(checkScales()))
      return {};
    std::vector<uint8_t> splat;
    ArrayRef<uint8_t> bias =
        layer_.bias ? constantBytes(layer_.bias.getDefiningOp<nn::ConstantOp>(), splat) : ArrayRef<uint8_t>();
    static_assert(sizeof(RequantRecord) == sizeof(FloatRecord));
    size_t size = sizeof(RequantRecord);
    return placement_.bytes(layer_.op, "records", channels() * size, [&](llvm::MutableArrayRef<uint8_t> records) {
      for (size_t channel = 0; channel < channels(); ++channel)
        writeRecord(channel, bias.empty() ? nullptr : &bias[channel * 4], &records[channel * size]);
    });
  }

  /// `bias` points to four bytes, i32 or f32, or is null.
  void writeRecord(size_t channel, const uint8_t *bias, uint8_t *record) const {
    if (scaling_ == OutputScaling::Requantize) {
      Rescale rescale = multiplier(channel);
      RequantRecord values{0, rescale.multiplier, rescale.shift};
      if (bias)
        std::memcpy(&values.bias, bias, sizeof(values.bias));
      std::memcpy(record, &values, sizeof(values));
      return;
    }
    FloatRecord values{0, scaling_ == OutputScaling::Dynamic ? static_cast<float>(weightScale(channel)) : 1.0f, 0};
    if (bias)
      std::memcpy(&values.bias, bias, sizeof(values.bias));
    std::memcpy(record, &values, sizeof(values));
  }

  Rescale multiplier(size_t channel) const {
    auto weight = static_cast<float>(weightScale(channel));
    return layer_.floatMultipliers || weightType_ == DataType::UInt8
               ? kernels::prepareConvPerTensor(input_.scale, weight, output_.scale)
               : kernels::prepareConvPerChannel(input_.scale, weight, output_.scale);
  }

  LogicalResult checkScales() const {
    bool perAxis = isa<quant::UniformQuantizedPerAxisType>(filterType_);
    for (size_t channel = 0; channel < (perAxis ? channels() : 1); ++channel)
      if (failed(placement_.checkMultiplier(layer_.op, "filter",
                                            double(input_.scale) * weightScale(channel) / output_.scale)))
        return failure();
    return success();
  }

  /// The input as int8 with the record of its scale.
  FailureOr<npu::DspOp> quantizeInput() {
    Builder &builder = placement_.builder();
    auto quantized =
        storageType({tensorOf(layer_.inputStorage).getDimSize(0), tensorOf(layer_.inputStorage).getDimSize(1),
                     tensorOf(layer_.inputStorage).getDimSize(2)},
                    builder.getI8Type());
    auto record = storageType({1, 1, sizeof(DynamicRecord)}, builder.getI8Type());
    Placement::Dsp dsp;
    dsp.kernel = "dynamicQuantize";
    dsp.parameters = kernels::packParameters(kernels::DynamicQuantizeParameters{layer_.asymmetric});
    dsp.inputs = {layer_.inputStorage};
    dsp.inputZeroPoints = {0};
    dsp.results = {quantized, record};
    dsp.resultZeroPoints = {0, 0};
    return placement_.dsp(layer_.op, dsp);
  }

  ConvCommand command() const {
    ConvCommand command;
    command.kind = layer_.kind;
    command.scaling = scaling_;
    command.input.zeroPoint = input_.zeroPoint;
    command.output.zeroPoint = output_.zeroPoint;
    command.window = layer_.window;
    command.weightType = weightType_;
    if (auto perTensor = dyn_cast_or_null<quant::UniformQuantizedType>(filterType_))
      command.weightZeroPoint = perTensor.getZeroPoint();
    command.clamp = clampFor(layer_.activation, output_);
    return command;
  }

  LogicalResult createConv(Value weights, Value records) {
    Value input = layer_.inputStorage, dynamicScale;
    if (scaling_ == OutputScaling::Dynamic) {
      FailureOr<npu::DspOp> quantized = quantizeInput();
      if (failed(quantized))
        return failure();
      input = quantized->getResult(0);
      dynamicScale = quantized->getResult(1);
    }
    auto type = storageType(layer_.outputShape, storageElement(tensorOf(layer_.op->getResult(0)).getElementType()));
    auto conv =
        npu::ConvOp::create(placement_.builder(), layer_.op->getLoc(), type, input, weights, records, dynamicScale,
                            Value(), command(), layer_.padBottom, layer_.padRight, placement_.layerOf(layer_.op));
    if (failed(checkWhole(conv)))
      return failure();
    return placement_.finish(layer_.op, conv);
  }

  LogicalResult checkWhole(npu::ConvOp conv) {
    ConvCommand whole = conv.getCommand();
    whole.input = fullMap(conv.getInput(), whole.input.zeroPoint);
    whole.output = fullMap(conv.getResult(), whole.output.zeroPoint);
    whole.weightBytes = tensorOf(conv.getWeights()).getNumElements();
    if (conv.getDynamicScale())
      whole.dynamicScale = 0;
    return placement_.check(layer_.op, whole);
  }

  const MacLayer &layer_;
  Placement &placement_;
  Quantization input_, output_;
  nn::ConstantOp filter_;
  quant::QuantizedType filterType_;
  DataType weightType_ = DataType::Float32;
  OutputScaling scaling_ = OutputScaling::Float;
};

} // namespace

LogicalResult placeMacLayer(const MacLayer &layer, Placement &placement) { return MacPlacer(layer, placement).place(); }

LogicalResult checkBatch(Operation *op, Placement &placement, RankedTensorType input, RankedTensorType output,
                         int64_t kernelHeight, int64_t strideHeight, int64_t padHeight) {
  if (input.getDimSize(0) == 1)
    return success();
  if (kernelHeight == 1 && padHeight == 0 && input.getDimSize(1) == output.getDimSize(1) * strideHeight)
    return success();
  return placement.refuse(op, "input", "batch of a window that spans rows", Twine(input.getDimSize(0)), "1");
}

} // namespace avocet::compiler
