//===- DspKernel.cpp - Base of all vector DSP kernels ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/DspKernel.h"

#include "common/Elements.h"
#include "common/FeatureMapView.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

static Status checkLanes(const Target &target, DataType type) {
  if (target.dsp().lanes[static_cast<uint32_t>(type)] == 0)
    return unsupported("the DSP of target " + target.name() + " does not compute with " + std::string(toString(type)));
  return Status::ok();
}

static Status checkMaps(std::string_view kind, const std::vector<FeatureMap> &maps, OperandCount count,
                        const Target &target) {
  if (maps.size() < count.least || maps.size() > count.most)
    return ruleBroken(std::string(kind) + " operands", maps.size(),
                      "from " + std::to_string(count.least) + " to " + std::to_string(count.most));
  for (size_t i = 0; i < maps.size(); ++i) {
    std::string name = std::string(kind) + std::to_string(i);
    AVOCET_RETURN_IF_ERROR(checkMap(name, maps[i]));
    AVOCET_RETURN_IF_ERROR(checkLanes(target, maps[i].type).withContext(name));
  }
  return Status::ok();
}

Status DspKernel::check(const Target &target, const CommandBody &body) const {
  const auto &command = std::get<DspCommand>(body);
  AVOCET_RETURN_IF_ERROR(checkMaps("input", command.inputs, inputCount(), target).withContext(name()));
  AVOCET_RETURN_IF_ERROR(checkMaps("output", command.outputs, outputCount(), target).withContext(name()));
  AVOCET_RETURN_IF_ERROR(checkOperands(command).withContext(name()));
  // Checks the type of the sums too, which is often wider than the operands.
  return checkLanes(target, work(command).type).withContext(name());
}

void DspKernel::run(const Target &, const CommandBody &body, std::span<uint8_t> sram) const {
  compute(std::get<DspCommand>(body), sram);
}

std::optional<BadIndex> DspKernel::findBadIndex(const CommandBody &body, std::span<uint8_t> sram) const {
  return badIndexOf(std::get<DspCommand>(body), sram);
}

TileCost DspKernel::cost(const Target &target, const CommandBody &body) const {
  const auto &command = std::get<DspCommand>(body);
  return dspCost(target, command, work(command));
}

uint32_t DspKernel::parts(const CommandBody &body) const { return partsOf(std::get<DspCommand>(body)); }

CommandBody DspKernel::part(const CommandBody &body, uint32_t first, uint32_t count) const {
  return partOf(std::get<DspCommand>(body), first, count);
}

DspWork elementWork(const DspCommand &command, uint64_t ops, DataType type) {
  DspWork work;
  work.type = type;
  work.elementOps = ops * elementCount(command.inputs[0]);
  work.rows = uint64_t(command.inputs[0].height) * command.inputs[0].width;
  for (const FeatureMap &map : command.inputs)
    work.bytesRead += byteCount(map);
  for (const FeatureMap &map : command.outputs)
    work.bytesWritten += byteCount(map);
  return work;
}

bool isDense(const FeatureMap &map) {
  const bool wraps = map.firstRow + map.height > map.ringRows;
  return hasDenseRows(map) && !wraps && (map.height == 1 || map.rowStride == map.width * map.pixelStride);
}

DspWork pointwiseWork(const DspCommand &command, uint64_t ops, DataType type) {
  DspWork work = elementWork(command, ops, type);
  const auto all = [&](auto is) {
    return std::ranges::all_of(command.inputs, is) && std::ranges::all_of(command.outputs, is);
  };
  if (all(isDense))
    work.rows = 1;
  else if (all(hasDenseRows))
    work.rows = command.inputs[0].height;
  return work;
}

} // namespace avocet::kernels
