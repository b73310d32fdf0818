//===- MacLayer.cpp - Convolutions and fully connected layers on the array ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers/MacLayer.h"

#include "Layers/DynamicInput.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/firmware_iface/WindowInputs.h"
#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Kernel.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"

#include <cstring>
#include <optional>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

FilterOrder swapFilterAxes(size_t rows, size_t columns) {
  return [=](llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered) {
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column)
        std::memcpy(&ordered[(column * rows + row) * elementSize], &plain[(row * columns + column) * elementSize],
                    elementSize);
  };
}

FilterOrder takeFilterRows(size_t first, size_t count, size_t columns) {
  return [=](llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered) {
    std::memcpy(ordered.data(), &plain[first * columns * elementSize], count * columns * elementSize);
  };
}

namespace {

/// Places one layer in the npu dialect.
class MacPlacer {
public:
  MacPlacer(const MacLayer &layer, Placement &placement)
      : layer_(layer), placement_(placement), input_(quantizationOf(layer.input)),
        output_(quantizationOf(layer.op->getResult(0))), filter_(layer.filter.getDefiningOp<nn::ConstantOp>()),
        filterType_(dyn_cast<quant::QuantizedType>(tensorOf(layer.filter).getElementType())),
        weightType_(*npu::dataTypeOf(storageElement(tensorOf(layer.filter).getElementType()))), scaling_(scaling()) {}

  FailureOr<MacConstants> createConstants() {
    if (!filter_ && !layer_.computedWeights)
      return placement_.refuse(layer_.op, "filter", "is constant", "a computed tensor");
    if (layer_.bias && !layer_.bias.getDefiningOp<nn::ConstantOp>())
      return placement_.refuse(layer_.op, "bias", "is constant", "a computed tensor");
    Value weights = layer_.computedWeights ? layer_.computedWeights : packWeights();
    if (!weights)
      return failure();
    return MacConstants{weights, channelRecords()};
  }

  FailureOr<Value> createConv(const MacConstants &constants) {
    Value input = layer_.inputPart ? createPart(*layer_.inputPart) : layer_.inputStorage, dynamicScale;
    if (scaling_ == OutputScaling::Dynamic) {
      FailureOr<DynamicInput> quantized = quantizeAtRunTime(layer_.op, input, layer_.asymmetric, placement_);
      if (failed(quantized))
        return failure();
      input = quantized->values;
      dynamicScale = quantized->record;
    }
    auto conv = npu::ConvOp::create(placement_.builder(), layer_.op->getLoc(), resultType(), input, constants.weights,
                                    constants.records, dynamicScale, Value(), Value(), command(), layer_.padBottom,
                                    layer_.padRight, placement_.layerOf(layer_.op));
    if (failed(placement_.check(layer_.op, wholeCommand(weightLayout()->bytes()))))
      return failure();
    return conv.getResult();
  }

  /// The command on whole tensors, if the array takes it.
  std::optional<ConvCommand> takenCommand() const {
    auto layout = weightLayout();
    if (!layout || !stepFits(*layout))
      return std::nullopt;
    ConvCommand command = wholeCommand(layout->bytes());
    return arrayTakesCommand(command, placement_) ? std::optional(command) : std::nullopt;
  }

private:
  /// 16-bit inputs have 64-bit sums unless the bias says otherwise, as in the reference.
  OutputScaling scaling() const {
    if (!filterType_)
      return OutputScaling::Float;
    if (input_.isFloat())
      return OutputScaling::Dynamic;
    if (output_.type == DataType::Int32)
      return OutputScaling::Sums;
    if (output_.type == DataType::Int64)
      return OutputScaling::SumsWide;
    bool wide =
        input_.type == DataType::Int16 && !(layer_.bias && tensorOf(layer_.bias).getElementType().isInteger(32));
    return wide ? OutputScaling::RequantizeWide : OutputScaling::Requantize;
  }

  /// Whether the weights of one array step fit on chip with the part of the input that the step reads. That part is as
  /// large as the weights of one output channel. The scheduler keeps a sixteenth of the memory free.
  bool stepFits(const WeightLayout &layout) const {
    const uint64_t perChannel = layout.bytes() / channels();
    const uint64_t step = std::min<uint64_t>(layout.granule(), channels()) + 1;
    return perChannel <= placement_.target().sram().bytes / 16 * 15 / step;
  }

  size_t channels() const { return layer_.dims.outputChannels; }

  Result<WeightLayout> weightLayout() const {
    return WeightLayout::create(placement_.target().mac(), layer_.kind, layer_.dims, sizeOf(weightType_));
  }

