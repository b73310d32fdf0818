//===- NnapiConv.cpp - Convolutions, fully connected layers and pooling ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Create.h"
#include "Import/Common/MatrixProduct.h"

#include "Import/Common/Window.h"
#include "Layout.h"
#include "NnapiGraph.h"
#include "ValueChoices.h"
#include "avocet/firmware_iface/WindowInputs.h"

#include <array>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The scalars that follow an operation's tensors. NNAPI lists them in one order: padding (left, right, top, bottom; or
/// a scheme), strides (width, height), kernel (width, height), one extra, activation, layout, dilation (width, height).
/// Layout and dilation may be omitted.
struct NnapiWindowForm {
  uint32_t first;           ///< position of the first scalar
  bool outputShape = false; ///< a tensor with the result's shape precedes the scheme
  bool kernel = false;
  bool extra = false; ///< depth multiplier or number of groups
  bool dilation = false;
};

/// The scalars, with height before width as everywhere in this compiler.
struct NnapiWindow {
  bool same = false;            ///< implicit padding that keeps the extents; VALID is explicit padding of 0
  std::array<int64_t, 4> pad{}; ///< top, bottom, left, right; resolved by resolvePadding() where `same`
  std::array<int64_t, 2> stride{1, 1}, dilation{1, 1}, kernel{1, 1};
  mlir::SmallVector<int64_t> outputShape; ///< as in the model, in the model's layout; empty if there is none
  int64_t extra = 1;
  nn::Activation activation = nn::Activation::kNone;
  bool channelsFirst = false;
};

/// Bits of valueOperands for all positions >= `first`.
constexpr uint64_t scalarsFrom(uint32_t first) { return ~uint64_t(0) << first; }

/// Rows and columns of a value in NHWC.
inline std::array<int64_t, 2> extentsOf(mlir::Value value) { return {shapeOf(value)[1], shapeOf(value)[2]}; }

/// Reads scalars one after the other; after one failure, the reader stays failed.
class ScalarReader {
public:
  ScalarReader(NnapiOperation &op, uint32_t position) : op_(op), position_(position) {}

  int64_t next(StringRef name) {
    FailureOr<int64_t> value = failed_ ? FailureOr<int64_t>(failure()) : op_.integer(position_++, name);
    failed_ |= failed(value);
    return failed_ ? 1 : *value;
  }
  /// Reads width, then height; the pair has the height first.
  std::array<int64_t, 2> pair(StringRef name) {
    int64_t width = next(name), height = next(name);
    return {height, width};
  }
  SmallVector<int64_t> tensor(StringRef name) {
    FailureOr<SmallVector<int64_t>> values = op_.integers(position_++, name);
    failed_ |= failed(values);
    return failed_ ? SmallVector<int64_t>() : *values;
  }
  nn::Activation activation() {
    FailureOr<nn::Activation> value = failed_ ? FailureOr<nn::Activation>(failure()) : op_.activation(position_++);
    failed_ |= failed(value);
    return failed_ ? nn::Activation::kNone : *value;
  }
  bool layout() {
    FailureOr<bool> value = failed_ ? FailureOr<bool>(failure()) : isNchw(op_, position_++);
    failed_ |= failed(value);
    return !failed_ && *value;
  }

  bool atEnd() const { return position_ >= op_.numInputs(); }
  bool hasFailed() const { return failed_; }

private:
  NnapiOperation &op_;
  uint32_t position_;
  bool failed_ = false;
};

/// Number of inputs of the two forms without layout and dilation.
uint32_t implicitCount(const NnapiWindowForm &form) {
  return form.first + form.outputShape + 1 + 2 + 2 * form.kernel + form.extra + 1;
}
uint32_t explicitCount(const NnapiWindowForm &form) { return implicitCount(form) - form.outputShape + 3; }

/// If both forms have the same number of inputs, the implicit one has its layout flag where the explicit has a number.
bool isImplicit(const NnapiOperation &op, const NnapiWindowForm &form) {
  uint32_t count = implicitCount(form);
  return op.numInputs() < explicitCount(form) ||
         (op.numInputs() == count + 3 && op.inputType(count) == OperandType::Bool);
}

LogicalResult readPadding(NnapiOperation &op, ScalarReader &reader, const NnapiWindowForm &form, NnapiWindow &window) {
  if (!isImplicit(op, form)) {
    window.pad[2] = reader.next("padding");
    window.pad[3] = reader.next("padding");
    window.pad[0] = reader.next("padding");
    window.pad[1] = reader.next("padding");
    return success();
  }
  if (form.outputShape)
    window.outputShape = reader.tensor("output shape");
  int64_t scheme = reader.next("padding scheme");
  if (!reader.hasFailed() && scheme != 1 && scheme != 2)
    return op.malformed("has the unknown padding scheme " + Twine(scheme));
  window.same = scheme == 1;
  return success();
}

