//===- StoredBytes.cpp - Bytes of constants in the data cache ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredBytes.h"

#include "Storage.h"

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler {

static uint64_t plainBytes(Value value) {
  RankedTensorType type = tensorOf(value);
  auto stored = npu::dataTypeOf(storageElement(type.getElementType()));
  return stored ? static_cast<uint64_t>(type.getNumElements()) * firmware::sizeOf(*stored) : 0;
}

uint64_t storedBytes(nn::ConstantOp constant) { return plainBytes(constant.getOutput()); }

uint64_t recordBytes(const nn::Work &work) {
  const auto scaling = work.hasWideSums ? firmware::OutputScaling::RequantizeWide : firmware::OutputScaling::Requantize;
  return work.channels * firmware::channelRecordBytes(scaling);
}

uint64_t constantBytesOf(Operation *op, const nn::Work &work, llvm::DenseSet<Operation *> &counted) {
  uint64_t bytes = recordBytes(work);
  for (Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<nn::ConstantOp>();
    if (!constant || operand == work.bias || !counted.insert(constant).second)
      continue;
    const uint64_t stored = storedBytes(constant);
    bytes += work.kind == nn::WorkKind::Move ? std::min(stored, plainBytes(op->getResult(0))) : stored;
  }
  return bytes;
}

} // namespace avocet::compiler
