//===- ResizeKernel.cpp - Images of another size --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Rounding.h"
#include "avocet/kernels/dsp/Resize.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/NdShape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// The parameters, the rows to compute and the rows in the input: all, or those of a band and of its source.
struct Task {
  ResizeParameters parameters;
  ResizeBand band;
  ResizeSource source;
};

/// Unpacks the words; checkOperands validates the figures.
Result<Task> taskOf(std::span<const uint32_t> words) {
  const size_t count = parameterCount<ResizeParameters>(), bandEnd = count + parameterCount<ResizeBand>();
  const bool hasBand = words.size() > count, hasSource = words.size() > bandEnd;
  Task task;
  AVOCET_ASSIGN_OR_RETURN(task.parameters, unpackParameters<ResizeParameters>(hasBand ? words.first(count) : words));
  task.band.rows = task.parameters.outputHeight;
  task.source.rows = task.parameters.inputHeight;
  if (hasBand) {
    const auto band = hasSource ? words.subspan(count, bandEnd - count) : words.subspan(count);
    AVOCET_ASSIGN_OR_RETURN(task.band, unpackParameters<ResizeBand>(band));
  }
  if (hasSource) {
    AVOCET_ASSIGN_OR_RETURN(task.source, unpackParameters<ResizeSource>(words.subspan(bandEnd)));
  }
  return task;
}

std::vector<uint32_t> wordsOf(const Task &task) {
  std::vector<uint32_t> words = packParameters(task.parameters);
  const auto append = [&](const auto &more) {
    const std::vector<uint32_t> moreWords = packParameters(more);
    words.insert(words.end(), moreWords.begin(), moreWords.end());
  };
  append(task.band);
  if (task.source.rows != task.parameters.inputHeight)
    append(task.source);
  return words;
}

using Sample = ResizeSample;
constexpr int32_t kSteps = kResizeSteps;

/// One axis of the two grids.
class Grid {
public:
  Grid(const ResizeParameters &parameters, uint32_t input, uint32_t output)
      : parameters_(parameters), input_(input), output_(output) {}

  std::vector<Sample> samples(uint32_t first, uint32_t count) const {
    std::vector<Sample> samples(count);
    for (uint32_t i = 0; i < count; ++i)
      samples[i] = sample(first + i);
    return samples;
  }

private:
  Sample sample(uint32_t position) const {
    switch (parameters_.kind) {
    case ResizeKind::Nearest:
      return nearest(position);
    case ResizeKind::Bilinear:
      return bilinear(position);
    case ResizeKind::FixedBilinear:
      break;
    }
    return fixedBilinear(position);
  }

  float scale() const {
    if (parameters_.alignCorners && output_ > 1)
      return static_cast<float>(input_ - 1) / static_cast<float>(output_ - 1);
    return static_cast<float>(input_) / static_cast<float>(output_);
  }

  /// Large extents are not exact as floats, so that the last pixel is a limit for the integer.
  uint32_t inside(float position) const {
    constexpr float kLargest = 2147483648.0f;
    return std::min(static_cast<uint32_t>(std::clamp(position, 0.0f, kLargest)), input_ - 1);
  }

  Sample nearest(uint32_t position) const {
    const float source = (static_cast<float>(position) + (parameters_.halfPixelCenters ? 0.5f : 0.0f)) * scale();
    const uint32_t pixel = inside(parameters_.alignCorners ? std::round(source) : std::floor(source));
    return {pixel, pixel, 0};
  }

  Sample bilinear(uint32_t position) const {
    const auto real = static_cast<float>(position);
    const float source = parameters_.halfPixelCenters ? (real + 0.5f) * scale() - 0.5f : real * scale();
    const uint32_t lower = inside(std::floor(source));
    return {lower, inside(std::ceil(source)), source - static_cast<float>(lower)};
  }

  /// In steps per pixel of the output, rounded.
  int64_t fixedScale() const {
    const bool corners = parameters_.alignCorners && output_ > 1;
    const int64_t from = corners ? input_ - 1 : input_, to = corners ? output_ - 1 : output_;
    return (from * kSteps + to / 2) / to;
  }

  Sample fixedBilinear(uint32_t position) const {
    const int64_t scale = fixedScale(), last = input_ - 1;
    const int64_t source = position * scale + (parameters_.halfPixelCenters ? scale / 2 - kSteps / 2 : 0);
    const int64_t lower = std::clamp<int64_t>(source / kSteps, 0, last);
    const int64_t upper = std::min(divideUp(source, kSteps), last);
    const int64_t steps = lower == upper ? 0 : source - lower * kSteps;
    return {static_cast<uint32_t>(lower), static_cast<uint32_t>(upper), 0, static_cast<int32_t>(steps)};
  }

