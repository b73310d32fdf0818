//===- ScatterKernel.cpp - Slices combined into a table -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Extremes.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/Sections.h"
#include "scatter/Slices.h"

#include <algorithm>
#include <cstring>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Sums and products of integers are computed without a sign, because an overflow must wrap.
template <typename T>
using Wide = std::conditional_t<!std::is_integral_v<T>, float, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

template <typename T> T combined(ScatterKind kind, T old, T next) {
  switch (kind) {
  case ScatterKind::Set:
    return next;
  case ScatterKind::Sum:
    return static_cast<T>(static_cast<Wide<T>>(old) + static_cast<Wide<T>>(next));
  case ScatterKind::Product:
    return static_cast<T>(static_cast<Wide<T>>(old) * static_cast<Wide<T>>(next));
  case ScatterKind::Max:
    return largerOf(old, next);
  case ScatterKind::Min:
    return smallerOf(old, next);
  }
  return old;
}

/// Inputs by their meaning: a state, which is in place of the table, comes last.
struct Inputs {
  size_t table = 0, indices = 1, updates = 2;

  explicit Inputs(const std::optional<Section> &section) {
    if (section && !section->isFirst)
      *this = {2, 0, 1};
  }

private:
  Inputs(size_t table, size_t indices, size_t updates) : table(table), indices(indices), updates(updates) {}
};

Inputs inputsOf(const DspCommand &command) { return Inputs(sectionedOf<ScatterParameters>(command).section); }

template <typename T> void scatter(const DspCommand &command, std::span<uint8_t> sram) {
  const auto [p, section] = sectionedOf<ScatterParameters>(command);
  const Inputs inputs(section);
  const auto *indices = denseData<int32_t>(command.inputs[inputs.indices], sram);
  const T *updates = denseData<T>(command.inputs[inputs.updates], sram);
  T *table = denseData<T>(command.outputs[0], sram);
  for (uint64_t i = 0; i < p.table.count; ++i) {
    const auto slice = sliceInside(p.table, section.value_or(wholeTable(p.table)), indices + i * p.table.depth);
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
    AVOCET_ASSIGN_OR_RETURN(const auto sectioned, unpackSectioned<ScatterParameters>(command.parameters));
    const auto &[p, section] = sectioned;
    const Inputs inputs(section);
    const FeatureMap &table = command.inputs[inputs.table], &updates = command.inputs[inputs.updates],
                     &output = command.outputs[0];
    if (section)
      AVOCET_RETURN_IF_ERROR(checkSectionFields(*section, p.table.extents[0]));
    if (static_cast<uint32_t>(p.kind) >= kNumScatterKinds)
      return ruleBroken("kind", static_cast<uint32_t>(p.kind), "a known kind");
    AVOCET_RETURN_IF_ERROR(checkElements(p.kind, table.type));
    AVOCET_RETURN_IF_ERROR(checkType("updates", updates.type, {table.type}));
    AVOCET_RETURN_IF_ERROR(checkSlices(p.table, table, command.inputs[inputs.indices], "updates", updates));
    return checkSameTable("output0", output, table);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const FeatureMap &table = command.inputs[inputsOf(command).table];
    std::memmove(denseData<uint8_t>(command.outputs[0], sram), denseData<uint8_t>(table, sram), byteCount(table));
    if (table.type == DataType::Bool8)
      return scatter<uint8_t>(command, sram);
    withNumberType(table.type, [&](auto element) { scatter<decltype(element)>(command, sram); });
  }

  std::optional<BadIndex> badIndexOf(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto [p, section] = sectionedOf<ScatterParameters>(command);
    const auto *indices = denseData<int32_t>(command.inputs[Inputs(section).indices], sram);
    const Section part = section.value_or(wholeTable(p.table));
    if (areInside(p.table, part, indices))
      return std::nullopt;
    for (uint64_t i = 0; i < p.table.count; ++i) {
      const int32_t *row = indices + i * p.table.depth;
      if (*row == kLeftOut)
        continue;
      if (const auto bad = badCoordinate(p.table, part, row))
        return bad;
    }
    return std::nullopt;
  }

  /// Two operations for each coordinate and each element of a slice; the table is copied in words.
  DspWork work(const DspCommand &command) const override {
    const auto sectioned = sectionedOf<ScatterParameters>(command);
    const SliceTable &shape = sectioned.parameters.table;
    const Inputs inputs(sectioned.section);
    const FeatureMap &table = command.inputs[inputs.table], &indices = command.inputs[inputs.indices];
    const uint64_t updates = byteCount(command.inputs[inputs.updates]);
    const uint64_t copied = beginOf(table) == beginOf(command.outputs[0]) ? 0 : byteCount(table);
    DspWork work;
    work.type = DataType::Int32;
    work.bytesWritten = copied + updates;
    work.bytesRead = copied + byteCount(indices) + 2 * updates;
    work.elementOps = copied / 4 + 2 * (elementCount(indices) + elementCount(command.inputs[inputs.updates]));
    work.rows = shape.count + 1;
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    return sectionedOf<ScatterParameters>(command).parameters.table.count;
  }

  /// The first part copies the table; the others change the copy.
  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto sectioned = sectionedOf<ScatterParameters>(command);
    SliceTable &shape = sectioned.parameters.table;
    const Inputs inputs(sectioned.section);
    DspCommand part = command;
    if (first > 0)
      part.inputs[inputs.table] = part.outputs[0];
    part.inputs[inputs.indices] = denseSlices(part.inputs[inputs.indices], shape.depth, first, count);
    part.inputs[inputs.updates] = denseSlices(part.inputs[inputs.updates], shape.slice, first, count);
    shape.count = count;
    part.parameters = packSectioned(sectioned);
    return part;
  }

private:
  static Status checkElements(ScatterKind kind, DataType type) {
    if (type == DataType::Bool8)
      return kind == ScatterKind::Set ? Status::ok()
                                      : ruleBroken("kind", static_cast<uint32_t>(kind), "Set for truth values");
    return checkType("input0", type,
                     {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32, DataType::Int64,
                      DataType::Float16, DataType::Float32});
  }
};

} // namespace

const Kernel &scatterKernel() {
  static const ScatterKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
