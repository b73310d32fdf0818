//===- WindowConvKernel.cpp - Convolutions with plain filters -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Window.h"
#include "common/Computed.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "window/WindowParts.h"
#include "window/WindowProducts.h"

#include <bit>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Whether the results of an integer command are its sums.
bool makesSums(const DspCommand &command) {
  const DataType output = command.outputs[0].type;
  return output == DataType::Int32 || output == DataType::Int64;
}

/// Whether a command without states has multipliers.
bool hasScales(const DspCommand &command, bool hasBias) {
  return !isFloat(command.inputs[0].type) && command.inputs.size() > 2u + hasBias;
}

/// Input operands by their meaning.
struct Operands {
  const FeatureMap &features, &filter;
  const FeatureMap *bias = nullptr, *scales = nullptr;

  Operands(const DspCommand &command, bool hasBias) : features(command.inputs[0]), filter(command.inputs[1]) {
    size_t next = 2;
    if (hasBias && next < command.inputs.size())
      bias = &command.inputs[next++];
    if (!isFloat(features.type) && !makesSums(command) && next < command.inputs.size())
      scales = &command.inputs[next];
  }
};

template <typename T> constexpr bool kIsInteger = std::numeric_limits<T>::is_integer;

/// Sums of integers wrap, those of 16-bit ones at 64 bits; sums of floats are f32.
template <typename T>
using Sum = std::conditional_t<kIsInteger<T>, std::conditional_t<sizeof(T) == 1, uint32_t, uint64_t>, float>;
template <typename T> using Bias = std::conditional_t<kIsInteger<T>, int32_t, T>;

/// Converts a sum to a stored element of type Out.
template <typename In, typename Out> class Finish {
public:
  Finish(const Operands &operands, const FeatureMap &output, const WindowConvParameters &parameters,
         std::span<uint8_t> sram)
      : output_(output), clamp_(parameters.clamp), rounding_(parameters.rounding) {
    if (operands.bias && operands.bias->type == DataType::Int64)
      wideBias_ = denseData<const int64_t>(*operands.bias, sram);
    else if (operands.bias)
      bias_ = biasReader_.read(denseData<const Bias<In>>(*operands.bias, sram), output.channels);
    if (!operands.scales)
      return;
    scales_ = denseData<const int32_t>(*operands.scales, sram);
    scaleStep_ = operands.scales->channels == 2 ? 0 : 2;
    clamp_ = integerClamp(clamp_, output.type);
  }

  Computed<Out> operator()(Sum<In> sum, uint32_t channel) const {
    if constexpr (std::is_same_v<Out, int64_t>) {
      return wideTotal(sum, channel);
    } else if constexpr (std::is_same_v<Out, int32_t>) {
      return std::clamp(total(sum, channel), clamp_.min, clamp_.max);
    } else if constexpr (kIsInteger<In>) {
      const int32_t *scale = scales_ + uint64_t(channel) * scaleStep_;
      int64_t value = int64_t(rescaled(sum, channel, scale[0], scale[1])) + output_.zeroPoint;
      return static_cast<Out>(std::clamp<int64_t>(value, clamp_.min, clamp_.max));
    } else {
      float total = bias_ ? sum + bias_[channel] : sum;
      return std::min(std::max(total, std::bit_cast<float>(clamp_.min)), std::bit_cast<float>(clamp_.max));
    }
  }

private:
  /// 16-bit inputs have 32-bit sums only with a bias of 32 bits.
  int32_t rescaled(Sum<In> sum, uint32_t channel, int32_t multiplier, int32_t shift) const {
    if constexpr (sizeof(In) == 2)
      if (!bias_)
        return multiplyByQuantizedMultiplier64(wideTotal(sum, channel), multiplier, shift);
    return multiplyRounded(total(sum, channel), {multiplier, shift}, rounding_);
  }

  int32_t total(Sum<In> sum, uint32_t channel) const {
    return static_cast<int32_t>(static_cast<uint32_t>(sum) + (bias_ ? static_cast<uint32_t>(bias_[channel]) : 0));
  }
  int64_t wideTotal(uint64_t sum, uint32_t channel) const {
    return static_cast<int64_t>(sum + (wideBias_ ? static_cast<uint64_t>(wideBias_[channel]) : 0));
  }

  ComputedInput<Bias<In>> biasReader_;
  const Computed<Bias<In>> *bias_ = nullptr;
  const int64_t *wideBias_ = nullptr;
  const int32_t *scales_ = nullptr;
  uint32_t scaleStep_ = 0;
  FeatureMap output_;
  Clamp clamp_;
  Rounding rounding_;
};

