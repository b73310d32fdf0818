//===- ScatterKernel.cpp - Slices combined into a table ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Scatter.h"
#include "avocet/kernels/dsp/Section.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/NdShape.h"
#include "common/Sections.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace avocet::kernels {
namespace {

/// The section that a whole table is.
inline Section wholeTable(const SliceTable &shape) { return {1, 1, 0, shape.extents[0]}; }

using namespace firmware;

/// Ok if the table, the indices and `slices` are dense and have the shapes.
Status checkSlices(const SliceTable &shape, const FeatureMap &table, const FeatureMap &indices, std::string_view name,
                   const FeatureMap &slices) {
  if (shape.depth == 0 || shape.depth > SliceTable::kMaxDepth)
    return ruleBroken("depth", shape.depth, "1 to " + std::to_string(SliceTable::kMaxDepth));
  AVOCET_RETURN_IF_ERROR(checkType("input1", indices.type, {DataType::Int32}));
  AVOCET_RETURN_IF_ERROR(checkDenseCount("input1", indices, {shape.count, shape.depth}));
  AVOCET_RETURN_IF_ERROR(checkDenseCount(name, slices, {shape.count, shape.slice}));
  const auto extent = [&](uint32_t axis) -> uint64_t { return axis < shape.depth ? shape.extents[axis] : 1; };
  return checkDenseCount(
      "input0", table,
      {extent(0), extent(1), extent(2), extent(3), extent(4), extent(5), extent(6), extent(7), shape.slice});
}

/// Ok if the maps have one type and equally many elements, and `map` is dense.
Status checkSameTable(std::string_view name, const FeatureMap &map, const FeatureMap &other) {
  AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {other.type}));
  return checkDenseCount(name, map, {elementCount(other)});
}

/// Number of the slice at the coordinates of a row of indices; nullopt if one is outside of its extent, or the slice is
/// in another section of the first axis.
std::optional<uint64_t> sliceInside(const SliceTable &shape, const Section &section, const int32_t *coordinates) {
  uint64_t slice = 0;
  for (uint32_t axis = 0; axis < shape.depth; ++axis) {
    const int64_t coordinate = int64_t(coordinates[axis]) - (axis == 0 ? section.begin : 0);
    if (coordinate < 0 || coordinate >= shape.extents[axis])
      return std::nullopt;
    slice = slice * shape.extents[axis] + static_cast<uint64_t>(coordinate);
  }
  return slice;
}

/// The same with each coordinate outside of its extent replaced by the nearest one inside.
std::optional<uint64_t> nearestSlice(const SliceTable &shape, const Section &section, const int32_t *coordinates) {
  std::array<int32_t, SliceTable::kMaxDepth> nearest{};
  for (uint32_t axis = 0; axis < shape.depth; ++axis) {
    const int64_t extent = axis == 0 ? section.length : shape.extents[axis];
    nearest[axis] = static_cast<int32_t>(std::clamp<int64_t>(coordinates[axis], 0, extent - 1));
  }
  return sliceInside(shape, section, nearest.data());
}

/// Of the whole table.
static uint32_t extentOf(const SliceTable &shape, const Section &section, uint32_t axis) {
  return axis == 0 ? section.length : shape.extents[axis];
}

/// Whether no row has a badCoordinate(). Quick, as almost all data is good.
bool areInside(const SliceTable &shape, const Section &section, const int32_t *indices) {
  bool inside = true;
  for (uint32_t axis = 0; axis < shape.depth; ++axis) {
    const uint32_t extent = extentOf(shape, section, axis);
    const int32_t *coordinate = indices + axis;
    for (uint32_t i = 0; i < shape.count; ++i, coordinate += shape.depth)
      inside &= isInside(*coordinate, extent);
  }
  return inside;
}

