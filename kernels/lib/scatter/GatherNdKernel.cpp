//===- GatherNdKernel.cpp - Slices at run-time coordinates ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/Sections.h"
#include "scatter/Slices.h"

#include <cstring>

namespace avocet::kernels {

using namespace firmware;

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
