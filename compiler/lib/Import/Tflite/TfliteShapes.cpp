//===- TfliteShapes.cpp - Shapes of results from operands -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes that the file records for results do not count if they follow from operands. Most converters compute the
// shapes of their results anyway. The rules here are for the others. Without a new shape of an input, the recorded
// shape of a result counts where it depends on data.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Moves.h"
#include "TfliteGraph.h"
#include "TfliteWindow.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler {

/// The tensor of an input that has the name in the signature or in the graph; -1: none.
static int32_t findInput(const TfliteFile &file, const tflite::SignatureDef *signature, StringRef name) {
  for (uint32_t i = 0; signature && signature->inputs() && i < signature->inputs()->size(); ++i) {
    const auto &entry = *signature->inputs()->Get(i);
    if (entry.name() && name == StringRef(entry.name()->c_str(), entry.name()->size()))
      return static_cast<int32_t>(entry.tensor());
  }
  const auto *inputs = file.graph().inputs();
  for (uint32_t i = 0; inputs && i < inputs->size(); ++i)
    if (file.tensorName(inputs->Get(i)) == name)
      return inputs->Get(i);
  return -1;
}

static std::string textOf(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "no extents" : text;
}

/// "'x' (1x224x224x3), 'y' (4)"
static std::string describeInputs(const TfliteFile &file) {
  std::string text;
  const auto *inputs = file.graph().inputs();
  for (uint32_t i = 0; inputs && i < inputs->size(); ++i)
    text += (i == 0 ? "'" : ", '") + file.tensorName(inputs->Get(i)) + "' (" + textOf(file.shape(inputs->Get(i))) + ")";
  return text.empty() ? "none" : text;
}

LogicalResult TfliteGraph::setInputShapes(std::span<const InputShape> shapes, const tflite::SignatureDef *signature) {
  const std::string inputs = describeInputs(file_);
  llvm::DenseSet<int32_t> given;
  for (const InputShape &shape : shapes) {
    const int32_t tensor = findInput(file_, signature, shape.name);
    if (tensor < 0)
      return emitError(state_.location) << "the model has no input '" << shape.name << "' to give a shape to; it has "
                                        << inputs;
    if (!given.insert(tensor).second)
      return emitError(state_.location) << "the input '" << shape.name << "' gets two shapes";
    const SmallVector<int64_t> recorded = file_.shape(tensor);
    if (recorded.size() != shape.extents.size())
      return emitError(state_.location) << "the shape " << textOf(shape.extents) << " of the input '" << shape.name
                                        << "' has rank " << shape.extents.size() << ", must have " << recorded.size()
                                        << "; the model has the inputs " << inputs;
    if (!nn::isBounded(shape.extents))
      return emitError(state_.location) << "the shape of the input '" << shape.name
                                        << "' must have extents above 0 and less than 2^31 elements";
    state_.isResized |= ArrayRef<int64_t>(shape.extents) != ArrayRef<int64_t>(recorded);
    file_.setShape(tensor, shape.extents);
  }
  return success();
}