  const ResizeParameters &parameters_;
  uint32_t input_, output_;
};

} // namespace

std::vector<ResizeSample> resizeSamples(const ResizeParameters &parameters, uint32_t input, uint32_t output) {
  return Grid(parameters, input, output).samples(0, output);
}

namespace {

template <typename T> T fromReal(float value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::clamp(value + 0.5f, 0.0f, 255.0f));
  else
    return static_cast<T>(value);
}

/// The weighted sum of the four elements around a position.
template <typename T> T interpolate(T topLeft, T bottomLeft, T topRight, T bottomRight, float down, float right) {
  return fromReal<T>(
      static_cast<float>(topLeft) * (1 - down) * (1 - right) + static_cast<float>(bottomLeft) * down * (1 - right) +
      static_cast<float>(topRight) * (1 - down) * right + static_cast<float>(bottomRight) * down * right);
}

/// The same with distances in steps.
template <typename T>
T interpolateFixed(int64_t topLeft, int64_t bottomLeft, int64_t topRight, int64_t bottomRight, int64_t down,
                   int64_t right) {
  constexpr int64_t kOne = int64_t(kSteps) * kSteps;
  const int64_t sum = topLeft * (kSteps - down) * (kSteps - right) + bottomLeft * down * (kSteps - right) +
                      topRight * (kSteps - down) * right + bottomRight * down * right;
  return static_cast<T>((sum + (sum > 0 ? kOne / 2 : -kOne / 2)) / kOne);
}

template <typename T> class Resize {
public:
  Resize(const DspCommand &command, std::span<uint8_t> sram) : Resize(*taskOf(command.parameters), command, sram) {}

  Resize(const Task &task, const DspCommand &command, std::span<uint8_t> sram)
      : parameters_(task.parameters), source_(task.source), input_(denseData<T>(command.inputs[0], sram)),
        output_(denseData<T>(command.outputs[0], sram)),
        rows_(Grid(parameters_, parameters_.inputHeight, parameters_.outputHeight)
                  .samples(task.band.firstRow, task.band.rows)),
        columns_(
            Grid(parameters_, parameters_.inputWidth, parameters_.outputWidth).samples(0, parameters_.outputWidth)) {}

  void run() {
    const uint64_t image = uint64_t(source_.rows) * parameters_.inputWidth * parameters_.channels;
    T *to = output_;
    for (uint32_t batch = 0; batch < parameters_.batches; ++batch)
      for (const Sample &row : rows_)
        for (const Sample &column : columns_) {
          makePixel(input_ + batch * image, row, column, to);
          to += parameters_.channels;
        }
  }

private:
  const T *pixel(const T *image, uint32_t y, uint32_t x) const {
    return image + (uint64_t(y - source_.firstRow) * parameters_.inputWidth + x) * parameters_.channels;
  }

  void makePixel(const T *image, const Sample &row, const Sample &column, T *to) const {
    const T *topLeft = pixel(image, row.lower, column.lower);
    if (parameters_.kind == ResizeKind::Nearest) {
      std::copy_n(topLeft, parameters_.channels, to);
      return;
    }
    const T *bottomLeft = pixel(image, row.upper, column.lower), *topRight = pixel(image, row.lower, column.upper),
            *bottomRight = pixel(image, row.upper, column.upper);
    for (uint32_t c = 0; c < parameters_.channels; ++c)
      if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        to[c] = interpolateFixed<T>(topLeft[c], bottomLeft[c], topRight[c], bottomRight[c], row.steps, column.steps);
      else
        to[c] = interpolate(topLeft[c], bottomLeft[c], topRight[c], bottomRight[c], row.fraction, column.fraction);
  }

  ResizeParameters parameters_;
  ResizeSource source_;
  const T *input_;
  T *output_;
  std::vector<Sample> rows_, columns_; ///< of the band and of the image
};

