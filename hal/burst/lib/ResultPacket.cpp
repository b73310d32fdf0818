//===- ResultPacket.cpp - Outcomes as elements of a queue -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/burst/BurstPacket.h"

#include "Datums.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>

namespace avocet::hal {
namespace {

using Kind = FmqResultDatum::Kind;

constexpr uint64_t kNotMeasured = std::numeric_limits<uint64_t>::max();

/// The codes of 1.2 end at InvalidArgument.
ErrorStatus toWire(ErrorStatus status) {
  return status > ErrorStatus::InvalidArgument ? ErrorStatus::GeneralFailure : status;
}

uint64_t toWire(const OptionalDuration &time) {
  return time ? static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(*time).count())
              : kNotMeasured;
}

/// False if a Duration cannot represent the time.
bool fromWire(uint64_t microseconds, OptionalDuration &time) {
  time.reset();
  if (microseconds == kNotMeasured)
    return true;
  if (microseconds > static_cast<uint64_t>(Duration::max().count()) / 1000)
    return false;
  time = Duration(static_cast<int64_t>(microseconds * 1000));
  return true;
}

Error malformed(const std::string &what) { return generalFailure("burst: result packet: " + what); }

using Reader = DatumReader<FmqResultDatum>;

Outcome readShape(Reader &reader, OutputShape &shape) {
  const auto datum = reader.take(Kind::OperandInformation);
  if (!datum || datum->operand.isSufficient > 1)
    return malformed("an operand's information is missing or wrong");
  uint32_t rank = datum->operand.numberOfDimensions;
  if (rank > reader.left())
    return malformed(fmt::format("an operand has {} dimensions, {} elements are left", rank, reader.left()));
  shape.isSufficient = datum->operand.isSufficient != 0;
  shape.dimensions.resize(rank);
  for (uint32_t &extent : shape.dimensions) {
    const auto value = reader.take(Kind::OperandDimensionValue);
    if (!value)
      return malformed("a dimension of an operand is missing");
    extent = value->dimension;
  }
  return success();
}

Outcome readTiming(Reader &reader, Timing &timing) {
  const auto datum = reader.take(Kind::ExecutionTiming);
  if (!datum || reader.left() != 0)
    return malformed("its last element is missing, or followed by others");
  if (!fromWire(datum->timing.timeOnDevice, timing.timeOnDevice) ||
      !fromWire(datum->timing.timeInDriver, timing.timeInDriver))
    return malformed("a time is out of range");
  return success();
}

/// The rules of ExecutionOutcome.
Outcome checkRules(const ExecutionOutcome &outcome) {
  bool allSufficient = std::ranges::all_of(outcome.outputShapes, &OutputShape::isSufficient);
  if (outcome.isOk() && !allSufficient)
    return malformed("a success with an output that is insufficient");
  if (outcome.status == ErrorStatus::OutputInsufficientSize && allSufficient)
    return malformed("an insufficient size without an output that is insufficient");
  bool mayHaveShapes = outcome.isOk() || outcome.status == ErrorStatus::OutputInsufficientSize;
  if (!mayHaveShapes && !outcome.outputShapes.empty())
    return malformed("a failure with shapes");
  const Timing &timing = outcome.timing;
  if (!outcome.isOk() && (timing.timeOnDevice || timing.timeInDriver))
    return malformed("a failure with times");
  if (timing.timeOnDevice && timing.timeInDriver && *timing.timeOnDevice > *timing.timeInDriver)
    return malformed("more time on the device than in the driver");
  return success();
}

} // namespace

void writeResultPacket(const ExecutionOutcome &outcome, std::vector<FmqResultDatum> &packet) {
  packet.clear();
  appendDatum(packet, Kind::PacketInformation).packet = {0, static_cast<int32_t>(toWire(outcome.status)),
                                                         static_cast<uint32_t>(outcome.outputShapes.size())};
  for (const OutputShape &shape : outcome.outputShapes) {
    FmqResultDatum::OperandInformation &operand = appendDatum(packet, Kind::OperandInformation).operand;
    operand.isSufficient = shape.isSufficient ? 1 : 0;
    operand.numberOfDimensions = static_cast<uint32_t>(shape.dimensions.size());
    for (uint32_t extent : shape.dimensions)
      appendDatum(packet, Kind::OperandDimensionValue).dimension = extent;
  }
  appendDatum(packet, Kind::ExecutionTiming).timing = {toWire(outcome.timing.timeOnDevice),
                                                       toWire(outcome.timing.timeInDriver)};
  packet.front().packet.packetSize = static_cast<uint32_t>(packet.size());
}

Result<ExecutionOutcome> readResultPacket(std::span<const FmqResultDatum> packet) {
  Reader reader(packet);
  const auto first = reader.take(Kind::PacketInformation);
  if (!first || first->packet.packetSize != packet.size())
    return malformed(fmt::format("its information is missing, or its size is not {}", packet.size()));
  const FmqResultDatum::PacketInformation &information = first->packet;
  if (information.errorStatus < 0 || information.errorStatus > static_cast<int32_t>(ErrorStatus::InvalidArgument))
    return malformed(fmt::format("unknown status {}", information.errorStatus));
  if (information.numberOfOperands > reader.left())
    return malformed(fmt::format("{} operands, {} elements are left", information.numberOfOperands, reader.left()));
  ExecutionOutcome outcome;
  outcome.status = static_cast<ErrorStatus>(information.errorStatus);
  outcome.outputShapes.resize(information.numberOfOperands);
  for (OutputShape &shape : outcome.outputShapes)
    AVOCET_RETURN_IF_ERROR(readShape(reader, shape));
  AVOCET_RETURN_IF_ERROR(readTiming(reader, outcome.timing));
  AVOCET_RETURN_IF_ERROR(checkRules(outcome));
  if (!outcome.isOk())
    outcome.message = fmt::format("burst: the service answered {}", toString(outcome.status));
  return outcome;
}

} // namespace avocet::hal