LogicalResult checkWindow(NnapiOperation &op, const NnapiWindow &window) {
  for (unsigned axis : {0, 1})
    if (window.stride[axis] < 1 || window.dilation[axis] < 1 || window.kernel[axis] < 1 || window.pad[2 * axis] < 0)
      return op.malformed("has a window with stride " + Twine(window.stride[axis]) + ", dilation " +
                          Twine(window.dilation[axis]) + ", extent " + Twine(window.kernel[axis]) + ", padding " +
                          Twine(window.pad[2 * axis]) + " at the start; must be at least 1, 1, 1 and 0");
  return success();
}

/// Reads the scalars; strides, dilation and kernel are at least 1, leading padding at least 0.
FailureOr<NnapiWindow> readWindow(NnapiOperation &op, const NnapiWindowForm &form) {
  ScalarReader reader(op, form.first);
  NnapiWindow window;
  if (failed(readPadding(op, reader, form, window)))
    return failure();
  window.stride = reader.pair("stride");
  if (form.kernel)
    window.kernel = reader.pair("kernel");
  if (form.extra)
    window.extra = reader.next("depth multiplier or groups");
  window.activation = reader.activation();
  if (!reader.atEnd())
    window.channelsFirst = reader.layout();
  if (form.dilation && !reader.atEnd())
    window.dilation = reader.pair("dilation");
  if (reader.hasFailed())
    return failure();
  if (!reader.atEnd())
    return op.malformed("has " + Twine(op.numInputs()) + " inputs, more than it reads");
  return failed(checkWindow(op, window)) ? FailureOr<NnapiWindow>(failure()) : window;
}

/// The window along rows (0) or columns (1).
static WindowAxis axisOf(const NnapiWindow &window, unsigned axis, int64_t input) {
  return {input, window.kernel[axis], window.stride[axis], window.dilation[axis]};
}

/// Resolves SAME for an input of these rows and columns: ceil(input / stride) outputs, with the odd row or column at
/// the end.
LogicalResult resolvePadding(NnapiOperation &op, NnapiWindow &window, std::array<int64_t, 2> input) {
  for (unsigned axis = 0; window.same && axis < 2; ++axis) {
    auto same = samePadding(op, axisOf(window, axis, input[axis]));
    if (failed(same))
      return failure();
    llvm::copy(*same, &window.pad[2 * axis]);
  }
  return success();
}

/// The tensors and the window of a convolution.
struct Convolution {
  Value input, filter, bias; ///< the input is NHWC
  NnapiWindow window;
  nn::NumericsAttr numerics = {}; ///< null: the default
};

FailureOr<Convolution> readConvolution(NnapiOperation &op, const NnapiWindowForm &form) {
  FailureOr<NnapiWindow> window = readWindow(op, form);
  if (failed(window))
    return failure();
  Convolution conv{imageValue(op, 0, "input", window->channelsFirst), ofRank(op, op.value(1, "filter"), "a filter", 4),
                   op.value(2, "bias"), *window};
  if (!conv.input || !conv.filter || !conv.bias)
    return failure();
  conv.window.kernel = extentsOf(conv.filter);
  // Computes alike for signed and unsigned types; filters with scales per channel are signed in both.
  auto element = cast<RankedTensorType>(conv.filter.getType()).getElementType();
  if (isa<quant::UniformQuantizedType>(element))
    conv.numerics = nn::NumericsAttr::get(element.getContext(), nn::Numerics::FloatScales);
  return conv;
}

/// A convolution that walks over its input; `extra` are attributes between operands and window.
template <typename ConvOp, typename... Extra>
LogicalResult finishConvolution(NnapiOperation &op, Convolution &conv, const Extra &...extra) {
  if (failed(resolvePadding(op, conv.window, extentsOf(conv.input))))
    return failure();
  const NnapiWindow &window = conv.window;
  return finishImage<ConvOp>(op, window.channelsFirst, conv.input, conv.filter, conv.bias, extra..., window.stride,
                             window.dilation, window.pad, window.activation, conv.numerics);
}

LogicalResult convertConv(NnapiOperation &op) {
  FailureOr<Convolution> conv = readConvolution(op, {.first = 3, .dilation = true});
  return failed(conv) ? failure() : finishConvolution<nn::Conv2dOp>(op, *conv);
}