class ResizeKernel : public DspKernel {
public:
  KernelId id() const override { return kResizeKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type,
                  {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    AVOCET_ASSIGN_OR_RETURN(const Task task, taskOf(command.parameters));
    const ResizeParameters &p = task.parameters;
    if (p.kind > ResizeKind::FixedBilinear)
      return ruleBroken("kind", static_cast<uint32_t>(p.kind), "0, 1 or 2");
    const bool isSigned = input.type == DataType::Int8 || input.type == DataType::Int16;
    if (p.kind != ResizeKind::Nearest && (p.kind == ResizeKind::FixedBilinear) != isSigned)
      return invalidArgument("images of i8 and i16 need the kind FixedBilinear, others need Bilinear");
    if (p.alignCorners + uint64_t(p.halfPixelCenters) > 1)
      return invalidArgument("alignCorners and halfPixelCenters must be 0 or 1, and not both 1");
    AVOCET_RETURN_IF_ERROR(checkBand(task));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input0", input, {p.batches, task.source.rows, p.inputWidth, p.channels}));
    return checkDenseCount("output0", output, {p.batches, task.band.rows, p.outputWidth, p.channels});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    switch (command.inputs[0].type) {
    case DataType::Int8:
      return Resize<int8_t>(command, sram).run();
    case DataType::UInt8:
      return Resize<uint8_t>(command, sram).run();
    case DataType::Int16:
      return Resize<int16_t>(command, sram).run();
    case DataType::Float16:
      return Resize<_Float16>(command, sram).run();
    default:
      return Resize<float>(command, sram).run();
    }
  }

  /// Bilinear: four products with combined weights and three sums per element; two to convert other types than f32, or
  /// to round.
  DspWork work(const DspCommand &command) const override {
    const auto [p, band, source] = *taskOf(command.parameters);
    const FeatureMap &output = command.outputs[0];
    bool isNearest = p.kind == ResizeKind::Nearest;
    DspWork work;
    work.type = isNearest ? output.type : p.kind == ResizeKind::FixedBilinear ? DataType::Int32 : DataType::Float32;
    work.elementOps = elementCount(output) * (isNearest ? 1 : output.type == DataType::Float32 ? 7 : 9);
    work.bytesWritten = byteCount(output);
    work.bytesRead = byteCount(output) * (isNearest ? 1 : 4);
    work.rows = uint64_t(p.batches) * band.rows * p.outputWidth;
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    const auto [p, band, source] = *taskOf(command.parameters);
    return p.batches > 1 ? p.batches : band.rows;
  }

  /// Parts are whole images, or the rows of a single one.
  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto [p, band, source] = *taskOf(command.parameters);
    const uint64_t row = uint64_t(p.outputWidth) * p.channels;
    DspCommand part = command;
    if (p.batches > 1) {
      part.inputs[0] = denseSlices(part.inputs[0], uint64_t(p.inputHeight) * p.inputWidth * p.channels, first, count);
      part.outputs[0] = denseSlices(part.outputs[0], p.outputHeight * row, first, count);
      p.batches = count;
      part.parameters = packParameters(p);
    } else {
      part.outputs[0] = denseSlices(part.outputs[0], row, first, count);
      part.parameters = wordsOf({p, {band.firstRow + first, count}, source});
    }
    return part;
  }

private:
  static Status checkBand(const Task &task) {
    const auto &[p, band, source] = task;
    const bool isWhole = band.firstRow == 0 && band.rows == p.outputHeight;
    if (!isWhole && p.batches != 1)
      return ruleBroken("batches", p.batches, "1 where a band is made");
    if (band.rows > p.outputHeight || band.firstRow > p.outputHeight - band.rows)
      return ruleBroken("firstRow", band.firstRow, "such that the band lies inside of the image");
    return source.firstRow == 0 && source.rows == p.inputHeight ? Status::ok() : checkSource(task);
  }

  static Status checkSource(const Task &task) {
    const auto &[p, band, source] = task;
    if (p.batches != 1 || band.rows == 0 || source.rows == 0)
      return invalidArgument("a source must be of one image, and neither it nor the band may be empty");
    if (source.rows > p.inputHeight || source.firstRow > p.inputHeight - source.rows)
      return ruleBroken("firstRow", source.firstRow, "such that the source lies inside of the image");
    const ResizeSource read = sourceOf(p, band);
    if (read.firstRow < source.firstRow || read.firstRow + read.rows > source.firstRow + source.rows)
      return ruleBroken("firstRow", source.firstRow, "such that the band reads rows of the source alone");
    return Status::ok();
  }
};

} // namespace

ResizeSource sourceOf(const ResizeParameters &parameters, const ResizeBand &band) {
  const Grid rows(parameters, parameters.inputHeight, parameters.outputHeight);
  const uint32_t first = rows.samples(band.firstRow, 1).front().lower;
  return {first, rows.samples(band.firstRow + band.rows - 1, 1).front().upper - first + 1};
}

const Kernel &resizeKernel() {
  static const ResizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