template <typename In, typename Weight, typename Out> class WindowConv {
  /// Inputs and weights without their zero points.
  using Centered = std::conditional_t<kIsInteger<In>, int32_t, float>;
  using CenteredWeight = std::conditional_t<kIsInteger<In>, int16_t, float>;

public:
  WindowConv(const DspCommand &command, std::span<uint8_t> sram)
      : parameters_(sectionedOf<WindowConvParameters>(command).parameters),
        operands_(command, parameters_.hasBias != 0), output_(command.outputs[0]), features_(operands_.features, sram),
        results_(output_, sram), finish_(operands_, output_, parameters_, sram), sums_(output_.channels),
        states_(command, sectionedOf<WindowConvParameters>(command).section, sram) {
    reorderFilter(denseData<const Weight>(operands_.filter, sram));
  }

  void run() {
    uint32_t height = imageOf(output_, parameters_.batch).height;
    for (uint32_t image = 0; image < parameters_.batch; ++image)
      for (uint32_t y = 0; y < height; ++y)
        runRow(image, y, image * height + y);
  }

private:
  /// Filters of the dense forms are stored as [output channel][tap][term].
  void reorderFilter(const Weight *stored) {
    ComputedInput<Weight> reader;
    const Computed<Weight> *weights = reader.read(stored, elementCount(operands_.filter));
    filter_.resize(elementCount(operands_.filter));
    const bool depthwise = parameters_.form == WindowConvForm::Depthwise;
    const uint64_t products = filter_.size() / output_.channels;
    const uint64_t outer = depthwise ? 1 : output_.channels, inner = depthwise ? filter_.size() : products;
    for (uint64_t channel = 0; channel < outer; ++channel)
      for (uint64_t i = 0; i < inner; ++i)
        filter_[i * outer + channel] = static_cast<CenteredWeight>(*weights++ - filterZero());
  }

  void findTaps(const WindowAxis &axis, uint32_t output, std::vector<WindowTap> &taps) const {
    if (parameters_.form == WindowConvForm::Transposed)
      transposedTaps(axis, output, taps);
    else
      directTaps(axis, output, taps);
  }

  void runRow(uint32_t image, uint32_t y, uint32_t outputRow) {
    uint32_t height = imageOf(operands_.features, parameters_.batch).height;
    findTaps(heightOf(parameters_.window, height), y, rows_);
    for (WindowTap &row : rows_)
      row.input += image * height;
    for (uint32_t x = 0; x < output_.width; ++x) {
      findTaps(widthOf(parameters_.window, operands_.features.width), x, columns_);
      runPixel(outputRow, x);
    }
  }

  void runPixel(uint32_t outputRow, uint32_t x) {
    states_.start(outputRow, x, sums_);
    for (const WindowTap &row : rows_)
      for (const WindowTap &column : columns_)
        addTap(row, column);
    if (!states_.isLast())
      return states_.handOn(outputRow, x, sums_);
    Out *result = results_.pixel(outputRow, x);
    Computed<Out> *finished = writer_.begin(result, output_.channels);
    for (uint32_t channel = 0; channel < output_.channels; ++channel)
      finished[channel] = finish_(sums_[channel], channel);
    writer_.store(result, output_.channels);
  }

  void addTap(const WindowTap &row, const WindowTap &column) {
    const Centered *pixel = centered(features_.pixel(row.input, column.input));
    uint64_t tap = uint64_t(row.kernel) * parameters_.window.kernelWidth + column.kernel;
    if (parameters_.form == WindowConvForm::Depthwise)
      addDepthwise(pixel, filter_.data() + tap * output_.channels);
    else
      addDense(pixel, filter_.data() + tap * operands_.filter.channels * output_.channels);
  }

  /// The inputs of a pixel without their zero point.
  const Centered *centered(const In *stored) {
    const Computed<In> *pixel = reader_.read(stored, operands_.features.channels);
    if constexpr (!kIsInteger<In>) {
      return pixel;
    } else {
      centered_.resize(operands_.features.channels);
      for (size_t i = 0; i < centered_.size(); ++i)
        centered_[i] = pixel[i] - operands_.features.zeroPoint;
      return centered_.data();
    }
  }

  CenteredWeight filterZero() const { return static_cast<CenteredWeight>(operands_.filter.zeroPoint); }

  void addDepthwise(const Centered *pixel, const CenteredWeight *weights) {
    const uint32_t inputs = operands_.features.channels, multiplier = output_.channels / inputs;
    Sum<In> *sums = sums_.data();
    if (multiplier == 1)
      for (uint32_t channel = 0; channel < inputs; ++channel)
        sums[channel] += static_cast<Sum<In>>(pixel[channel] * weights[channel]);
    else
      for (uint32_t channel = 0; channel < inputs * multiplier; ++channel)
        sums[channel] += static_cast<Sum<In>>(pixel[channel / multiplier] * weights[channel]);
  }

  /// The innermost loop runs over output channels, so that it needs no other order of the terms for vector code.
  void addDense(const Centered *pixel, const CenteredWeight *weights) {
    const size_t terms = operands_.filter.channels, channels = output_.channels / parameters_.groups;
    for (size_t group = 0; group < parameters_.groups; ++group)
      addProducts({pixel + group * terms, terms, weights + group * channels, output_.channels,
                   sums_.data() + group * channels, channels});
  }

  WindowConvParameters parameters_;
  Operands operands_;
  const FeatureMap &output_;
  FeatureMapView<In> features_;
  std::vector<CenteredWeight> filter_; ///< [tap][term][output channel], without the zero point
  FeatureMapView<Out> results_;
  ComputedInput<In> reader_;
  std::vector<Centered> centered_;
  ComputedOutput<Out> writer_;
  Finish<In, Out> finish_;
  std::vector<Sum<In>> sums_;
  const WindowStates<Sum<In>> states_;
  std::vector<WindowTap> rows_, columns_;
};

