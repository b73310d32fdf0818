//===- Enumerations.cpp - Numbers of the HAL's enumerations -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"
#include "avocet/hal/types/Utils.h"

namespace avocet::hal {
namespace {

// Peers of other languages and versions send these numbers (hal 1.3 types.hal). A changed one does not compile.
template <typename Enumeration> consteval bool is(Enumeration value, int32_t number) {
  return static_cast<int32_t>(value) == number;
}

static_assert(is(ErrorStatus::None, 0) && is(ErrorStatus::DeviceUnavailable, 1) && is(ErrorStatus::GeneralFailure, 2));
static_assert(is(ErrorStatus::OutputInsufficientSize, 3) && is(ErrorStatus::InvalidArgument, 4));
static_assert(is(ErrorStatus::MissedDeadlineTransient, 5) && is(ErrorStatus::MissedDeadlinePersistent, 6));
static_assert(is(ErrorStatus::ResourceExhaustedTransient, 7) && is(ErrorStatus::ResourceExhaustedPersistent, 8));
static_assert(is(ErrorStatus::DeadObject, 10000));

static_assert(is(Priority::Low, 0) && is(Priority::Medium, 1) && is(Priority::High, 2));
static_assert(is(ExecutionPreference::LowPower, 0) && is(ExecutionPreference::FastSingleAnswer, 1));
static_assert(is(ExecutionPreference::SustainedSpeed, 2));
static_assert(is(DeviceType::Unknown, 0) && is(DeviceType::Other, 1) && is(DeviceType::Cpu, 2));
static_assert(is(DeviceType::Gpu, 3) && is(DeviceType::Accelerator, 4));
static_assert(is(DeviceStatus::Available, 0) && is(DeviceStatus::Busy, 1) && is(DeviceStatus::Offline, 2));
static_assert(is(DeviceStatus::Unknown, 3));
static_assert(is(MeasureTiming::No, 0) && is(MeasureTiming::Yes, 1));

static_assert(is(OperandLifeTime::TemporaryVariable, 0) && is(OperandLifeTime::SubgraphInput, 1));
static_assert(is(OperandLifeTime::SubgraphOutput, 2) && is(OperandLifeTime::ConstantCopy, 3));
static_assert(is(OperandLifeTime::ConstantReference, 4) && is(OperandLifeTime::NoValue, 5));
static_assert(is(OperandLifeTime::Subgraph, 6));

static_assert(is(kOemScalar, 10000) && is(kTensorOemByte, 10001) && is(kOemOperation, 10000));

static_assert(kByteSizeOfCacheToken == 32);
static_assert(kDefaultLoopTimeout == Duration(2'000'000'000) && kMaximumLoopTimeout == Duration(15'000'000'000));

} // namespace
} // namespace avocet::hal
