//===- TfliteVolume.cpp - Convolutions of volumes --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution of volumes [batch, depth, height, width, channels] becomes one of images: the depth steps that a window
// reads are concatenated along the channels, and the depth steps of the result are images of the batch. In a transposed
// convolution the result steps that are a depth stride apart read with the same taps: they are one convolution, and the
// results of all are interleaved.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Convolution.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "TfliteWindow.h"
#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/WindowInputs.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Operands and options; figures are of depth, height, width.
struct Volume {
  Value input, filter, bias; ///< bias may be null
  RankedTensorType result;   ///< of a transposed convolution, whose shape an operand gives
  tflite::Padding padding;
  std::array<int64_t, 3> stride, dilation;
  nn::Activation activation;
  bool isTransposed;

  int64_t in(unsigned axis) const { return shapeOf(input)[1 + axis]; }
  int64_t out(unsigned axis) const { return result.getDimSize(1 + axis); }
  int64_t kernel(unsigned axis) const { return shapeOf(filter)[axis]; }
  int64_t reach(unsigned axis) const { return firmware::windowReach(kernel(axis), dilation[axis]); }
  /// Filters have the output channels last, those of transposed convolutions the input channels.
  int64_t inputs() const { return shapeOf(filter)[isTransposed ? 4 : 3]; }
  int64_t outputs() const { return shapeOf(filter)[isTransposed ? 3 : 4]; }
};

LogicalResult checkVolume(TfliteOperator &op, const Volume &volume) {
  const auto input = cast<RankedTensorType>(volume.input.getType());
  const auto filter = cast<RankedTensorType>(volume.filter.getType());
  for (auto [type, operand] :
       {std::pair(input, "input"), std::pair(filter, "filter"), std::pair(volume.result, "result")})
    if (type && type.getRank() != 5)
      return op.malformed("has the rank " + Twine(type.getRank()) + " of " + operand + ", must be 5");
  if (!filter.getElementType().isF32())
    return op.refuse("filter", "element type", llvm::to_string(filter.getElementType()), "f32");
  if (volume.isTransposed &&
      (volume.result.getDimSize(0) != input.getDimSize(0) || volume.result.getDimSize(4) != volume.outputs()))
    return op.malformed("has a result of " + Twine(volume.result.getDimSize(0)) + " volumes with " +
                        Twine(volume.result.getDimSize(4)) + " channels, the operands give " +
                        Twine(input.getDimSize(0)) + " with " + Twine(volume.outputs()));
  for (unsigned axis : {0, 1, 2})
    if (volume.stride[axis] < 1 || volume.dilation[axis] < 1)
      return op.malformed("has the stride " + Twine(volume.stride[axis]) + " and the dilation " +
                          Twine(volume.dilation[axis]) + ", must be positive");
  return success();
}

FailureOr<Volume> volumeOf(TfliteOperator &op, const tflite::Conv3DOptions &options, nn::Activation activation,
                           bool isTransposed) {
  const uint32_t biasAt = isTransposed ? 3 : 2;
  Value input = op.value(isTransposed ? 2 : 0, "input"), filter = op.weights(1, "filter");
  Value bias = op.hasInput(biasAt) ? op.parameter(biasAt, "bias") : Value();
  RankedTensorType result = isTransposed ? op.resultType() : RankedTensorType();
  if (!input || !filter || (isTransposed && !result) || (op.hasInput(biasAt) && !bias))
    return failure();
  const Volume volume{input,
                      filter,
                      bias,
                      result,
                      options.padding(),
                      {options.stride_d(), options.stride_h(), options.stride_w()},
                      {options.dilation_d(), options.dilation_h(), options.dilation_w()},
                      activation,
                      isTransposed};
  if (failed(checkVolume(op, volume)))
    return failure();
  return volume;
}

/// A depth step of the filter, and the input step that it reads for the first result.
struct Tap {
  int64_t kernel; ///< kZeros: the filter has zeros there
  int64_t input;  ///< may be in the padding
};
constexpr int64_t kZeros = -1;

/// What a run of results reads along the depth: each result `stride` input steps after the one before.
struct VolumeWindows {
  int64_t count, stride;
  SmallVector<Tap> taps = {};

  int64_t last() const { return (count - 1) * stride; }

