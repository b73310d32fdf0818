//===- Lookup.cpp - Functions of 8-bit values as tables ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lookup.h"

#include "ImageRows.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

LogicalResult placeLookup(Operation *op, Placement &placement, llvm::function_ref<int64_t(int32_t)> function) {
  Quantization from = quantizationOf(op->getOperand(0)), to = quantizationOf(op->getResult(0));
  int32_t least = kernels::minValue(to.type), most = kernels::maxValue(to.type);
  constexpr size_t kEntries = 256;
  Value table = placement.bytes(op, "table", kEntries, [&](llvm::MutableArrayRef<uint8_t> bytes) {
    for (size_t pattern = 0; pattern < kEntries; ++pattern) {
      // The index is the input's bit pattern.
      int32_t stored = from.type == DataType::Int8 ? static_cast<int8_t>(pattern) : static_cast<int32_t>(pattern);
      bytes[pattern] = static_cast<uint8_t>(std::clamp<int64_t>(function(stored), least, most));
    }
  });
  LookupCommand command;
  command.input.zeroPoint = from.zeroPoint;
  command.output.zeroPoint = to.zeroPoint;
  const auto [input, result] = inRows(op, placement);
  auto lookup =
      npu::LookupOp::create(placement.builder(), op->getLoc(), result, input, table, command, placement.layerOf(op));
  command.input = fullMap(lookup.getInput(), from.zeroPoint);
  command.output = fullMap(lookup.getResult(), to.zeroPoint);
  if (failed(placement.check(op, command)))
    return failure();
  return placement.finish(op, lookup);
}

} // namespace avocet::compiler
