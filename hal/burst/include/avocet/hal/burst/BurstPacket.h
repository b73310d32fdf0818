//===- BurstPacket.h - Packets of the burst's message queues -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The wire form of HAL 1.2 (types.hal: FmqRequestDatum, FmqResultDatum) and its conversion. Packets are sequences of
// elements of 24 bytes, a discriminant and a union:
//
//   request   packetInformation, (inputOperandInformation, inputOperandDimensionValue*)*,
//             (outputOperandInformation, outputOperandDimensionValue*)*, poolIdentifier*, measureTiming
//   result    packetInformation, (operandInformation, operandDimensionValue*)*, executionTiming
//
// packetSize counts the elements of the packet, itself included. All functions are pure. Readers do not trust a packet:
// each count is checked against the elements present before memory is allocated for it. Writers set every byte.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_BURSTPACKET_H
#define AVOCET_HAL_BURST_BURSTPACKET_H

#include "avocet/hal/types/Interfaces.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace avocet::hal {

/// Only the functions below write values, into memory that was zeroed before.
struct FmqRequestDatum {
  enum class Kind : uint8_t {
    PacketInformation = 0,
    InputOperandInformation = 1,
    InputOperandDimensionValue = 2,
    OutputOperandInformation = 3,
    OutputOperandDimensionValue = 4,
    PoolIdentifier = 5,
    MeasureTiming = 6,
  };
  struct PacketInformation {
    uint32_t packetSize, numberOfInputOperands, numberOfOutputOperands, numberOfPools;
  };
  struct OperandInformation {
    uint8_t hasNoValue; ///< 0 or 1
    uint8_t zero[3];
    uint32_t poolIndex, offset, length;
    uint32_t numberOfDimensions;
  };

  Kind kind;
  uint8_t zero[3];
  union {
    PacketInformation packet;
    OperandInformation operand; ///< of inputs and outputs
    uint32_t dimension;         ///< of inputs and outputs
    int32_t slot;
    int32_t measureTiming; ///< 0 or 1
  };
};
static_assert(sizeof(FmqRequestDatum) == 24 && alignof(FmqRequestDatum) == 4 && offsetof(FmqRequestDatum, packet) == 4);
static_assert(sizeof(FmqRequestDatum::OperandInformation) == 20 &&
              offsetof(FmqRequestDatum::OperandInformation, poolIndex) == 4 &&
              offsetof(FmqRequestDatum::OperandInformation, numberOfDimensions) == 16);
static_assert(std::is_trivially_copyable_v<FmqRequestDatum>);

struct FmqResultDatum {
  enum class Kind : uint8_t {
    PacketInformation = 0,
    OperandInformation = 1,
    OperandDimensionValue = 2,
    ExecutionTiming = 3,
  };
  struct PacketInformation {
    uint32_t packetSize;
    int32_t errorStatus;
    uint32_t numberOfOperands;
  };
  struct OperandInformation {
    uint8_t isSufficient; ///< 0 or 1
    uint8_t zero[3];
    uint32_t numberOfDimensions;
  };
  /// Microseconds; UINT64_MAX: not measured.
  struct ExecutionTiming {
    uint64_t timeOnDevice, timeInDriver;
  };

  Kind kind;
  uint8_t zero[7];
  union {
    PacketInformation packet;
    OperandInformation operand;
    uint32_t dimension;
    ExecutionTiming timing;
  };
};
static_assert(sizeof(FmqResultDatum) == 24 && alignof(FmqResultDatum) == 8 && offsetof(FmqResultDatum, packet) == 8);
static_assert(sizeof(FmqResultDatum::PacketInformation) == 12 && sizeof(FmqResultDatum::OperandInformation) == 8 &&
              offsetof(FmqResultDatum::OperandInformation, numberOfDimensions) == 4 &&
              sizeof(FmqResultDatum::ExecutionTiming) == 16);
static_assert(std::is_trivially_copyable_v<FmqResultDatum>);

/// Whether a request fits the form of 1.2: locations within 32 bits, element count within 32 bits. Ignores the pools.
bool fitsRequestPacket(const Request &request);

/// The packet of a request that fits, with one slot for each of its pools. `packet` is overwritten.
void writeRequestPacket(const Request &request, std::span<const int32_t> slots, MeasureTiming measure,
                        std::vector<FmqRequestDatum> &packet);

/// A packet that was read. `request.pools` has a null entry for each slot; the caller fills in the memories.
struct ReceivedRequest {
  Request request;
  std::vector<int32_t> slots; ///< at least 0
  MeasureTiming measure = MeasureTiming::No;
};

/// The inverse. `received` is overwritten, its allocations are reused. InvalidArgument: the packet breaks a rule;
/// `received` is unspecified then. The request is not checked against a model.
Outcome readRequestPacket(std::span<const FmqRequestDatum> packet, ReceivedRequest &received);

/// The packet of an execution's outcome. Codes that 1.2 lacks become GeneralFailure, messages are dropped, and times
/// become whole microseconds.
void writeResultPacket(const ExecutionOutcome &outcome, std::vector<FmqResultDatum> &packet);

/// The inverse, with the rules of ExecutionOutcome: shapes for None and OutputInsufficientSize only, all sufficient or
/// at least one not, times of successes only, the device's within the driver's. GeneralFailure: the packet breaks one.
Result<ExecutionOutcome> readResultPacket(std::span<const FmqResultDatum> packet);

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_BURSTPACKET_H