  /// Without the taps that read only padding. One remains, with zeros if all do, because a convolution needs one.
  void removePadding(int64_t depth) {
    llvm::erase_if(taps, [&](const Tap &tap) { return tap.input >= depth || tap.input + last() < 0; });
    if (taps.empty())
      taps.push_back({kZeros, 0});
  }
};

/// Images [batch * count, height, width, taps * channels].
Value imagesOf(TfliteOperator &op, const Volume &volume, const VolumeWindows &windows) {
  const auto steps = llvm::map_to_vector(windows.taps, [](const Tap &tap) { return tap.input; });
  return imagesOfVolumes(op, volume.input, {windows.count, windows.stride, steps});
}

/// Writes the taps of [depth, height, width, ..] as [outputs, reach, reach, taps * inputs]. The array has no dilated
/// transposed convolutions, so that their filters have zeros between the taps.
void foldFilter(const Volume &volume, ArrayRef<Tap> taps, ArrayRef<int64_t> shape, const float *from, float *to) {
  const int64_t inputs = volume.inputs(), outputs = volume.outputs(),
                stepY = volume.isTransposed ? volume.dilation[1] : 1,
                stepX = volume.isTransposed ? volume.dilation[2] : 1;
  const int64_t inputStride = volume.isTransposed ? 1 : outputs, outputStride = volume.isTransposed ? inputs : 1;
  std::fill_n(to, shape[0] * shape[1] * shape[2] * shape[3], 0.0f);
  for (auto [t, tap] : llvm::enumerate(taps))
    for (int64_t y = 0; tap.kernel != kZeros && y < volume.kernel(1); ++y)
      for (int64_t x = 0; x < volume.kernel(2); ++x) {
        const float *first = from + ((tap.kernel * volume.kernel(1) + y) * volume.kernel(2) + x) * inputs * outputs;
        for (int64_t o = 0; o < outputs; ++o)
          for (int64_t c = 0; c < inputs; ++c)
            to[((o * shape[1] + y * stepY) * shape[2] + x * stepX) * shape[3] + static_cast<int64_t>(t) * inputs + c] =
                first[c * inputStride + o * outputStride];
      }
}

/// The filter of the convolution of images.
Value filterOfImages(TfliteOperator &op, const Volume &volume, ArrayRef<Tap> taps) {
  auto constant = volume.filter.getDefiningOp<nn::ConstantOp>();
  const auto elements = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  if (!elements)
    return op.refuse("filter", "is constant", "a computed tensor");
  constexpr int64_t kMostElements = int64_t(1) << 26;
  const bool isSpread = volume.isTransposed;
  const int64_t height = isSpread ? volume.reach(1) : volume.kernel(1),
                width = isSpread ? volume.reach(2) : volume.kernel(2),
                depth = static_cast<int64_t>(taps.size()) * volume.inputs();
  if (height > kMostElements || width > kMostElements / height ||
      depth * volume.outputs() > kMostElements / height / width)
    return op.refuse("filter", "elements with the zeros between dilated taps",
                     Twine(height) + " * " + Twine(width) + " * " + Twine(depth * volume.outputs()),
                     Twine(kMostElements));
  const auto type = RankedTensorType::get({volume.outputs(), height, width, depth}, elementOf(volume.filter));
  const auto *from = reinterpret_cast<const float *>(elements.getRawHandle().getBlob()->getData().data());
  ElementsAttr folded = computedElements(type, "folded", [&](llvm::MutableArrayRef<char> bytes) {
    foldFilter(volume, taps, type.getShape(), from, reinterpret_cast<float *>(bytes.data()));
  });
  return nn::ConstantOp::create(op.builder(), op.location(), type, folded);
}

