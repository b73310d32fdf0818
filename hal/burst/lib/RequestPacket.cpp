//===- RequestPacket.cpp - Requests as elements of a queue -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/burst/BurstPacket.h"

#include "Datums.h"

#include <fmt/core.h>
#include <limits>

namespace avocet::hal {
namespace {

using Kind = FmqRequestDatum::Kind;

void appendOperands(const std::vector<RequestArgument> &arguments, Kind information, Kind dimensionValue,
                    std::vector<FmqRequestDatum> &packet) {
  for (const RequestArgument &argument : arguments) {
    FmqRequestDatum::OperandInformation &operand = appendDatum(packet, information).operand;
    operand.hasNoValue = argument.hasNoValue ? 1 : 0;
    operand.poolIndex = argument.location.poolIndex;
    operand.offset = static_cast<uint32_t>(argument.location.offset);
    operand.length = static_cast<uint32_t>(argument.location.length);
    operand.numberOfDimensions = static_cast<uint32_t>(argument.dimensions.size());
    for (uint32_t extent : argument.dimensions)
      appendDatum(packet, dimensionValue).dimension = extent;
  }
}

/// Counts elements and checks locations of one list of arguments.
bool fit(const std::vector<RequestArgument> &arguments, uint64_t &elements) {
  constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max();
  for (const RequestArgument &argument : arguments) {
    if (argument.location.offset > kMax || argument.location.length > kMax)
      return false;
    elements += 1 + argument.dimensions.size();
  }
  return true;
}

using Reader = DatumReader<FmqRequestDatum>;

Error malformed(const std::string &what) { return invalidArgument("burst: request packet: " + what); }

Outcome readOperand(Reader &reader, Kind information, Kind dimensionValue, RequestArgument &argument) {
  const auto datum = reader.take(information);
  if (!datum || datum->operand.hasNoValue > 1)
    return malformed("an operand's information is missing or wrong");
  const FmqRequestDatum::OperandInformation &operand = datum->operand;
  argument.hasNoValue = operand.hasNoValue != 0;
  argument.location = {operand.poolIndex, operand.offset, operand.length, 0};
  if (operand.numberOfDimensions > reader.left())
    return malformed(
        fmt::format("an operand has {} dimensions, {} elements are left", operand.numberOfDimensions, reader.left()));
  argument.dimensions.resize(operand.numberOfDimensions);
  for (uint32_t &extent : argument.dimensions) {
    const auto value = reader.take(dimensionValue);
    if (!value)
      return malformed("a dimension of an operand is missing");
    extent = value->dimension;
  }
  return success();
}

Outcome readOperands(Reader &reader, uint32_t count, Kind information, Kind dimensionValue,
                     std::vector<RequestArgument> &arguments) {
  if (count > reader.left())
    return malformed(fmt::format("{} operands, {} elements are left", count, reader.left()));
  arguments.resize(count);
  for (RequestArgument &argument : arguments)
    AVOCET_RETURN_IF_ERROR(readOperand(reader, information, dimensionValue, argument));
  return success();
}

Outcome readSlots(Reader &reader, uint32_t count, ReceivedRequest &received) {
  if (count > reader.left())
    return malformed(fmt::format("{} pools, {} elements are left", count, reader.left()));
  received.request.pools.assign(count, SharedMemory());
  received.slots.resize(count);
  for (int32_t &slot : received.slots) {
    const auto datum = reader.take(Kind::PoolIdentifier);
    if (!datum || datum->slot < 0)
      return malformed("a pool's slot is missing or negative");
    slot = datum->slot;
  }
  return success();
}

} // namespace

bool fitsRequestPacket(const Request &request) {
  uint64_t elements = 2 + request.pools.size();
  return fit(request.inputs, elements) && fit(request.outputs, elements) &&
         elements <= std::numeric_limits<uint32_t>::max();
}

void writeRequestPacket(const Request &request, std::span<const int32_t> slots, MeasureTiming measure,
                        std::vector<FmqRequestDatum> &packet) {
  packet.clear();
  appendDatum(packet, Kind::PacketInformation).packet = {0, static_cast<uint32_t>(request.inputs.size()),
                                                         static_cast<uint32_t>(request.outputs.size()),
                                                         static_cast<uint32_t>(slots.size())};
  appendOperands(request.inputs, Kind::InputOperandInformation, Kind::InputOperandDimensionValue, packet);
  appendOperands(request.outputs, Kind::OutputOperandInformation, Kind::OutputOperandDimensionValue, packet);
  for (int32_t slot : slots)
    appendDatum(packet, Kind::PoolIdentifier).slot = slot;
  appendDatum(packet, Kind::MeasureTiming).measureTiming = static_cast<int32_t>(measure);
  packet.front().packet.packetSize = static_cast<uint32_t>(packet.size());
}

Outcome readRequestPacket(std::span<const FmqRequestDatum> packet, ReceivedRequest &received) {
  Reader reader(packet);
  const auto first = reader.take(Kind::PacketInformation);
  if (!first || first->packet.packetSize != packet.size())
    return malformed(fmt::format("its information is missing, or its size is not {}", packet.size()));
  const FmqRequestDatum::PacketInformation &information = first->packet;
  AVOCET_RETURN_IF_ERROR(readOperands(reader, information.numberOfInputOperands, Kind::InputOperandInformation,
                                      Kind::InputOperandDimensionValue, received.request.inputs));
  AVOCET_RETURN_IF_ERROR(readOperands(reader, information.numberOfOutputOperands, Kind::OutputOperandInformation,
                                      Kind::OutputOperandDimensionValue, received.request.outputs));
  AVOCET_RETURN_IF_ERROR(readSlots(reader, information.numberOfPools, received));
  const auto measure = reader.take(Kind::MeasureTiming);
  if (!measure || measure->measureTiming < 0 || measure->measureTiming > 1 || reader.left() != 0)
    return malformed("its last element is missing, wrong, or followed by others");
  received.measure = static_cast<MeasureTiming>(measure->measureTiming);
  return success();
}

} // namespace avocet::hal