LogicalResult convertDepthwise(NnapiOperation &op) {
  FailureOr<Convolution> conv = readConvolution(op, {.first = 3, .extra = true, .dilation = true});
  if (failed(conv))
    return failure();
  const int64_t channels = shapeOf(conv->input)[3], outputs = shapeOf(conv->filter)[3];
  if (outputs % channels != 0 || outputs / channels != conv->window.extra)
    return op.malformed("makes " + Twine(outputs) + " channels of " + Twine(channels) + " with the multiplier " +
                        Twine(conv->window.extra));
  return finishConvolution<nn::DepthwiseConv2dOp>(op, *conv);
}

LogicalResult convertGrouped(NnapiOperation &op) {
  FailureOr<Convolution> conv = readConvolution(op, {.first = 3, .extra = true});
  return failed(conv) ? failure() : finishConvolution<nn::GroupedConv2dOp>(op, *conv, conv->window.extra);
}

/// SAME pads like the convolution from the result back to the input; the trailing padding may be negative.
LogicalResult resolveTransposedPadding(NnapiOperation &op, NnapiWindow &window) {
  if (!window.same)
    return success();
  if (window.outputShape.size() != 4)
    return op.malformed("has an output shape of " + Twine(window.outputShape.size()) + " extents");
  for (unsigned axis : {0, 1}) {
    int64_t output = window.outputShape[axis + (window.channelsFirst ? 2 : 1)];
    if (output < 1)
      return op.malformed("has the extent " + Twine(output) + " in its output shape");
    int64_t total = firmware::samePaddingOf(output, window.stride[axis], window.kernel[axis]);
    window.pad[2 * axis] = std::max<int64_t>(total, 0) / 2;
    window.pad[2 * axis + 1] = total - window.pad[2 * axis];
  }
  return success();
}

LogicalResult convertTransposed(NnapiOperation &op) {
  FailureOr<Convolution> conv = readConvolution(op, {.first = 3, .outputShape = true});
  if (failed(conv) || failed(resolveTransposedPadding(op, conv->window)))
    return failure();
  const NnapiWindow &window = conv->window;
  return finishImage<nn::TransposeConv2dOp>(op, window.channelsFirst, conv->input, conv->filter, conv->bias,
                                            window.stride, window.pad, window.activation, conv->numerics);
}

LogicalResult convertFullyConnected(NnapiOperation &op) {
  Value input = op.value(0, "input"), filter = op.value(1, "weights"), bias = op.value(2, "bias");
  FailureOr<nn::Activation> activation = op.activation(3);
  if (!input || !filter || !bias || failed(activation))
    return failure();
  return finish<nn::FullyConnectedOp>(op, input, filter, bias, /*keepDims=*/false, *activation,
                                      nn::NumericsAttr::get(input.getContext(), nn::Numerics::FloatScales));
}

LogicalResult convertBatchMatmul(NnapiOperation &op) {
  FailureOr<bool> transposeLhs = op.boolean(2, "lhs transposition"), transposeRhs = op.boolean(3, "rhs transposition");
  if (failed(transposeLhs) || failed(transposeRhs))
    return failure();
  return convertMatrixProduct(op, *transposeLhs, *transposeRhs);
}

template <typename PoolOp> LogicalResult convertPool(NnapiOperation &op) {
  FailureOr<NnapiWindow> window = readWindow(op, {.first = 1, .kernel = true});
  Value input = failed(window) ? Value() : imageValue(op, 0, "input", window->channelsFirst);
  if (!input || failed(resolvePadding(op, *window, extentsOf(input))))
    return failure();
  auto finishPool = [&](auto... centered) {
    return finishImage<PoolOp>(op, window->channelsFirst, input, window->kernel, window->stride, window->pad,
                               window->activation, centered...);
  };
  // Averages of unsigned types round like those of signed types.
  if constexpr (std::is_same_v<PoolOp, nn::AveragePool2dOp>)
    return finishPool(/*centered=*/true);
  else
    return finishPool();
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Conv2d, 7, 13, scalarsFrom(3), convertConv},
    {OperationType::DepthwiseConv2d, 8, 14, scalarsFrom(3), convertDepthwise},
    {OperationType::GroupedConv2d, 9, 12, scalarsFrom(3), convertGrouped},
    {OperationType::TransposeConv2d, 9, 11, scalarsFrom(3), convertTransposed, transposedShapeChoices},
    {OperationType::BatchMatmul, 4, 4, 1 << 2 | 1 << 3, convertBatchMatmul},
    {OperationType::FullyConnected, 4, 4, 1 << 3, convertFullyConnected},
    {OperationType::AveragePool2d, 7, 11, scalarsFrom(1), convertPool<nn::AveragePool2dOp>},
    {OperationType::L2Pool2d, 7, 11, scalarsFrom(1), convertPool<nn::L2Pool2dOp>},
    {OperationType::MaxPool2d, 7, 11, scalarsFrom(1), convertPool<nn::MaxPool2dOp>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiConvConverters() { return kConverters; }

} // namespace avocet::compiler
