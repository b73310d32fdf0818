//===- TfliteVolume.cpp - Convolutions of volumes --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Convolution.h"
#include "Import/Common/FoldedConstants.h"
#include "TfliteWindow.h"

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

FailureOr<Volume> volumeOf(TfliteOperator &op, const tflite::Conv3DOptions &options, bool isTransposed) {
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
                      isTransposed};
  if (failed(checkVolume(op, volume)))
    return failure();
  return volume;
}

/// The filter as a constant with its axes in this order. The array has no dilated transposed convolutions, so that
/// their filters have zeros between the taps.
Value filterOf(TfliteOperator &op, const Volume &volume, ArrayRef<int64_t> order) {
  if (!volume.filter.getDefiningOp<nn::ConstantOp>())
    return op.refuse("filter", "is constant", "a computed tensor");
  constexpr int64_t kMostElements = int64_t(1) << 26;
  const bool isSpread = volume.isTransposed;
  const int64_t height = isSpread ? volume.reach(1) : volume.kernel(1),
                width = isSpread ? volume.reach(2) : volume.kernel(2),
                depth = volume.kernel(0) * volume.inputs() * volume.outputs();
  if (height > kMostElements || width > kMostElements / height || depth > kMostElements / height / width)
    return op.refuse("filter", "elements with the zeros between dilated taps",
                     Twine(height) + " * " + Twine(width) + " * " + Twine(depth), Twine(kMostElements));
  return foldedIfConstant(op, transpose(op, volume.filter, order));
}

FailureOr<SpatialWindow> windowOf(TfliteOperator &op, const Volume &volume) {
  const auto list = [](ArrayRef<int64_t> figures) { return SmallVector<int64_t>(figures); };
  SpatialWindow window{list(shapeOf(volume.filter).take_front(3)), list(volume.stride), list(volume.dilation), {}};
  for (unsigned axis : {0, 1, 2}) {
    FailureOr<std::array<int64_t, 2>> ends = std::array<int64_t, 2>{};
    if (volume.isTransposed)
      ends =
          transposedPadding(volume.padding, volume.in(axis), volume.out(axis), volume.reach(axis), volume.stride[axis]);
    else if (volume.padding == tflite::Padding::SAME)
      ends = samePadding(op, {volume.in(axis), volume.kernel(axis), volume.stride[axis], volume.dilation[axis]});
    if (failed(ends))
      return failure();
    window.pad.low.push_back((*ends)[0]);
    window.pad.high.push_back((*ends)[1]);
  }
  return window;
}

/// Operands: input, filter, bias.
LogicalResult convertConv3d(TfliteOperator &op, const tflite::Conv3DOptions &options, nn::Activation activation) {
  FailureOr<Volume> volume = volumeOf(op, options, false);
  FailureOr<SpatialWindow> window = failed(volume) ? FailureOr<SpatialWindow>(failure()) : windowOf(op, *volume);
  if (failed(window))
    return failure();
  const int64_t depth = volume->in(0) + window->pad.low[0] + window->pad.high[0];
  if (depth < volume->reach(0))
    return op.refuse("input", "is at least as large as the window", Twine(depth), Twine(volume->reach(0)));
  Value filter = filterOf(op, *volume, {4, 0, 1, 2, 3});
  Value result = convolved(op, volume->input, filter, volume->bias, 1, *window, nullptr, activation);
  return finishMoved(op, result, result);
}

/// Operands: shape of the result, filter, input, bias.
LogicalResult convertConv3dTranspose(TfliteOperator &op, const tflite::Conv3DOptions &options,
                                     nn::Activation activation) {
  FailureOr<Volume> volume = volumeOf(op, options, true);
  FailureOr<SpatialWindow> window = failed(volume) ? FailureOr<SpatialWindow>(failure()) : windowOf(op, *volume);
  if (failed(window))
    return failure();
  Value filter = filterOf(op, *volume, {4, 3, 0, 1, 2});
  return op.finish(convolvedTransposed(op, volume->input, filter, volume->bias, 1, *window, activation));
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::CONV_3D, 2, 3, withOptions<convertConv3d>},
    {tflite::BuiltinOperator::CONV_3D_TRANSPOSE, 3, 4, withOptions<convertConv3dTranspose>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteVolumeConverters() { return kConverters; }

} // namespace avocet::compiler