/// Calls f with objects of the element types of features, filter and output.
template <typename F> void withTypes(const DspCommand &command, F &&f) {
  DataType features = command.inputs[0].type;
  if (features == DataType::Float32)
    return f(float(), float(), float());
  if (features == DataType::Float16)
    return f(_Float16(), _Float16(), _Float16());
  if (features == DataType::Int16)
    return withNumberType(command.outputs[0].type, [&](auto out) {
      using Out = decltype(out);
      if constexpr (kIsInteger<Out> && std::is_signed_v<Out> && sizeof(Out) > 1)
        f(int16_t(), int8_t(), out);
    });
  auto withByte = [](DataType type, auto &&g) { return type == DataType::Int8 ? g(int8_t()) : g(uint8_t()); };
  withByte(features, [&](auto in) {
    withByte(command.inputs[1].type, [&](auto weight) {
      if (command.outputs[0].type == DataType::Int32)
        f(in, weight, int32_t());
      else
        withByte(command.outputs[0].type, [&](auto out) { f(in, weight, out); });
    });
  });
}

Status checkExtent(std::string_view name, uint32_t value) {
  constexpr uint32_t kLargest = 65535;
  return value >= 1 && value <= kLargest ? Status::ok() : ruleBroken(name, value, "1 to 65535");
}

