//===- Footprint.cpp - The bytes that a command accesses --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Footprint.h"

#include <algorithm>
#include <cstdint>

namespace avocet::firmware {
namespace {

inline uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

inline uint64_t saturatingMul(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

constexpr uint64_t kLookupEntries = 256;

/// Collects the ranges of one command.
class Collector {
public:
  explicit Collector(std::vector<ByteRange> &ranges) : ranges_(ranges) {}

  void read(const FeatureMap &map) { add(map, false); }
  void write(const FeatureMap &map) { add(map, true); }
  void read(SramAddress address, uint64_t bytes) { add(kSramRegion, address.offset, bytes, false); }
  void add(uint32_t region, uint64_t begin, uint64_t bytes, bool isWrite) {
    if (bytes != 0)
      ranges_.push_back({region, begin, saturatingAdd(begin, bytes), isWrite});
  }

private:
  /// Ring rows [begin, begin + count).
  void addRows(const FeatureMap &map, uint64_t begin, uint64_t count, bool isWrite) {
    uint64_t rowBytes =
        saturatingAdd(saturatingMul(map.width - 1, map.pixelStride), saturatingMul(map.channels, sizeOf(map.type)));
    uint64_t start = saturatingAdd(map.address.offset, saturatingMul(begin, map.rowStride));
    add(kSramRegion, start, saturatingAdd(saturatingMul(count - 1, map.rowStride), rowBytes), isWrite);
  }

  void add(const FeatureMap &map, bool isWrite) {
    if (map.height == 0 || map.width == 0 || map.channels == 0)
      return;
    if (map.ringRows == 0) // no row has a place: the command must be refused
      return add(kSramRegion, map.address.offset, UINT64_MAX, isWrite);
    if (map.height >= map.ringRows)
      return addRows(map, 0, map.ringRows, isWrite);
    uint64_t first = map.firstRow % map.ringRows;
    uint64_t beforeWrap = std::min<uint64_t>(map.height, map.ringRows - first);
    addRows(map, first, beforeWrap, isWrite);
    if (beforeWrap < map.height)
      addRows(map, 0, map.height - beforeWrap, isWrite);
  }

  std::vector<ByteRange> &ranges_;
};

/// Appends the ranges of each kind of command; those without an overload touch no memory.
struct FootprintVisitor {
  Collector out;

  template <typename T> void operator()(const T &) {}

  void operator()(const ConvCommand &conv) {
    out.read(conv.input);
    out.write(conv.output);
    out.read(conv.weights, conv.weightBytes);
    out.read(conv.channelRecords, conv.output.channels * uint64_t(channelRecordBytes(conv.scaling)));
    if (conv.scaling == OutputScaling::Dynamic)
      out.read(conv.dynamicScale, sizeof(DynamicRecord));
    if (conv.lookupTable != kNoAddress)
      out.read(conv.lookupTable, kLookupEntries);
    if (conv.residual.isPresent())
      out.read(conv.residual.addend);
  }

  void operator()(const PoolCommand &pool) {
    out.read(pool.input);
    out.write(pool.output);
  }

  void operator()(const EltwiseCommand &eltwise) {
    out.read(eltwise.inputA);
    out.read(eltwise.inputB);
    out.write(eltwise.output);
  }

  void operator()(const LookupCommand &lookup) {
    out.read(lookup.input);
    out.write(lookup.output);
    out.read(lookup.table, kLookupEntries * sizeOf(lookup.output.type));
  }

  void operator()(const DspCommand &dsp) {
    for (const FeatureMap &input : dsp.inputs)
      out.read(input);
    for (const FeatureMap &output : dsp.outputs)
      out.write(output);
  }

  void operator()(const DmaCommand &dma) {
    if (dma.kind == DmaKind::Copy)
      addEnd(dma, dma.source, false);
    addEnd(dma, dma.destination, true);
  }

  void addEnd(const DmaCommand &dma, const DmaEnd &end, bool isWrite) {
    if (dma.runBytes == 0 || dma.count0 == 0 || dma.count1 == 0 || dma.count2 == 0)
      return;
    uint64_t span = saturatingAdd(saturatingMul(dma.count0 - 1, end.stride0), dma.runBytes);
    span = saturatingAdd(span, saturatingMul(dma.count1 - 1, end.stride1));
    span = saturatingAdd(span, saturatingMul(dma.count2 - 1, end.stride2));
    out.add(end.region, end.offset, span, isWrite);
  }
};

} // namespace

void appendFootprint(const CommandBody &command, std::vector<ByteRange> &ranges) {
  std::visit(FootprintVisitor{Collector(ranges)}, command);
}

} // namespace avocet::firmware
