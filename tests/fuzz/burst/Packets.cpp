//===- Packets.cpp - Packets of arbitrary bytes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstParts.h"
#include "avocet/hal/burst/BurstPacket.h"

namespace avocet::hal::fuzz {
namespace {

bool areSame(const std::vector<RequestArgument> &a, const std::vector<RequestArgument> &b) {
  return std::ranges::equal(a, b, [](const RequestArgument &x, const RequestArgument &y) {
    return x.hasNoValue == y.hasNoValue && x.location == y.location && x.dimensions == y.dimensions;
  });
}

/// A packet that can be read must be equal after it is written and read again.
void checkRequest(std::span<const FmqRequestDatum> packet) {
  ReceivedRequest received;
  if (!readRequestPacket(packet, received))
    return;
  require(received.request.pools.size() == received.slots.size() && fitsRequestPacket(received.request));
  std::vector<FmqRequestDatum> written;
  writeRequestPacket(received.request, received.slots, received.measure, written);
  require(written.size() == packet.size());
  ReceivedRequest again;
  require(readRequestPacket(written, again).isOk());
  require(areSame(received.request.inputs, again.request.inputs) &&
          areSame(received.request.outputs, again.request.outputs) && received.slots == again.slots &&
          received.measure == again.measure);
}

void checkResult(std::span<const FmqResultDatum> packet) {
  Result<ExecutionOutcome> outcome = readResultPacket(packet);
  if (!outcome)
    return;
  std::vector<FmqResultDatum> written;
  writeResultPacket(*outcome, written);
  require(written.size() == packet.size());
  Result<ExecutionOutcome> again = readResultPacket(written);
  require(again.isOk() && again->status == outcome->status &&
          again->timing.timeOnDevice == outcome->timing.timeOnDevice &&
          again->timing.timeInDriver == outcome->timing.timeInDriver);
}

/// A valid packet: changes of a few bytes then reach more rules than the first one.
std::vector<FmqRequestDatum> someRequest(Script &script) {
  Request request;
  std::vector<int32_t> slots(script.byte() % 4);
  for (uint8_t i = script.byte() % 4; i > 0; --i)
    request.inputs.push_back({i == 3, {i, script.byte(), 4, 0}, std::vector<uint32_t>(script.byte() % 4, 1)});
  request.outputs.push_back({false, {0, 0, 4, 0}, std::vector<uint32_t>(script.byte() % 4, 1)});
  std::vector<FmqRequestDatum> packet;
  writeRequestPacket(request, slots, MeasureTiming::Yes, packet);
  return packet;
}

std::vector<FmqResultDatum> someResult(Script &script) {
  ExecutionOutcome outcome;
  outcome.status = static_cast<ErrorStatus>(script.byte() % 10);
  for (uint8_t i = script.byte() % 4; i > 0; --i)
    outcome.outputShapes.push_back({std::vector<uint32_t>(script.byte() % 4, i), script.byte() % 2 == 0});
  if (script.byte() % 2 == 0)
    outcome.timing = {Duration(script.word() >> 1), Duration(script.word() >> 1)};
  std::vector<FmqResultDatum> packet;
  writeResultPacket(outcome, packet);
  return packet;
}

} // namespace

void fuzzPackets(Script &script) {
  while (!script.atEnd()) {
    std::vector<FmqRequestDatum> request =
        script.byte() % 2 == 0 ? someRequest(script) : script.datums<FmqRequestDatum>(64);
    script.mutate(request);
    checkRequest(request);
    std::vector<FmqResultDatum> result =
        script.byte() % 2 == 0 ? someResult(script) : script.datums<FmqResultDatum>(64);
    script.mutate(result);
    checkResult(result);
  }
}

} // namespace avocet::hal::fuzz