class WindowConvKernel : public DspKernel {
public:
  KernelId id() const override { return kWindowConvKernel; }

protected:
  OperandCount inputCount() const override { return {2, 5}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(const auto sectioned, unpackSectioned<WindowConvParameters>(command.parameters));
    const auto &[parameters, section] = sectioned;
    if (!section)
      AVOCET_RETURN_IF_ERROR(checkWhole(command, parameters));
    else {
      if (parameters.form != WindowConvForm::Dense || parameters.batch != 1)
        return invalidArgument("sections must be of form 0 with one image");
      AVOCET_ASSIGN_OR_RETURN(DspCommand whole, withoutStates(command, *section));
      if (!section->isLast)
        whole.outputs[0].type = resultType(whole, parameters.hasBias != 0);
      AVOCET_RETURN_IF_ERROR(checkWhole(whole, parameters));
    }
    const bool isLast = !section || section->isLast;
    if (isLast && command.outputs[0].type == DataType::Int64 && parameters.clamp != Clamp())
      return ruleBroken("min", parameters.clamp.min, "no bound for sums of 64 bits");
    return isLast ? checkClamp(parameters.clamp, command.outputs[0].type) : Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    withTypes(command, [&](auto in, auto weight, auto out) {
      WindowConv<decltype(in), decltype(weight), decltype(out)>(command, sram).run();
    });
  }

  DspWork work(const DspCommand &command) const override {
    DspWork work = elementWork(command, 0, isFloat(command.inputs[0].type) ? DataType::Float32 : DataType::Int16);
    // Products per output element: the filter's elements that belong to one output channel.
    uint64_t products = elementCount(command.inputs[1]) / command.outputs[0].channels;
    work.elementOps = elementCount(command.outputs[0]) * products;
    work.rows = uint64_t(command.outputs[0].height) * command.outputs[0].width;
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    const auto parameters = sectionedOf<WindowConvParameters>(command).parameters;
    if (parameters.batch > 1)
      return parameters.batch;
    const auto axis = axisOf(command, parameters);
    return axis ? extentOf(command.outputs[0], *axis) : 1;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto sectioned = sectionedOf<WindowConvParameters>(command);
    WindowConvParameters &parameters = sectioned.parameters;
    const auto axis = axisOf(command, parameters);
    DspCommand part = command;
    const bool readsState = sectioned.section && !sectioned.section->isFirst;
    if (readsState)
      part.inputs.pop_back();
    if (parameters.batch > 1)
      selectImages(part, parameters.batch, first, count);
    else if (axis == MapAxis::Channels)
      selectChannels(part, parameters, first, count);
    else if (axis && parameters.form == WindowConvForm::Transposed)
      selectTransposed(part, parameters.window, *axis, first, count);
    else if (axis)
      selectDirect(part, parameters.window, *axis, first, count);
    if (readsState)
      part.inputs.push_back(axis ? sliceOf(command.inputs.back(), *axis, first, count) : command.inputs.back());
    part.parameters = packSectioned(sectioned);
    return part;
  }

private:
  /// Of the last section of a command, by the operands that all sections have: sums have no multipliers.
  static DataType resultType(const DspCommand &section, bool hasBias) {
    const DataType features = section.inputs[0].type;
    if (isFloat(features) || hasScales(section, hasBias))
      return features;
    const bool isNarrow = features != DataType::Int16 ||
                          (hasBias && section.inputs.size() > 2 && section.inputs[2].type == DataType::Int32);
    return isNarrow ? DataType::Int32 : DataType::Int64;
  }

  /// All but the clamp.
  static Status checkWhole(const DspCommand &command, const WindowConvParameters &parameters) {
    AVOCET_RETURN_IF_ERROR(checkWords(parameters));
    AVOCET_RETURN_IF_ERROR(checkTypes(command, parameters.hasBias != 0));
    AVOCET_RETURN_IF_ERROR(checkImages("input0", command.inputs[0], parameters.batch));
    AVOCET_RETURN_IF_ERROR(checkImages("output0", command.outputs[0], parameters.batch));
    AVOCET_RETURN_IF_ERROR(checkFilter(command, parameters));
    return checkRows(command, parameters.hasBias != 0);
  }