namespace {

using Shape = FailureOr<SmallVector<int64_t>>;

/// An extent of -1 takes the elements that the others leave.
Shape reshapeShape(TfliteOperator &op) {
  Shape input = op.inputShape(0);
  if (failed(input))
    return failure();
  auto *options = op.options<tflite::ReshapeOptions>();
  SmallVector<int64_t> shape;
  if (op.hasInput(1)) {
    Shape known = op.integers(1, "new shape");
    if (failed(known))
      return failure();
    shape = *known;
  } else if (options && options->new_shape()) {
    shape.assign(options->new_shape()->begin(), options->new_shape()->end());
  }
  const int64_t elements = llvm::product_of(*input, int64_t(1));
  int64_t product = 1, *open = nullptr;
  for (int64_t &extent : shape) {
    if (extent == -1 && !open)
      open = &extent;
    else if (extent < 1 || __builtin_mul_overflow(product, extent, &product))
      return op.refuse("new shape", "has extents above 0 and at most one -1", textOf(shape));
  }
  if (open && elements % product == 0)
    *open = elements / product;
  else if (open || product != elements)
    return op.refuse("new shape", "has as many elements as the input, " + Twine(elements), textOf(shape));
  return shape;
}

Shape expandShape(TfliteOperator &op) {
  Shape input = op.inputShape(0);
  FailureOr<int64_t> axis =
      failed(input) ? FailureOr<int64_t>(failure()) : op.axis(1, static_cast<int64_t>(input->size()) + 1);
  if (failed(axis))
    return failure();
  input->insert(input->begin() + *axis, 1);
  return input;
}

Shape squeezeShape(TfliteOperator &op) {
  auto *options = op.options<tflite::SqueezeOptions>();
  Shape input = op.inputShape(0);
  if (failed(input) || !options || !options->squeeze_dims() || options->squeeze_dims()->size() == 0)
    return failed(input) ? input : squeezedShape(op, *input, std::nullopt);
  return squeezedShape(op, *input,
                       SmallVector<int64_t>(options->squeeze_dims()->begin(), options->squeeze_dims()->end()));
}

/// Fails unless SAME or VALID windows over the result give the input.
Shape transposeConvShape(TfliteOperator &op) {
  auto *options = op.options<tflite::TransposeConvOptions>();
  Shape shape = op.integers(0, "result's shape", 4), filter = op.inputShape(1), input = op.inputShape(2);
  if (!options)
    return op.malformed("lacks its options");
  if (failed(shape) || failed(filter) || failed(input))
    return failure();
  if (filter->size() != 4 || input->size() != 4)
    return op.refuse("input and filter", "rank", "another", "4");
  const std::array<int64_t, 2> stride{options->stride_h(), options->stride_w()};
  auto pad = explicitPadding(
      op, {options->padding(), {(*shape)[1], (*shape)[2]}, {(*filter)[1], (*filter)[2]}, stride, {1, 1}});
  if (failed(pad))
    return failure();
  for (unsigned axis : {0, 1}) {
    const int64_t room = (*shape)[1 + axis] + (*pad)[2 * axis] + (*pad)[2 * axis + 1] - (*filter)[1 + axis];
    if (room < 0 || room / stride[axis] + 1 != (*input)[1 + axis])
      return op.refuse("result's shape", "fits the input " + textOf(*input), textOf(*shape));
  }
  return shape;
}

/// The operand has the shape.
Shape conv3dTransposeShape(TfliteOperator &op) { return op.integers(0, "result's shape", 5); }

/// `count` segments of the slices that the operand with the numbers of the segments leaves.
Shape segmentsShape(TfliteOperator &op, int64_t count) {
  Shape data = op.inputShape(0), segments = op.inputShape(1);
  if (failed(data) || failed(segments))
    return failure();
  if (segments->size() > data->size())
    return op.malformed("must have a segment for each slice");
  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape, ArrayRef<int64_t>(*data).drop_front(segments->size()));
  return shape;
}

/// The numbers of the segments ascend.
Shape segmentSumShape(TfliteOperator &op) {
  Shape segments = op.integers(1, "segments");
  if (failed(segments))
    return failure();
  return segmentsShape(op, segments->empty() ? 0 : segments->back() + 1);
}

Shape unsortedSegmentShape(TfliteOperator &op) {
  Shape count = op.integers(2, "number of segments", 1);
  return failed(count) ? Shape(failure()) : segmentsShape(op, count->front());
}

using tflite::BuiltinOperator;
constexpr TfliteShapeRule kRules[] = {
    {BuiltinOperator::CONV_3D_TRANSPOSE, conv3dTransposeShape},
    {BuiltinOperator::EXPAND_DIMS, expandShape},
    {BuiltinOperator::RESHAPE, reshapeShape},
    {BuiltinOperator::SEGMENT_SUM, segmentSumShape},
    {BuiltinOperator::SQUEEZE, squeezeShape},
    {BuiltinOperator::TRANSPOSE_CONV, transposeConvShape},
    {BuiltinOperator::UNSORTED_SEGMENT_MAX, unsortedSegmentShape},
    {BuiltinOperator::UNSORTED_SEGMENT_MIN, unsortedSegmentShape},
    {BuiltinOperator::UNSORTED_SEGMENT_PROD, unsortedSegmentShape},
    {BuiltinOperator::UNSORTED_SEGMENT_SUM, unsortedSegmentShape},
};

} // namespace

const TfliteShapeRule *findTfliteShapeRule(BuiltinOperator code) {
  const auto *rule = llvm::find_if(kRules, [code](const TfliteShapeRule &each) { return each.code == code; });
  return rule == std::end(kRules) ? nullptr : rule;
}

} // namespace avocet::compiler