/// The first coordinate of a row that is outside of its extent, that of the whole table along the first axis.
std::optional<BadIndex> badCoordinate(const SliceTable &shape, const Section &section, const int32_t *coordinates) {
  for (uint32_t axis = 0; axis < shape.depth; ++axis) {
    const uint32_t extent = extentOf(shape, section, axis);
    if (!isInside(coordinates[axis], extent))
      return BadIndex{coordinates[axis], extent};
  }
  return std::nullopt;
}

} // namespace

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
    if (table.type == DataType::BFloat16)
      return scatter<uint16_t>(command, sram);
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
    if (type == DataType::Bool8 || type == DataType::BFloat16)
      return kind == ScatterKind::Set
                 ? Status::ok()
                 : ruleBroken("kind", static_cast<uint32_t>(kind), "Set for " + std::string(toString(type)));
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

namespace {

class GatherNdKernel : public DspKernel {
public:
  KernelId id() const override { return kGatherNdKernel; }

protected:
  OperandCount inputCount() const override { return {2, 3}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(const auto sectioned, unpackSectioned<SliceTable>(command.parameters));
    const auto &[shape, section] = sectioned;
    AVOCET_RETURN_IF_ERROR(checkSection(command, section, 2, shape.extents[0]));
    if (section && !section->isFirst)
      AVOCET_RETURN_IF_ERROR(checkSameTable("input2", command.inputs[2], command.outputs[0]));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {command.inputs[0].type}));
    return checkSlices(shape, command.inputs[0], command.inputs[1], "output0", command.outputs[0]);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto [shape, section] = sectionedOf<SliceTable>(command);
    const uint64_t bytes = uint64_t(shape.slice) * sizeOf(command.outputs[0].type);
    const auto *table = denseData<uint8_t>(command.inputs[0], sram);
    const auto *indices = denseData<int32_t>(command.inputs[1], sram);
    auto *output = denseData<uint8_t>(command.outputs[0], sram);
    if (section)
      startResults(command, *section, sram);
    for (uint64_t i = 0; i < shape.count; ++i)
      if (auto slice = nearestSlice(shape, section.value_or(wholeTable(shape)), indices + i * shape.depth))
        std::memmove(output + i * bytes, table + *slice * bytes, bytes);
  }

  std::optional<BadIndex> badIndexOf(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto [shape, section] = sectionedOf<SliceTable>(command);
    const auto *indices = denseData<int32_t>(command.inputs[1], sram);
    const Section part = section.value_or(wholeTable(shape));
    if (areInside(shape, part, indices))
      return std::nullopt;
    for (uint64_t i = 0; i < shape.count; ++i)
      if (const auto bad = badCoordinate(shape, part, indices + i * shape.depth))
        return bad;
    return std::nullopt;
  }

  /// Two operations for each coordinate, and whole words of the slices; nothing else of the table is read.
  DspWork work(const DspCommand &command) const override {
    const SliceTable shape = sectionedOf<SliceTable>(command).parameters;
    DspWork work;
    work.type = DataType::Int32;
    work.bytesWritten = byteCount(command.outputs[0]);
    work.bytesRead = work.bytesWritten + byteCount(command.inputs[1]);
    work.elementOps = work.bytesWritten / 4 + 1 + 2ull * shape.count * shape.depth;
    work.rows = shape.count;
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    return sectionedOf<SliceTable>(command).parameters.count;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto sectioned = sectionedOf<SliceTable>(command);
    SliceTable &shape = sectioned.parameters;
    DspCommand part = command;
    part.inputs[1] = denseSlices(part.inputs[1], shape.depth, first, count);
    if (part.inputs.size() == 3)
      part.inputs[2] = denseSlices(part.inputs[2], shape.slice, first, count);
    part.outputs[0] = denseSlices(part.outputs[0], shape.slice, first, count);
    shape.count = count;
    part.parameters = packSectioned(sectioned);
    return part;
  }

private:
  /// The results of the sections before.
  static void startResults(const DspCommand &command, const Section &section, std::span<uint8_t> sram) {
    auto *output = denseData<uint8_t>(command.outputs[0], sram);
    if (section.isFirst)
      std::memset(output, 0, byteCount(command.outputs[0]));
    else
      std::memmove(output, denseData<uint8_t>(command.inputs[2], sram), byteCount(command.outputs[0]));
  }
};

} // namespace

const Kernel &gatherNdKernel() {
  static const GatherNdKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