/// Operands: input, filter, bias.
LogicalResult convertConv3d(TfliteOperator &op, const tflite::Conv3DOptions &options, nn::Activation activation) {
  FailureOr<Volume> volume = volumeOf(op, options, activation, false);
  const Type element = op.resultElement(0);
  if (failed(volume) || !element)
    return failure();
  std::array<int64_t, 2> ends{};
  if (volume->padding == tflite::Padding::SAME) {
    auto same = samePadding(op, {volume->in(0), volume->kernel(0), volume->stride[0], volume->dilation[0]});
    if (failed(same))
      return failure();
    ends = *same;
  }
  const int64_t depth = volume->in(0) + ends[0] + ends[1];
  const int64_t count = firmware::windowsIn(depth, volume->stride[0], volume->reach(0));
  if (count == 0)
    return op.refuse("input", "is at least as large as the window", Twine(depth), Twine(volume->reach(0)));
  VolumeWindows windows{count, volume->stride[0]};
  for (int64_t step = 0; step < volume->kernel(0); ++step)
    windows.taps.push_back({step, step * volume->dilation[0] - ends[0]});
  windows.removePadding(volume->in(0));
  const std::array stride{volume->stride[1], volume->stride[2]}, dilation{volume->dilation[1], volume->dilation[2]};
  auto pad = explicitPadding(
      op, {volume->padding, {volume->in(1), volume->in(2)}, {volume->kernel(1), volume->kernel(2)}, stride, dilation});
  Value images = imagesOf(op, *volume, windows), filter = filterOfImages(op, *volume, windows.taps);
  if (failed(pad))
    return failure();
  Value result =
      createAs<nn::Conv2dOp>(op, element, images, filter, volume->bias, stride, dilation, *pad, volume->activation);
  if (!result)
    return failure();
  SmallVector<int64_t> shape(shapeOf(result));
  shape[0] /= count;
  shape.insert(shape.begin() + 1, count);
  return finishMoved(op, result, reshape(op, result, shape));
}

/// The result steps `phase`, `phase` + stride, .. : a tap reads input step (result + before - dilation * kernel) /
/// stride.
VolumeWindows windowsOfPhase(const Volume &volume, int64_t phase, int64_t before, int64_t count) {
  VolumeWindows windows{count, 1};
  for (int64_t step = volume.kernel(0); step-- > 0;) {
    const int64_t distance = phase + before - volume.dilation[0] * step;
    if (distance % volume.stride[0] == 0)
      windows.taps.push_back({step, distance / volume.stride[0]});
  }
  windows.removePadding(volume.in(0));
  return windows;
}

/// The results of one phase, [batch * count, 1, height, width, channels].
Value convertPhase(TfliteOperator &op, const Volume &volume, const VolumeWindows &windows) {
  std::array<int64_t, 4> pad;
  for (unsigned axis : {1, 2})
    llvm::copy(
        transposedPadding(volume.padding, volume.in(axis), volume.out(axis), volume.reach(axis), volume.stride[axis]),
        &pad[2 * (axis - 1)]);
  Value images = imagesOf(op, volume, windows), filter = filterOfImages(op, volume, windows.taps);
  const std::array stride{volume.stride[1], volume.stride[2]};
  Value result = createAs<nn::TransposeConv2dOp>(op, volume.result.getElementType(), images, filter, volume.bias,
                                                 stride, pad, volume.activation);
  return withAxis(op, result, 1);
}

/// Operands: shape of the result, filter, input, bias.
LogicalResult convertConv3dTranspose(TfliteOperator &op, const tflite::Conv3DOptions &options,
                                     nn::Activation activation) {
  FailureOr<Volume> volume = volumeOf(op, options, activation, true);
  if (failed(volume))
    return failure();
  constexpr int64_t kMostPhases = 64;
  const int64_t depth = volume->out(0), phases = std::min(volume->stride[0], depth), count = divideUp(depth, phases);
  if (phases > kMostPhases)
    return op.refuse("stride", "depth steps", Twine(phases), Twine(kMostPhases));
  const int64_t before =
      transposedPadding(volume->padding, volume->in(0), depth, volume->reach(0), volume->stride[0])[0];
  SmallVector<Value> results;
  for (int64_t phase = 0; phase < phases; ++phase)
    results.push_back(convertPhase(op, *volume, windowsOfPhase(*volume, phase, before, count)));
  SmallVector<int64_t> shape(volume->result.getShape()), zeros(5, 0);
  shape[1] = count * phases;
  Value joined = reshape(op, concatenate(op, results, 1), shape);
  return op.finish(slice(op, joined, zeros, volume->result.getShape()));
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::CONV_3D, 2, 3, withOptions<convertConv3d>},
    {tflite::BuiltinOperator::CONV_3D_TRANSPOSE, 3, 4, withOptions<convertConv3dTranspose>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteVolumeConverters() { return kConverters; }

} // namespace avocet::compiler
