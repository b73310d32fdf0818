//===- ScatterKernel.cpp - Slices combined into a table -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "scatter/Slices.h"

#include <algorithm>
#include <cstring>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Sums and products of integers are computed without a sign, because an overflow must wrap.
template <typename T> using Wide = std::conditional_t<std::is_integral_v<T>, uint32_t, float>;

template <typename T> T combined(ScatterKind kind, T old, T next) {
  switch (kind) {
  case ScatterKind::Set:
    return next;
  case ScatterKind::Sum:
    return static_cast<T>(static_cast<Wide<T>>(old) + static_cast<Wide<T>>(next));
  case ScatterKind::Product:
    return static_cast<T>(static_cast<Wide<T>>(old) * static_cast<Wide<T>>(next));
  case ScatterKind::Max:
    return std::max(old, next);
  case ScatterKind::Min:
    return std::min(old, next);
  }
  return old;
}

template <typename T> void scatter(const DspCommand &command, std::span<uint8_t> sram) {
  const auto p = parametersOf<ScatterParameters>(command);
  const auto *indices = denseData<int32_t>(command.inputs[1], sram);
  const T *updates = denseData<T>(command.inputs[2], sram);
  T *table = denseData<T>(command.outputs[0], sram);
  for (uint64_t i = 0; i < p.table.count; ++i) {
    const auto slice = sliceInside(p.table, indices + i * p.table.depth);
    for (uint64_t j = 0; slice && j < p.table.slice; ++j) {
      T &element = table[*slice * p.table.slice + j];
      element = combined(p.kind, element, updates[i * p.table.slice + j]);
    }
  }
}

class ScatterKernel : public DspKernel {
public:
  KernelId id() const override { return kScatterKernel; }

protected:
  OperandCount inputCount() const override { return 3; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &table = command.inputs[0], &updates = command.inputs[2], &output = command.outputs[0];
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<ScatterParameters>(command.parameters));
    if (static_cast<uint32_t>(p.kind) >= kNumScatterKinds)
      return ruleBroken("kind", static_cast<uint32_t>(p.kind), "a known kind");
    AVOCET_RETURN_IF_ERROR(checkElements(p.kind, table.type));
    AVOCET_RETURN_IF_ERROR(checkType("input2", updates.type, {table.type}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {table.type}));
    AVOCET_RETURN_IF_ERROR(checkSlices(p.table, table, command.inputs[1], "input2", updates));
    return checkDenseCount("output0", output, {elementCount(table)});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const FeatureMap &table = command.inputs[0];
    std::memmove(denseData<uint8_t>(command.outputs[0], sram), denseData<uint8_t>(table, sram), byteCount(table));
    if (table.type == DataType::Bool8)
      return scatter<uint8_t>(command, sram);
    withElementType(table.type, [&](auto element) { scatter<decltype(element)>(command, sram); });
  }

  /// Two operations for each coordinate and each element of a slice; the table is copied in words.
  DspWork work(const DspCommand &command) const override {
    const SliceTable shape = parametersOf<ScatterParameters>(command).table;
    const uint64_t updates = byteCount(command.inputs[2]);
    const uint64_t copied = isInPlace(command) ? 0 : byteCount(command.inputs[0]);
    DspWork work;
    work.type = DataType::Int32;
    work.bytesWritten = copied + updates;
    work.bytesRead = copied + byteCount(command.inputs[1]) + 2 * updates;
    work.elementOps = copied / 4 + 2 * (elementCount(command.inputs[1]) + elementCount(command.inputs[2]));
    work.rows = shape.count + 1;
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    return parametersOf<ScatterParameters>(command).table.count;
  }

  /// The first part copies the table; the others change the copy.
  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto p = parametersOf<ScatterParameters>(command);
    DspCommand part = command;
    if (first > 0)
      part.inputs[0] = part.outputs[0];
    part.inputs[1] = denseSlices(part.inputs[1], p.table.depth, first, count);
    part.inputs[2] = denseSlices(part.inputs[2], p.table.slice, first, count);
    p.table.count = count;
    part.parameters = packParameters(p);
    return part;
  }

private:
  static bool isInPlace(const DspCommand &command) { return beginOf(command.inputs[0]) == beginOf(command.outputs[0]); }

  static Status checkElements(ScatterKind kind, DataType type) {
    if (type == DataType::Bool8)
      return kind == ScatterKind::Set ? Status::ok()
                                      : ruleBroken("kind", static_cast<uint32_t>(kind), "Set for truth values");
    return checkType(
        "input0", type,
        {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32, DataType::Float16, DataType::Float32});
  }
};

} // namespace

const Kernel &scatterKernel() {
  static const ScatterKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
