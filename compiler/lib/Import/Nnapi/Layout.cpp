//===- Layout.cpp - Channels first and channels last ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "Import/Common/Axes.h"

using namespace mlir;

namespace avocet::compiler {

FailureOr<bool> isNchw(NnapiOperation &op, uint32_t position) {
  return op.hasInput(position) ? op.boolean(position, "layout") : FailureOr<bool>(false);
}

SmallVector<int64_t> layoutShape(ArrayRef<int64_t> nhwc, bool nchw) {
  return nchw ? SmallVector<int64_t>{nhwc[0], nhwc[3], nhwc[1], nhwc[2]} : SmallVector<int64_t>(nhwc);
}

Value imageValue(NnapiOperation &op, uint32_t position, StringRef operand, bool nchw) {
  Value value = ofRank(op, op.value(position, operand), operand, 4);
  return nchw ? channelsLast(op, value) : value;
}

LogicalResult finishImage(NnapiOperation &op, Value value, bool nchw, uint32_t position) {
  return op.finish(nchw ? channelsFirst(op, value) : value, position);
}

} // namespace avocet::compiler
