//===- TargetFields.h - The figures of a target, listed once ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every figure of a target file with its key and limits, in file order. The parser and the fingerprint both walk this
// list, so a figure cannot be read and not hashed. A visitor has
//   section(key, function)          a nested table
//   number(key, field, min, max)    an unsigned integer
//   optionalNumber(key, field, max) the same, 0 if it is missing; 0 does not count for the fingerprint
//   rate(key, unit, field)          { <unit> = n, cycles = m }
//   perType(key, array, min, max)   one unsigned integer per DataType, by its short name
//   real(key, field, max)           a floating-point number, 0 to max
// [power] is a list of its own, because the fingerprint leaves it out. Its visitors have number(), real() and
//   text(key, field, maxBytes)
//   list(key, elements, most, function(element))    an array of tables
// Limits are generous: they keep arithmetic from overflowing and catch typing errors. They do not restrict devices.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_TARGETFIELDS_H
#define AVOCET_FIRMWARE_IFACE_LIB_TARGETFIELDS_H

#include "avocet/firmware_iface/Target.h"

namespace avocet::firmware {

inline constexpr size_t kMaxTargetBytes = 1 << 20; ///< of a target file
inline constexpr uint64_t kMaxTargetCycles = 1'000'000;
inline constexpr uint64_t kMaxTargetRate = 1'000'000;
inline constexpr uint64_t kMaxTargetExtent = 4096;
inline constexpr double kMaxPicojoules = 1e9;
inline constexpr double kMaxMilliwatts = 1e6;
inline constexpr double kMaxNanojoules = 1e9;
inline constexpr uint64_t kMaxPowerNanoseconds = 3'600'000'000'000;
inline constexpr size_t kMaxTargetNameBytes = 64;
inline constexpr size_t kMaxClockLevels = 16;
inline constexpr size_t kMaxIdleStates = 8;

struct TargetFields {
  template <typename V> static void step(V &v, const char *key, auto &step) {
    v.section(key, [&] {
      v.number("height", step.height, 1, kMaxTargetExtent);
      v.number("width", step.width, 1, kMaxTargetExtent);
      v.number("channels", step.channels, 1, kMaxTargetExtent);
      v.number("products", step.products, 1, kMaxTargetExtent);
      v.number("cycles", step.cycles, 1, kMaxTargetCycles);
    });
  }

  template <typename V> static void extent(V &v, const char *key, auto &extent) {
    v.section(key, [&] {
      v.number("height", extent.height, 1, kMaxTargetExtent);
      v.number("width", extent.width, 1, kMaxTargetExtent);
      v.number("channels", extent.channels, 1, kMaxTargetExtent);
    });
  }

  template <typename V> static void mac(V &v, auto &mac) {
    v.number("cores", mac.cores, 1, 64);
    step(v, "dense", mac.dense);
    step(v, "depthwise", mac.depthwise);
    v.number("denseDecodeRate", mac.denseDecodeRate, 1, kMaxTargetRate);
    v.number("depthwiseDecodeRate", mac.depthwiseDecodeRate, 1, kMaxTargetRate);
    v.rate("outputStage", "elements", mac.outputStage);
    v.rate("add", "elements", mac.add);
    v.rate("mul", "elements", mac.mul);
    v.rate("lookup", "elements", mac.lookup);
    v.rate("maxPool", "elements", mac.maxPool);
    v.number("bufferBytes", mac.bufferBytes, 1024, 1u << 30);
    extent(v, "largestBlock", mac.largestBlock);
    v.number("issueCycles", mac.issueCycles, 0, kMaxTargetCycles);
    v.number("pipelineCycles", mac.pipelineCycles, 0, kMaxTargetCycles);
    v.perType("slowdown", mac.slowdown, 0, 1024);
    v.optionalNumber("scaledDecodeRate", mac.scaledDecodeRate, kMaxTargetRate);
  }