  /// Null if the layer has more weights than the device can address.
  Value packWeights() {
    size_t elementSize = sizeOf(weightType_);
    auto layout = weightLayout();
    if (!layout) {
      (void)placement_.refuse(layer_.op, "filter", layout.status().message(), "");
      return {};
    }
    return placement_.bytes(layer_.op, "weights", layout->bytes(), [&](llvm::MutableArrayRef<uint8_t> packed) {
      std::vector<uint8_t> splat, ordered;
      ArrayRef<uint8_t> plain = constantBytes(filter_, splat);
      if (layer_.order) {
        // Stored zeros of 8-bit filters are their zero point; those of floats are 0.
        ordered.assign(layout->bytes(), static_cast<uint8_t>(filterZeroPoint()));
        layer_.order(plain, elementSize, ordered);
        plain = ordered;
      }
      layout->pack({plain.data(), plain.size()}, {packed.data(), packed.size()}, isCancelled);
    });
  }

  int32_t filterZeroPoint() const {
    auto perTensor = dyn_cast_or_null<quant::UniformQuantizedType>(filterType_);
    return perTensor ? static_cast<int32_t>(perTensor.getZeroPoint()) : 0;
  }

  Value channelRecords() {
    std::optional<ChannelRescales> rescales;
    if (isRequantized())
      rescales.emplace(input_, filterType_, output_, layer_.numerics, scaling_ == OutputScaling::RequantizeWide);
    std::vector<uint8_t> splat;
    ArrayRef<uint8_t> bias =
        layer_.bias ? constantBytes(layer_.bias.getDefiningOp<nn::ConstantOp>(), splat) : ArrayRef<uint8_t>();
    size_t size = channelRecordBytes(scaling_), period = layer_.recordPeriod ? layer_.recordPeriod : channels();
    size_t biasSize = bias.size() / period;
    return placement_.bytes(layer_.op, "records", channels() * size, [&](llvm::MutableArrayRef<uint8_t> records) {
      for (size_t channel = 0; channel < channels(); ++channel) {
        const size_t of = (layer_.firstRecord + channel) % period;
        writeRecord(of, bias.slice(of * biasSize, biasSize), rescales, &records[channel * size]);
      }
    });
  }

  bool isRequantized() const {
    return scaling_ == OutputScaling::Requantize || scaling_ == OutputScaling::RequantizeWide;
  }

  /// `bias` is one element, i32, i64, f32 or f16, or empty.
  void writeRecord(size_t channel, ArrayRef<uint8_t> bias, const std::optional<ChannelRescales> &rescales,
                   uint8_t *record) const {
    if (rescales)
      return writeRequantRecord((*rescales)[channel], bias, record);
    if (scaling_ == OutputScaling::Sums || scaling_ == OutputScaling::SumsWide)
      return writeRequantRecord({}, bias, record);
    float scale = scaling_ == OutputScaling::Dynamic ? scaleOf(filterType_, channel) : 1.0f;
    FloatRecord values{bias.empty() ? 0 : floatElement(bias), scale, 0};
    std::memcpy(record, &values, sizeof(values));
  }

  void writeRequantRecord(const Rescale &rescale, ArrayRef<uint8_t> bias, uint8_t *record) const {
    // Both records start with the bias as it is stored and end with the multiplier and the shift.
    size_t biasBytes = channelRecordBytes(scaling_) - sizeof(Rescale);
    std::memset(record, 0, biasBytes);
    if (!bias.empty())
      std::memcpy(record, bias.data(), biasBytes);
    std::memcpy(record + biasBytes, &rescale, sizeof(rescale));
  }

  /// An f32 or f16 element.
  static float floatElement(ArrayRef<uint8_t> element) {
    if (element.size() == 4)
      return llvm::bit_cast<float>(llvm::support::endian::read32le(element.data()));
    llvm::APFloat half(llvm::APFloat::IEEEhalf(), llvm::APInt(16, llvm::support::endian::read16le(element.data())));
    return half.convertToFloat();
  }

  ConvCommand command() const {
    ConvCommand command;
    command.kind = layer_.kind;
    command.scaling = scaling_;
    if (scaling_ == OutputScaling::Requantize)
      command.rounding = layer_.numerics.rounding();
    command.input.zeroPoint = input_.zeroPoint;
    command.output.zeroPoint = output_.zeroPoint;
    command.window = layer_.window;
    command.weightType = weightType_;
    command.weightZeroPoint = filterZeroPoint();
    command.clamp = (layer_.keepsInfinities ? plainClampFor : clampFor)(layer_.activation, output_);
    return command;
  }

