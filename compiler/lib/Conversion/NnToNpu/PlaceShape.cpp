//===- PlaceShape.cpp - Constants and changes of shape ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "avocet/firmware_iface/WeightLayout.h"

#include <bit>
#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Only what is read as a value becomes a constant of the device; weights are packed by the layers that read them.
bool isReadAsValue(nn::ConstantOp op) {
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    bool hasWeights = isa<nn::Conv2dOp, nn::DepthwiseConv2dOp, nn::FullyConnectedOp, nn::LstmOp>(use.getOwner());
    return !hasWeights || use.getOperandNumber() == 0;
  });
}

LogicalResult placeConstant(nn::ConstantOp op, Placement &placement) {
  if (isReadAsValue(op))
    placement.bind(op, placement.constant(op, storageType(tensorOf(op.getOutput()))));
  return success();
}

LogicalResult placeReshape(nn::ReshapeOp op, Placement &placement) {
  return placement.finish(op, placement.operand(op.getInput()));
}

/// Padding of rows and columns that no convolution took: a depthwise convolution whose filter has a single one. The
/// window is padding + 1 long and the input padded on both sides by all of it, so that the one stands on the element
/// `low` places further up; the output stage multiplies by 1, exactly.
class PadPlacer {
public:
  PadPlacer(nn::PadOp op, Placement &placement) : op_(op), placement_(placement) {}

  LogicalResult place() {
    auto input = tensorOf(op_.getInput());
    ArrayRef<int64_t> low = op_.getLow(), high = op_.getHigh();
    if (input.getRank() != 4)
      return placement_.refuse(op_, "input", "rank", Twine(input.getRank()), "4");
    for (int axis : {0, 3})
      if (low[axis] || high[axis])
        return placement_.refuse(op_, "paddings", "are along height and width", "axis " + Twine(axis));
    if (input.getDimSize(0) != 1)
      return placement_.refuse(op_, "input", "batch", Twine(input.getDimSize(0)), "1");
    for (int axis : {1, 2})
      if (low[axis] + high[axis] > kMostPadding)
        return placement_.refuse(op_, "paddings", "of one axis together", Twine(low[axis] + high[axis]),
                                 Twine(kMostPadding));
    quantization_ = quantizationOf(op_.getInput());
    channels_ = input.getDimSize(3);
    return createConv();
  }

private:
  /// Keeps the filter small; real networks pad by one or two.
  static constexpr int64_t kMostPadding = 64;

  ConvCommand command() {
    ConvCommand command;
    command.kind = ConvKind::Depthwise;
    command.scaling = quantization_.isFloat() ? OutputScaling::Float : OutputScaling::Requantize;
    command.weightType = quantization_.isFloat() ? DataType::Float32 : DataType::Int8;
    command.input.zeroPoint = command.output.zeroPoint = quantization_.zeroPoint;
    command.window.padTop = op_.getLow()[1] + op_.getHigh()[1];
    command.window.padLeft = op_.getLow()[2] + op_.getHigh()[2];
    command.window.kernelHeight = command.window.padTop + 1;
    command.window.kernelWidth = command.window.padLeft + 1;
    command.clamp = clampFor(nn::Activation::None, quantization_);
    return command;
  }

  Value weights(const ConvCommand &command) {
    size_t elementSize = sizeOf(command.weightType), taps = command.window.kernelHeight * command.window.kernelWidth;
    size_t one = op_.getHigh()[1] * command.window.kernelWidth + op_.getHigh()[2];
    std::vector<uint8_t> plain(taps * channels_ * elementSize);
    uint32_t bits = quantization_.isFloat() ? std::bit_cast<uint32_t>(1.0f) : 1;
    for (size_t channel = 0; channel < channels_; ++channel)
      std::memcpy(&plain[(one * channels_ + channel) * elementSize], &bits, elementSize);
    WeightDims dims{static_cast<uint32_t>(channels_), command.window.kernelHeight, command.window.kernelWidth,
                    static_cast<uint32_t>(channels_)};
    auto layout = WeightLayout::create(placement_.target().mac(), command.kind, dims, elementSize);
    if (!layout) {
      (void)placement_.refuse(op_, "paddings", layout.status().message(), "");
      return {};
    }
    return placement_.bytes(op_, "weights", layout->bytes(), [&](llvm::MutableArrayRef<uint8_t> packed) {
      layout->pack(plain, {packed.data(), packed.size()});
    });
  }

  Value records() {
    Rescale identity = kernels::quantizeMultiplier(1.0);
    return placement_.bytes(op_, "records", channels_ * sizeof(RequantRecord),
                            [&](llvm::MutableArrayRef<uint8_t> bytes) {
                              for (size_t channel = 0; channel < channels_; ++channel) {
                                uint8_t *record = &bytes[channel * sizeof(RequantRecord)];
                                RequantRecord integer{0, identity.multiplier, identity.shift};
                                FloatRecord real{0, 1, 0};
                                if (quantization_.isFloat())
                                  std::memcpy(record, &real, sizeof(real));
                                else
                                  std::memcpy(record, &integer, sizeof(integer));
                              }
                            });
  }

  LogicalResult createConv() {
    ConvCommand whole = command();
    Value packed = weights(whole);
    if (!packed)
      return failure();
    auto conv = npu::ConvOp::create(placement_.builder(), op_.getLoc(), storageType(tensorOf(op_.getOutput())),
                                    placement_.operand(op_.getInput()), packed, records(), Value(), Value(), whole,
                                    whole.window.padTop, whole.window.padLeft, placement_.layerOf(op_));
    whole.input = fullMap(conv.getInput(), quantization_.zeroPoint);
    whole.output = fullMap(conv.getResult(), quantization_.zeroPoint);
    whole.weightBytes = tensorOf(packed).getNumElements();
    if (failed(placement_.check(op_, whole)))
      return failure();
    return placement_.finish(op_, conv);
  }

  nn::PadOp op_;
  Placement &placement_;
  Quantization quantization_;
  size_t channels_ = 0;
};

LogicalResult placePad(nn::PadOp op, Placement &placement) { return PadPlacer(op, placement).place(); }

} // namespace

void addShapePlacers(PlacerTable &table) {
  table.add(placeConstant);
  table.add(placeReshape);
  table.add(placePad);
}

} // namespace avocet::compiler
