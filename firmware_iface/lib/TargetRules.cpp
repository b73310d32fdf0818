//===- TargetRules.cpp - Rules between the figures of a target --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetRules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace avocet::firmware {

namespace {

constexpr uint64_t kAccumulatorBytes = 4;

Status checkName(std::string_view name, std::string_view key = "name") {
  for (char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
      return invalidArgument(fmt::format("{} '{}' may hold only a-z, 0-9, - and _", key, name));
  return Status::ok();
}

/// The array keeps two input blocks and two sets of accumulators, so the smallest block (one step) must fit twice.
Status checkStep(const MacArrayModel &mac, const ArrayStep &step, std::string_view name) {
  uint64_t positions = uint64_t{step.height} * step.width;
  uint64_t bytes = 2 * positions * (step.channels * kAccumulatorBytes + step.products);
  if (bytes > mac.bufferBytes)
    return invalidArgument(
        fmt::format("mac.bufferBytes is {}, one mac.{} step needs {}", mac.bufferBytes, name, bytes));
  const Extent3 &block = mac.largestBlock;
  if (block.height < step.height || block.width < step.width || block.channels < step.channels)
    return invalidArgument(fmt::format("mac.largestBlock {}x{}x{} is smaller than the mac.{} step {}x{}x{}",
                                       block.height, block.width, block.channels, name, step.height, step.width,
                                       step.channels));
  return Status::ok();
}

Status checkMac(const MacArrayModel &mac) {
  AVOCET_RETURN_IF_ERROR(checkStep(mac, mac.dense, "dense"));
  AVOCET_RETURN_IF_ERROR(checkStep(mac, mac.depthwise, "depthwise"));
  if (mac.slowdown[static_cast<uint32_t>(DataType::Int8)] != 1)
    return invalidArgument("mac.slowdown.i8 must be 1: all rates are those of i8");
  return Status::ok();
}

Status checkDsp(const DspModel &dsp) {
  for (DataType type : {DataType::Int8, DataType::UInt8, DataType::Int32, DataType::Float32})
    if (dsp.lanes[static_cast<uint32_t>(type)] == 0)
      return invalidArgument(fmt::format("dsp.lanes.{} is 0: the DSP must work on this type", toString(type)));
  return Status::ok();
}

Status checkPowerOfTwo(std::string_view field, uint64_t value) {
  if (std::has_single_bit(value))
    return Status::ok();
  return invalidArgument(fmt::format("{} is {}, must be a power of two", field, value));
}

Status checkMultiple(std::string_view field, uint64_t value, std::string_view unitField, uint64_t unit) {
  if (value % unit == 0)
    return Status::ok();
  return invalidArgument(fmt::format("{} is {}, must be a multiple of {} ({})", field, value, unitField, unit));
}

/// Slower transfers make schedules so long that compiler and simulator, which keep what a port does over time, would
/// need all memory.
constexpr uint64_t kMostCyclesOfByte = 64;

Status checkBandwidth(const Rate &rate) {
  if (rate.cycles <= kMostCyclesOfByte * rate.count)
    return Status::ok();
  return invalidArgument(fmt::format("dram.bandwidth is {} bytes in {} cycles, must be at least 1 byte in {} cycles",
                                     rate.count, rate.cycles, kMostCyclesOfByte));
}

/// So many bytes are on their way for so long: a rate as well.
Status checkLatency(std::string_view field, uint64_t latency, const DmaModel &dma) {
  const uint64_t most = kMostCyclesOfByte * dma.outstandingBytes;
  if (latency <= most)
    return Status::ok();
  return invalidArgument(fmt::format("{} is {}, must be at most {} with dma.outstandingBytes of {}", field, latency,
                                     most, dma.outstandingBytes));
}

Status checkMemories(const SramModel &sram, const DramModel &dram, const DmaModel &dma) {
  AVOCET_RETURN_IF_ERROR(checkPowerOfTwo("sram.burstBytes", sram.burstBytes));
  AVOCET_RETURN_IF_ERROR(checkPowerOfTwo("dram.burstBytes", dram.burstBytes));
  AVOCET_RETURN_IF_ERROR(checkBandwidth(dram.bandwidth));
  AVOCET_RETURN_IF_ERROR(checkLatency("dram.readLatencyCycles", dram.readLatencyCycles, dma));
  AVOCET_RETURN_IF_ERROR(checkLatency("dram.writeLatencyCycles", dram.writeLatencyCycles, dma));
  AVOCET_RETURN_IF_ERROR(checkPowerOfTwo("sram.banks", sram.banks));
  AVOCET_RETURN_IF_ERROR(checkPowerOfTwo("sram.portBytesPerCycle", sram.portBytesPerCycle));
  AVOCET_RETURN_IF_ERROR(checkMultiple("sram.bytes", sram.bytes, "sram.burstBytes", sram.burstBytes));
  AVOCET_RETURN_IF_ERROR(checkMultiple("sram.bytes", sram.bytes, "sram.banks", sram.banks));
  return checkMultiple("dma.outstandingBytes", dma.outstandingBytes, "dram.burstBytes", dram.burstBytes);
}

/// Every ordered pair of engines needs a semaphore of its own; with fewer, a schedule may not exist.
Status checkSemaphores(const Target &target) {
  uint64_t engines = 2 + uint64_t{target.dma().channels};
  uint64_t pairs = engines * (engines - 1);
  if (target.command().semaphores >= pairs)
    return Status::ok();
  return invalidArgument(fmt::format("command.semaphores is {}, {} engines need {} (one per ordered pair)",
                                     target.command().semaphores, engines, pairs));
}

/// Names of levels or states: allowed characters, each once.
Status checkNames(const auto &list, std::string_view key) {
  std::set<std::string_view> names;
  for (const auto &element : list) {
    AVOCET_RETURN_IF_ERROR(checkName(element.name, fmt::format("{} name", key)));
    if (!names.insert(element.name).second)
      return invalidArgument(fmt::format("{} name '{}' occurs twice", key, element.name));
  }
  return Status::ok();
}

/// Whether some element has a figure out of order with the one before it.
template <typename T, typename Field, typename Order>
bool breaksOrder(const std::vector<T> &list, Field T::*field, Order inOrder) {
  return std::ranges::adjacent_find(list, [&](const T &a, const T &b) { return !inOrder(a.*field, b.*field); }) !=
         list.end();
}

Status checkLevels(const std::vector<ClockLevel> &levels) {
  AVOCET_RETURN_IF_ERROR(checkNames(levels, "power.levels"));
  if (std::ranges::count(levels, 100u, &ClockLevel::clockPercent) != 1)
    return invalidArgument("power.levels must have one level with clockPercent 100, the default level");
  if (breaksOrder(levels, &ClockLevel::clockPercent, std::less()))
    return invalidArgument("power.levels must be in ascending order of clockPercent");
  if (breaksOrder(levels, &ClockLevel::millivolts, std::less_equal()))
    return invalidArgument("power.levels: millivolts may not fall from one level to a faster one");
  if (breaksOrder(levels, &ClockLevel::staticMilliwatts, std::less_equal()))
    return invalidArgument("power.levels: staticMilliwatts may not fall from one level to a faster one");
  return Status::ok();
}

Status checkIdleStates(const std::vector<IdleState> &states) {
  AVOCET_RETURN_IF_ERROR(checkNames(states, "power.idleStates"));
  if (breaksOrder(states, &IdleState::entryNanoseconds, std::less()))
    return invalidArgument("power.idleStates must be in ascending order of entryNanoseconds");
  if (breaksOrder(states, &IdleState::milliwatts, std::greater_equal()))
    return invalidArgument("power.idleStates: milliwatts may not rise from one state to a later one");
  if (breaksOrder(states, &IdleState::wakeNanoseconds, std::less_equal()))
    return invalidArgument("power.idleStates: wakeNanoseconds may not fall from one state to a later one");
  return Status::ok();
}

} // namespace

uint32_t indexOfDefaultLevel(const PowerModel &power) {
  const auto level = std::ranges::find(power.levels, 100u, &ClockLevel::clockPercent);
  return static_cast<uint32_t>(level - power.levels.begin());
}

Status checkRules(const Target &target) {
  AVOCET_RETURN_IF_ERROR(checkName(target.name()));
  AVOCET_RETURN_IF_ERROR(checkMac(target.mac()));
  AVOCET_RETURN_IF_ERROR(checkDsp(target.dsp()));
  AVOCET_RETURN_IF_ERROR(checkMemories(target.sram(), target.dram(), target.dma()));
  AVOCET_RETURN_IF_ERROR(checkLevels(target.power().levels));
  AVOCET_RETURN_IF_ERROR(checkIdleStates(target.power().idleStates));
  return checkSemaphores(target);
}

} // namespace avocet::firmware
