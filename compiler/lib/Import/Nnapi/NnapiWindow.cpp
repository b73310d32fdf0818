//===- NnapiWindow.cpp - Scalars of operations with windows -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiWindow.h"

#include "Import/Common/Window.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

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
    return failed_ ? nn::Activation::None : *value;
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

} // namespace

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

LogicalResult resolvePadding(NnapiOperation &op, NnapiWindow &window, std::array<int64_t, 2> input) {
  for (unsigned axis = 0; window.same && axis < 2; ++axis) {
    auto same = samePadding(op, axisOf(window, axis, input[axis]));
    if (failed(same))
      return failure();
    llvm::copy(*same, &window.pad[2 * axis]);
  }
  return success();
}

FailureOr<std::array<int64_t, 2>> windowedExtents(NnapiOperation &op, const NnapiWindow &window,
                                                  std::array<int64_t, 2> input) {
  std::array<int64_t, 2> extents;
  for (unsigned axis : {0, 1}) {
    int64_t reach = axisOf(window, axis, input[axis]).reach();
    int64_t padded = input[axis] + window.pad[2 * axis] + window.pad[2 * axis + 1];
    if (window.pad[2 * axis + 1] < 0 || reach > padded)
      return op.malformed("has a window of " + Twine(reach) + " on a padded input of " + Twine(padded));
    extents[axis] = (padded - reach) / window.stride[axis] + 1;
  }
  return extents;
}

} // namespace avocet::compiler