  Value createPart(const InputPart &part) {
    const SmallVector<int32_t> position(part.position.begin(), part.position.end()),
        steps(part.steps.begin(), part.steps.end());
    return npu::PartOp::create(placement_.builder(), layer_.op->getLoc(), inputType(), layer_.inputStorage, position,
                               steps);
  }

  /// What the array reads.
  RankedTensorType inputType() const {
    auto storage = tensorOf(layer_.inputStorage);
    return layer_.inputPart ? storageType(layer_.inputPart->shape, storage.getElementType()) : storage;
  }

  RankedTensorType resultType() const {
    return storageType(layer_.outputShape, storageElement(tensorOf(layer_.op->getResult(0)).getElementType()));
  }

  /// The command on whole tensors, in the form that a kernel checks.
  ConvCommand wholeCommand(uint64_t weightBytes) const {
    ConvCommand whole = command();
    RankedTensorType input = inputType();
    if (scaling_ == OutputScaling::Dynamic) {
      input = RankedTensorType::get(input.getShape(), placement_.builder().getI8Type());
      whole.dynamicScale = 0;
    }
    whole.input = fullMap(input, whole.input.zeroPoint);
    whole.output = fullMap(resultType(), whole.output.zeroPoint);
    whole.weightBytes = weightBytes;
    return whole;
  }

  const MacLayer &layer_;
  Placement &placement_;
  Quantization input_, output_;
  nn::ConstantOp filter_;
  quant::QuantizedType filterType_;
  DataType weightType_;
  OutputScaling scaling_;
};

} // namespace

bool arrayTakesLayer(const MacLayer &layer, Placement &placement) {
  return MacPlacer(layer, placement).takenCommand().has_value();
}

std::optional<uint64_t> arrayCycles(const MacLayer &layer, Placement &placement) {
  const std::optional<ConvCommand> command = MacPlacer(layer, placement).takenCommand();
  return command ? std::optional(kernels::chooseBlock(placement.target(), *command).cycles) : std::nullopt;
}

bool arrayTakesCommand(const CommandBody &command, Placement &placement) {
  return kernels::findKernel(command)->check(placement.target(), command).isOk();
}

FailureOr<MacConstants> createMacConstants(const MacLayer &layer, Placement &placement) {
  return MacPlacer(layer, placement).createConstants();
}

FailureOr<Value> createMacLayer(const MacLayer &layer, const MacConstants &constants, Placement &placement) {
  return MacPlacer(layer, placement).createConv(constants);
}

FailureOr<Value> createMacLayer(const MacLayer &layer, Placement &placement) {
  FailureOr<MacConstants> constants = createMacConstants(layer, placement);
  if (failed(constants))
    return failure();
  return createMacLayer(layer, *constants, placement);
}

LogicalResult placeMacLayer(const MacLayer &layer, Placement &placement) {
  FailureOr<Value> result = createMacLayer(layer, placement);
  return failed(result) ? failure() : placement.finish(layer.op, *result);
}

std::pair<int64_t, int64_t> rowsAsImage(int64_t rows, Placement &placement) {
  int64_t width = std::min<int64_t>(rows, placement.target().mac().dense.width);
  while (rows % width != 0)
    --width;
  return {rows / width, width};
}

bool arrayTakesAxis(const ArrayAxis &axis) {
  int64_t reach = firmware::windowReach(axis.kernel, axis.dilation), lastStart = (axis.output - 1) * axis.stride;
  return axis.padBefore < reach && axis.padAfter < reach && lastStart < axis.input + axis.padBefore;
}

bool arrayTakesBatch(RankedTensorType input, RankedTensorType output, int64_t kernelHeight, int64_t strideHeight,
                     int64_t padHeight) {
  return input.getDimSize(0) == 1 ||
         (kernelHeight == 1 && padHeight == 0 && input.getDimSize(1) == output.getDimSize(1) * strideHeight);
}

bool arrayTakesSpreadFilter(Value filter, uint64_t elements, Placement &placement) {
  constexpr uint64_t kFactor = 4;
  auto type = tensorOf(filter);
  uint64_t size = sizeOf(*npu::dataTypeOf(storageElement(type.getElementType())));
  return elements <= placement.target().sram().bytes / size || elements / kFactor <= uint64_t(type.getNumElements());
}

bool arrayTakesWeights(Value filter, Value bias) {
  return filter.getDefiningOp<nn::ConstantOp>() && (!bias || bias.getDefiningOp<nn::ConstantOp>());
}

} // namespace avocet::compiler