  template <typename V> static void memories(V &v, auto &sram, auto &dram) {
    v.section("sram", [&] {
      v.number("bytes", sram.bytes, 1024, 1u << 30);
      v.number("banks", sram.banks, 1, 1024);
      v.number("portBytesPerCycle", sram.portBytesPerCycle, 1, 65536);
      v.number("latencyCycles", sram.latencyCycles, 0, kMaxTargetCycles);
      v.number("burstBytes", sram.burstBytes, 1, 65536);
    });
    v.section("dram", [&] {
      v.rate("bandwidth", "bytes", dram.bandwidth);
      v.number("readLatencyCycles", dram.readLatencyCycles, 0, kMaxTargetCycles);
      v.number("writeLatencyCycles", dram.writeLatencyCycles, 0, kMaxTargetCycles);
      v.number("burstBytes", dram.burstBytes, 1, 65536);
    });
  }

  template <typename V> static void energy(V &v, auto &energy) {
    v.real("macInt8", energy.macInt8, kMaxPicojoules);
    v.real("macFloat32", energy.macFloat32, kMaxPicojoules);
    v.real("dspOp", energy.dspOp, kMaxPicojoules);
    v.real("sramByte", energy.sramByte, kMaxPicojoules);
    v.real("dramByte", energy.dramByte, kMaxPicojoules);
    v.real("idleCycle", energy.idleCycle, kMaxPicojoules);
  }

  template <typename V> static void clockLevel(V &v, auto &level) {
    v.text("name", level.name, kMaxTargetNameBytes);
    v.number("clockPercent", level.clockPercent, 1, 1000);
    v.number("millivolts", level.millivolts, 1, 10'000);
    v.real("staticMilliwatts", level.staticMilliwatts, kMaxMilliwatts);
  }

  template <typename V> static void idleState(V &v, auto &state) {
    v.text("name", state.name, kMaxTargetNameBytes);
    v.real("milliwatts", state.milliwatts, kMaxMilliwatts);
    v.number("entryNanoseconds", state.entryNanoseconds, 0, kMaxPowerNanoseconds);
    v.number("wakeNanoseconds", state.wakeNanoseconds, 0, kMaxPowerNanoseconds);
    v.real("wakeNanojoules", state.wakeNanojoules, kMaxNanojoules);
  }

  /// The fields of [power].
  template <typename V> static void power(V &v, auto &power) {
    v.list("levels", power.levels, kMaxClockLevels, [&](auto &level) { clockLevel(v, level); });
    v.list("idleStates", power.idleStates, kMaxIdleStates, [&](auto &state) { idleState(v, state); });
  }

  /// All fields except name, description and [power].
  template <typename V> static void all(V &v, auto &target) {
    v.number("clockHz", target.clockHz_, 1'000, 100'000'000'000);
    v.section("mac", [&] { mac(v, target.mac_); });
    v.section("dsp", [&] {
      v.perType("lanes", target.dsp_.lanes, 0, 65536);
      v.number("issueCycles", target.dsp_.issueCycles, 0, kMaxTargetCycles);
      v.number("loopCycles", target.dsp_.loopCycles, 0, kMaxTargetCycles);
    });
    memories(v, target.sram_, target.dram_);
    v.section("dma", [&] {
      v.number("channels", target.dma_.channels, 1, 64);
      v.number("issueCycles", target.dma_.issueCycles, 0, kMaxTargetCycles);
      v.number("outstandingBytes", target.dma_.outstandingBytes, 1, 1u << 30);
    });
    v.section("command", [&] {
      v.number("queueDepth", target.command_.queueDepth, 1, 65536);
      v.number("semaphores", target.command_.semaphores, 1, 65536);
      v.number("semaphoreCycles", target.command_.semaphoreCycles, 0, kMaxTargetCycles);
    });
    v.section("energy", [&] { energy(v, target.energy_); });
  }
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_TARGETFIELDS_H
