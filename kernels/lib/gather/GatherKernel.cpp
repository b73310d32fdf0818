//===- GatherKernel.cpp - Slices at run-time positions --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Gather.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/NdShape.h"
#include "common/Sections.h"

#include <algorithm>
#include <cstring>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Sets the result to that of the sections before.
void copyState(const DspCommand &command, const Section &section, std::span<uint8_t> sram) {
  auto *output = denseData<uint8_t>(command.outputs[0], sram);
  if (section.isFirst)
    std::memset(output, 0, byteCount(command.outputs[0]));
  else
    std::memmove(output, denseData<uint8_t>(command.inputs[2], sram), byteCount(command.outputs[0]));
}

/// Copies the slices at indices of type Index.
template <typename Index> void gather(const DspCommand &command, std::span<uint8_t> sram) {
  const auto [p, section] = sectionedOf<GatherParameters>(command);
  const uint64_t count = elementCount(command.inputs[1]);
  const uint64_t slice = uint64_t(p.inner) * sizeOf(command.outputs[0].type);
  const Section table = section.value_or(Section{1, 1, 0, p.extent});
  if (section)
    copyState(command, *section, sram);
  const auto *input = denseData<uint8_t>(command.inputs[0], sram);
  const auto *indices = denseData<Index>(command.inputs[1], sram);
  auto *output = denseData<uint8_t>(command.outputs[0], sram);
  for (uint64_t outer = 0; outer < p.outer; ++outer)
    for (uint64_t i = 0; i < count; ++i) {
      // Below begin, the difference wraps around to a large number.
      const uint64_t index =
          static_cast<uint64_t>(std::clamp<int64_t>(indices[i], 0, int64_t(table.length) - 1)) - table.begin;
      if (index >= p.extent)
        continue;
      std::memmove(output + (outer * count + i) * slice, input + (outer * p.extent + index) * slice, slice);
    }
}

template <typename Index> std::optional<BadIndex> badIndex(const DspCommand &command, std::span<uint8_t> sram) {
  const auto [p, section] = sectionedOf<GatherParameters>(command);
  const uint32_t extent = section ? section->length : p.extent;
  return badIndexIn(std::span<const Index>(denseData<Index>(command.inputs[1], sram), elementCount(command.inputs[1])),
                    extent);
}

class GatherKernel : public DspKernel {
public:
  KernelId id() const override { return kGatherKernel; }

protected:
  OperandCount inputCount() const override { return {2, 3}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &indices = command.inputs[1], &output = command.outputs[0];
    AVOCET_ASSIGN_OR_RETURN(const auto sectioned, unpackSectioned<GatherParameters>(command.parameters));
    const auto &[p, section] = sectioned;
    AVOCET_RETURN_IF_ERROR(checkSection(command, section, 2, p.extent));
    if (section && !section->isFirst) {
      AVOCET_RETURN_IF_ERROR(checkType("input2", command.inputs[2].type, {output.type}));
      AVOCET_RETURN_IF_ERROR(
          checkEqual("elements of input2", elementCount(command.inputs[2]), "output0", elementCount(output)));
    }
    AVOCET_RETURN_IF_ERROR(checkType("input1", indices.type, {DataType::Int32, DataType::Int64}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    AVOCET_RETURN_IF_ERROR(checkDense("input1", indices));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input0", input, {p.outer, p.extent, p.inner}));
    return checkDenseCount("output0", output, {p.outer, elementCount(indices), p.inner});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    if (command.inputs[1].type == DataType::Int32)
      return gather<int32_t>(command, sram);
    gather<int64_t>(command, sram);
  }

  std::optional<BadIndex> badIndexOf(const DspCommand &command, std::span<uint8_t> sram) const override {
    return command.inputs[1].type == DataType::Int32 ? badIndex<int32_t>(command, sram)
                                                     : badIndex<int64_t>(command, sram);
  }

  /// Counts whole words of the slices; nothing else of the input is read.
  DspWork work(const DspCommand &command) const override {
    const auto [p, section] = sectionedOf<GatherParameters>(command);
    DspWork work;
    work.type = DataType::Int32;
    work.bytesWritten = byteCount(command.outputs[0]);
    work.bytesRead = work.bytesWritten + byteCount(command.inputs[1]);
    work.elementOps = work.bytesWritten / 4 + 1;
    work.rows = uint64_t(p.outer) * elementCount(command.inputs[1]);
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    if (sectionedOf<GatherParameters>(command).section)
      return 1;
    const uint32_t outer = parametersOf<GatherParameters>(command).outer;
    return outer > 1 ? outer : static_cast<uint32_t>(elementCount(command.inputs[1]));
  }

  /// Parts are outer extents, or indices if there is only one.
  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part = command;
    if (partsOf(command) == 1)
      return part;
    auto p = parametersOf<GatherParameters>(command);
    if (p.outer > 1) {
      part.inputs[0] = denseSlices(part.inputs[0], uint64_t(p.extent) * p.inner, first, count);
      part.outputs[0] = denseSlices(part.outputs[0], elementCount(part.inputs[1]) * p.inner, first, count);
      p.outer = count;
      part.parameters = packParameters(p);
    } else {
      part.inputs[1] = denseSlices(part.inputs[1], 1, first, count);
      part.outputs[0] = denseSlices(part.outputs[0], p.inner, first, count);
    }
    return part;
  }
};

} // namespace

const Kernel &gatherKernel() {
  static const GatherKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
