//===- PacketTest.cpp - Requests and results as queue elements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/burst/BurstPacket.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace avocet::hal {
namespace {

Request someRequest() {
  Request request;
  request.inputs = {{false, {0, 4, 8, 0}, {2, 3}}, {true, {}, {}}};
  request.outputs = {{false, {1, 0, 16, 0}, {}}};
  request.pools = {SharedMemory(), SharedMemory()};
  return request;
}

std::vector<FmqRequestDatum> requestPacket(MeasureTiming measure = MeasureTiming::Yes) {
  std::vector<FmqRequestDatum> packet;
  const int32_t slots[] = {5, 2};
  writeRequestPacket(someRequest(), slots, measure, packet);
  return packet;
}

std::vector<FmqResultDatum> resultPacket(const ExecutionOutcome &outcome) {
  std::vector<FmqResultDatum> packet;
  writeResultPacket(outcome, packet);
  return packet;
}

ExecutionOutcome someOutcome() {
  ExecutionOutcome outcome;
  outcome.outputShapes = {{{2, 3}, true}, {{}, true}};
  outcome.timing = {std::chrono::microseconds(3), std::chrono::microseconds(5)};
  return outcome;
}

/// The bytes of an element, as words.
template <typename Datum> std::vector<uint32_t> words(const Datum &datum) {
  std::vector<uint32_t> words(sizeof(Datum) / 4);
  std::memcpy(words.data(), &datum, sizeof(Datum));
  return words;
}

TEST(RequestPacketTest, MatchesWireFormOfHal12) {
  // The vector has stale elements, which must not appear in the packet.
  std::vector<FmqRequestDatum> packet(20);
  std::memset(packet.data(), 0xAA, packet.size() * sizeof(FmqRequestDatum));
  const int32_t slots[] = {5, 2};
  writeRequestPacket(someRequest(), slots, MeasureTiming::Yes, packet);
  const std::vector<std::vector<uint32_t>> expected = {{0, 9, 2, 1, 2, 0}, {1, 0, 0, 4, 8, 2}, {2, 2, 0, 0, 0, 0},
                                                       {2, 3, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0}, {3, 0, 1, 0, 16, 0},
                                                       {5, 5, 0, 0, 0, 0}, {5, 2, 0, 0, 0, 0}, {6, 1, 0, 0, 0, 0}};
  ASSERT_EQ(packet.size(), expected.size());
  for (size_t i = 0; i < packet.size(); ++i)
    EXPECT_EQ(words(packet[i]), expected[i]) << i;
}

TEST(RequestPacketTest, RoundTripKeepsRequest) {
  ReceivedRequest received;
  received.request.inputs.resize(7); // left from an earlier packet
  ASSERT_TRUE(readRequestPacket(requestPacket(), received).isOk());
  Request request = someRequest();
  ASSERT_EQ(received.request.inputs.size(), 2u);
  EXPECT_EQ(received.request.inputs[0].location, request.inputs[0].location);
  EXPECT_EQ(received.request.inputs[0].dimensions, request.inputs[0].dimensions);
  EXPECT_TRUE(received.request.inputs[1].hasNoValue);
  ASSERT_EQ(received.request.outputs.size(), 1u);
  EXPECT_EQ(received.request.outputs[0].location, request.outputs[0].location);
  EXPECT_EQ(received.slots, (std::vector<int32_t>{5, 2}));
  EXPECT_EQ(received.request.pools.size(), 2u);
  EXPECT_EQ(received.measure, MeasureTiming::Yes);
  ASSERT_TRUE(readRequestPacket(requestPacket(MeasureTiming::No), received).isOk());
  EXPECT_EQ(received.measure, MeasureTiming::No);
}

TEST(RequestPacketTest, RefusesMalformedPackets) {
  auto refused = [](const char *what, const std::function<void(std::vector<FmqRequestDatum> &)> &change) {
    std::vector<FmqRequestDatum> packet = requestPacket();
    change(packet);
    ReceivedRequest received;
    EXPECT_EQ(readRequestPacket(packet, received).code(), ErrorStatus::InvalidArgument) << what;
  };
  constexpr uint32_t kMany = std::numeric_limits<uint32_t>::max();
  refused("nothing", [](auto &packet) { packet.clear(); });
  refused("size", [](auto &packet) { ++packet[0].packet.packetSize; });
  refused("shorter", [](auto &packet) { packet.pop_back(); });
  refused("shorter, with this size in its header",
          [](auto &packet) { packet.pop_back(), --packet[0].packet.packetSize; });
  refused("longer, with this size in its header", [](auto &packet) {
    packet.push_back(packet.back());
    ++packet[0].packet.packetSize;
  });
  refused("inputs", [](auto &packet) { packet[0].packet.numberOfInputOperands = kMany; });
  refused("outputs", [](auto &packet) { packet[0].packet.numberOfOutputOperands = kMany; });
  refused("pools", [](auto &packet) { packet[0].packet.numberOfPools = kMany; });
  refused("fewer pools", [](auto &packet) { packet[0].packet.numberOfPools = 1; });
  refused("dimensions", [](auto &packet) { packet[1].operand.numberOfDimensions = kMany; });
  refused("fewer dimensions", [](auto &packet) { packet[1].operand.numberOfDimensions = 1; });
  refused("not a truth", [](auto &packet) { packet[1].operand.hasNoValue = 2; });
  refused("slot", [](auto &packet) { packet[6].slot = -1; });
  refused("measure", [](auto &packet) { packet[8].measureTiming = 2; });
  for (size_t i = 0; i < requestPacket().size(); ++i)
    for (uint8_t kind : {0, 1, 2, 3, 4, 5, 6, 7, 255})
      if (kind != static_cast<uint8_t>(requestPacket()[i].kind))
        refused("kind", [&](auto &packet) { packet[i].kind = static_cast<FmqRequestDatum::Kind>(kind); });
}

TEST(RequestPacketTest, RefusesLocationsAbove32Bits) {
  Request request = someRequest();
  EXPECT_TRUE(fitsRequestPacket(request));
  request.inputs[0].location.offset = uint64_t(1) << 32;
  EXPECT_FALSE(fitsRequestPacket(request));
  request = someRequest();
  request.outputs[0].location.length = uint64_t(1) << 32;
  EXPECT_FALSE(fitsRequestPacket(request));
}

TEST(ResultPacketTest, MatchesWireFormOfHal12) {
  std::vector<FmqResultDatum> packet(20);
  std::memset(packet.data(), 0xAA, packet.size() * sizeof(FmqResultDatum));
  writeResultPacket(someOutcome(), packet);
  const std::vector<std::vector<uint32_t>> expected = {{0, 0, 6, 0, 2, 0}, {1, 0, 1, 2, 0, 0}, {2, 0, 2, 0, 0, 0},
                                                       {2, 0, 3, 0, 0, 0}, {1, 0, 1, 0, 0, 0}, {3, 0, 3, 0, 5, 0}};
  ASSERT_EQ(packet.size(), expected.size());
  for (size_t i = 0; i < packet.size(); ++i)
    EXPECT_EQ(words(packet[i]), expected[i]) << i;
}

TEST(ResultPacketTest, RoundTripKeepsOutcome) {
  Result<ExecutionOutcome> outcome = readResultPacket(resultPacket(someOutcome()));
  ASSERT_TRUE(outcome.isOk()) << outcome.error().message;
  EXPECT_TRUE(outcome->isOk());
  ASSERT_EQ(outcome->outputShapes.size(), 2u);
  EXPECT_EQ(outcome->outputShapes[0].dimensions, (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(outcome->timing.timeOnDevice, someOutcome().timing.timeOnDevice);
  EXPECT_EQ(outcome->timing.timeInDriver, someOutcome().timing.timeInDriver);

  ExecutionOutcome small;
  small.status = ErrorStatus::OutputInsufficientSize;
  small.outputShapes = {{{2, 0}, false}, {{4}, true}};
  outcome = readResultPacket(resultPacket(small));
  ASSERT_TRUE(outcome.isOk()) << outcome.error().message;
  EXPECT_EQ(outcome->status, ErrorStatus::OutputInsufficientSize);
  EXPECT_FALSE(outcome->outputShapes[0].isSufficient);
  EXPECT_FALSE(outcome->timing.timeOnDevice.has_value());
}

TEST(ResultPacketTest, LaterErrorCodesBecomeGeneralFailures) {
  for (ErrorStatus status : {ErrorStatus::MissedDeadlineTransient, ErrorStatus::ResourceExhaustedPersistent,
                             ErrorStatus::DeadObject, ErrorStatus::GeneralFailure}) {
    ExecutionOutcome outcome;
    outcome.status = status;
    Result<ExecutionOutcome> got = readResultPacket(resultPacket(outcome));
    ASSERT_TRUE(got.isOk());
    EXPECT_EQ(got->status, ErrorStatus::GeneralFailure);
    EXPECT_FALSE(got->message.empty());
  }
}

TEST(ResultPacketTest, RefusesMalformedPackets) {
  auto refused = [](const char *what, const std::function<void(std::vector<FmqResultDatum> &)> &change) {
    std::vector<FmqResultDatum> packet = resultPacket(someOutcome());
    change(packet);
    EXPECT_EQ(readResultPacket(packet).code(), ErrorStatus::GeneralFailure) << what;
  };
  constexpr uint32_t kMany = std::numeric_limits<uint32_t>::max();
  refused("nothing", [](auto &packet) { packet.clear(); });
  refused("size", [](auto &packet) { --packet[0].packet.packetSize; });
  refused("shorter", [](auto &packet) { packet.pop_back(), --packet[0].packet.packetSize; });
  refused("operands", [](auto &packet) { packet[0].packet.numberOfOperands = kMany; });
  refused("dimensions", [](auto &packet) { packet[1].operand.numberOfDimensions = kMany; });
  refused("not a truth", [](auto &packet) { packet[1].operand.isSufficient = 3; });
  refused("status", [](auto &packet) { packet[0].packet.errorStatus = 5; });
  refused("negative status", [](auto &packet) { packet[0].packet.errorStatus = -1; });
  refused("a success that is insufficient", [](auto &packet) { packet[1].operand.isSufficient = 0; });
  refused("a failure with shapes", [](auto &packet) { packet[0].packet.errorStatus = 2; });
  refused("insufficient, but nothing is", [](auto &packet) { packet[0].packet.errorStatus = 3; });
  refused("device over driver", [](auto &packet) { packet.back().timing = {6, 5}; });
  refused("time", [](auto &packet) { packet.back().timing = {~uint64_t(0) - 1, ~uint64_t(0)}; });
  for (size_t i = 0; i < resultPacket(someOutcome()).size(); ++i)
    for (uint8_t kind : {0, 1, 2, 3, 4, 255})
      if (kind != static_cast<uint8_t>(resultPacket(someOutcome())[i].kind))
        refused("kind", [&](auto &packet) { packet[i].kind = static_cast<FmqResultDatum::Kind>(kind); });
}

TEST(ResultPacketTest, RefusesFailureWithTimes) {
  std::vector<FmqResultDatum> packet = resultPacket(someOutcome());
  packet.resize(1);
  packet[0].packet = {2, static_cast<int32_t>(ErrorStatus::GeneralFailure), 0};
  packet.push_back(resultPacket(someOutcome()).back());
  EXPECT_EQ(readResultPacket(packet).code(), ErrorStatus::GeneralFailure);
  packet.back().timing = {~uint64_t(0), ~uint64_t(0)};
  EXPECT_TRUE(readResultPacket(packet).isOk());
}

} // namespace
} // namespace avocet::hal