  /// The axis of the parts of one image. None for windows wholly in the padding: they cannot be divided.
  static std::optional<MapAxis> axisOf(const DspCommand &command, const WindowConvParameters &p) {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    const bool isTransposed = p.form == WindowConvForm::Transposed;
    if (!isTransposed && !checkWindow(p.window, input, output).isOk())
      return std::nullopt;
    const bool hasFilters = p.form != WindowConvForm::Depthwise && p.groups == 1; // one for each output channel
    // Each part reads its share of the image or of the filters; the larger of the two is divided.
    if (hasFilters && output.channels > 1 && byteCount(command.inputs[1]) > byteCount(input))
      return MapAxis::Channels;
    return outermostAxis(output, hasFilters ? MapAxis::Channels : MapAxis::Columns);
  }

  static void selectChannels(DspCommand &part, const WindowConvParameters &p, uint32_t first, uint32_t count) {
    const uint32_t rows = p.window.kernelHeight;
    FeatureMap &output = part.outputs[0];
    const uint64_t all = output.channels;
    output = sliceOf(output, MapAxis::Channels, first, count);
    part.inputs[1] = sliceOf(part.inputs[1], MapAxis::Rows, first * rows, count * rows);
    for (size_t i = 2; i < part.inputs.size(); ++i) {
      FeatureMap &vector = part.inputs[i];
      const bool isScales = hasScales(part, p.hasBias != 0) && i + 1 == part.inputs.size();
      const uint32_t words = isScales ? 2 : 1;
      if (vector.channels == all * words) // else there is one scale for all channels
        vector = sliceOf(vector, MapAxis::Channels, first * words, count * words);
    }
  }

  static Status checkWords(const WindowConvParameters &p) {
    if (p.form != WindowConvForm::Dense && p.form != WindowConvForm::Depthwise && p.form != WindowConvForm::Transposed)
      return ruleBroken("form", static_cast<uint32_t>(p.form), "0 to 2");
    AVOCET_RETURN_IF_ERROR(checkRounding("rounding", p.rounding));
    if (p.hasBias > 1)
      return ruleBroken("hasBias", p.hasBias, "0 or 1");
    AVOCET_RETURN_IF_ERROR(checkExtent("kernelHeight", p.window.kernelHeight));
    AVOCET_RETURN_IF_ERROR(checkExtent("kernelWidth", p.window.kernelWidth));
    AVOCET_RETURN_IF_ERROR(checkExtent("strideHeight", p.window.strideHeight));
    AVOCET_RETURN_IF_ERROR(checkExtent("strideWidth", p.window.strideWidth));
    AVOCET_RETURN_IF_ERROR(checkExtent("dilationHeight", p.window.dilationHeight));
    AVOCET_RETURN_IF_ERROR(checkExtent("dilationWidth", p.window.dilationWidth));
    bool dilated = p.window.dilationHeight != 1 || p.window.dilationWidth != 1;
    return dilated && p.form == WindowConvForm::Transposed ? invalidArgument("dilation must be 1 with form 2")
                                                           : Status::ok();
  }

  static Status checkTypes(const DspCommand &command, bool hasBias) {
    DataType features = command.inputs[0].type;
    AVOCET_RETURN_IF_ERROR(checkType(
        "input0", features, {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Float16, DataType::Float32}));
    bool integers = !isFloat(features);
    AVOCET_RETURN_IF_ERROR(checkEqual("input operands", command.inputs.size(), "the number that the parameters require",
                                      2 + hasBias + (integers && !makesSums(command))));
    Operands operands(command, hasBias);
    if (features == DataType::Int16)
      return checkWideTypes(command, operands);
    if (hasBias)
      AVOCET_RETURN_IF_ERROR(checkType("bias", operands.bias->type, {integers ? DataType::Int32 : features}));
    if (!integers) {
      AVOCET_RETURN_IF_ERROR(checkType("filter", operands.filter.type, {features}));
      return checkType("output0", command.outputs[0].type, {features});
    }
    AVOCET_RETURN_IF_ERROR(checkType("filter", operands.filter.type, {DataType::Int8, DataType::UInt8}));
    return checkIntegerResult(command, operands, {DataType::Int8, DataType::UInt8}, DataType::Int32);
  }

  /// `sums`: the type of results that are the sums.
  static Status checkIntegerResult(const DspCommand &command, const Operands &operands,
                                   std::initializer_list<DataType> scaled, DataType sums) {
    const FeatureMap &output = command.outputs[0];
    if (!makesSums(command)) {
      AVOCET_RETURN_IF_ERROR(checkType("scales", operands.scales->type, {DataType::Int32}));
      return checkType("output0", output.type, scaled);
    }
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {sums}));
    return output.zeroPoint == 0 ? Status::ok() : ruleBroken("output0.zeroPoint", output.zeroPoint, "0 for sums");
  }

  static Status checkWideTypes(const DspCommand &command, const Operands &operands) {
    if (operands.bias)
      AVOCET_RETURN_IF_ERROR(checkType("bias", operands.bias->type, {DataType::Int32, DataType::Int64}));
    AVOCET_RETURN_IF_ERROR(checkType("filter", operands.filter.type, {DataType::Int8}));
    const bool hasWideSums = !operands.bias || operands.bias->type == DataType::Int64;
    return checkIntegerResult(command, operands, {DataType::Int16}, hasWideSums ? DataType::Int64 : DataType::Int32);
  }

  /// Checks the groups, and the filter's extents, which follow from the window and the channels.
  static Status checkFilter(const DspCommand &command, const WindowConvParameters &p) {
    const FeatureMap &filter = command.inputs[1];
    const uint32_t inputs = command.inputs[0].channels, outputs = command.outputs[0].channels;
    AVOCET_RETURN_IF_ERROR(checkDense("filter", filter));
    AVOCET_RETURN_IF_ERROR(checkEqual("filter.width", filter.width, "kernelWidth", p.window.kernelWidth));
    bool grouped = p.form == WindowConvForm::Dense;
    if (p.groups == 0 || (!grouped && p.groups != 1) || inputs % p.groups != 0 || outputs % p.groups != 0)
      return ruleBroken("groups", p.groups, "a divisor of the channels, and 1 for forms 1 and 2");
    if (p.form == WindowConvForm::Depthwise) {
      if (outputs % inputs != 0)
        return ruleBroken("output0.channels", outputs, "a multiple of input0.channels, " + std::to_string(inputs));
      AVOCET_RETURN_IF_ERROR(checkEqual("filter.height", filter.height, "kernelHeight", p.window.kernelHeight));
      return checkEqual("filter.channels", filter.channels, "output0.channels", outputs);
    }
    AVOCET_RETURN_IF_ERROR(checkEqual("filter.height", filter.height, "the output channels times kernelHeight",
                                      uint64_t(outputs) * p.window.kernelHeight));
    return checkEqual("filter.channels", filter.channels, "the input channels of a group", inputs / p.groups);
  }

  /// Checks that bias and scales have one row each.
  static Status checkRows(const DspCommand &command, bool hasBias) {
    const uint32_t outputs = command.outputs[0].channels;
    Operands operands(command, hasBias);
    for (const FeatureMap *row : {operands.bias, operands.scales})
      if (row && (row->height != 1 || row->width != 1))
        return invalidArgument("bias and scales must have one row of one pixel");
    if (operands.bias)
      AVOCET_RETURN_IF_ERROR(checkEqual("bias.channels", operands.bias->channels, "output0.channels", outputs));
    if (operands.scales && operands.scales->channels != 2 && operands.scales->channels != uint64_t(outputs) * 2)
      return ruleBroken("scales.channels", operands.scales->channels, "2 or twice the output channels");
    return Status::ok();
  }
};

} // namespace

const Kernel &windowConvKernel() {
  static const WindowConvKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
