//===- LshProjectionKernel.cpp - Locality-sensitive hashing ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/LshProjection.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/NdShape.h"

#include <cstring>
#include <farmhash.h>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Hashing takes far more time per byte than any other kernel; this limits the bytes that one command hashes.
constexpr uint64_t kMostHashedBytes = uint64_t(1) << 32;

class Projection {
public:
  Projection(const DspCommand &command, std::span<uint8_t> sram)
      : parameters_(parametersOf<LshProjectionParameters>(command)), type_(command.inputs[0].type),
        numSeeds_(elementCount(command.inputs[0])), seeds_(denseData<uint8_t>(command.inputs[0], sram)),
        items_(denseData<uint8_t>(command.inputs[1], sram)),
        itemBytes_(byteCount(command.inputs[1]) / parameters_.items),
        weights_(command.inputs.size() == 3 ? denseData<uint8_t>(command.inputs[2], sram) : nullptr),
        output_(denseData<int32_t>(command.outputs[0], sram)), key_(sizeof(float) + itemBytes_) {}

  void run() {
    for (uint64_t first = 0; first < numSeeds_; first += parameters_.bits) {
      uint32_t signature = 0;
      for (uint32_t bit = 0; bit < parameters_.bits; ++bit) {
        uint32_t value = bitOf(seeds_ + (first + bit) * sizeOf(type_));
        signature = signature << 1 | value;
        if (parameters_.kind == LshKind::Dense)
          output_[first + bit] = static_cast<int32_t>(value);
      }
      if (parameters_.kind != LshKind::Dense)
        output_[first / parameters_.bits] = static_cast<int32_t>(signature + offsetOf(first / parameters_.bits));
    }
  }

private:
  uint32_t offsetOf(uint64_t hash) const {
    return parameters_.kind == LshKind::Sparse ? static_cast<uint32_t>(hash << parameters_.bits) : 0;
  }

  uint32_t bitOf(const uint8_t *seed) {
    const float real = loadFloat(type_, seed);
    std::memcpy(key_.data(), &real, sizeof(real));
    double sum = 0;
    for (uint32_t item = 0; item < parameters_.items; ++item) {
      std::memcpy(key_.data() + sizeof(real), items_ + item * itemBytes_, itemBytes_);
      auto fingerprint = static_cast<int64_t>(util::Fingerprint64(key_.data(), key_.size()));
      double weight = weights_ ? loadFloat(type_, weights_ + item * sizeOf(type_)) : 1.0;
      sum += weight * static_cast<double>(fingerprint);
    }
    return sum > 0 ? 1 : 0;
  }

  LshProjectionParameters parameters_;
  DataType type_;
  uint64_t numSeeds_;
  const uint8_t *seeds_, *items_;
  uint64_t itemBytes_;
  const uint8_t *weights_;
  int32_t *output_;
  std::vector<char> key_;
};

class LshProjectionKernel : public DspKernel {
public:
  KernelId id() const override { return kLshProjectionKernel; }

protected:
  OperandCount inputCount() const override { return {2, 3}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &seeds = command.inputs[0], &items = command.inputs[1];
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<LshProjectionParameters>(command.parameters));
    if (p.kind != LshKind::Dense && p.kind != LshKind::Sparse && p.kind != LshKind::SparseDeprecated)
      return ruleBroken("kind", static_cast<uint32_t>(p.kind), "1, 2 or 3");
    if (p.bits < 1 || p.bits > 32 || elementCount(seeds) % p.bits != 0)
      return ruleBroken("bits", p.bits, "1 to 32, a divisor of the seeds");
    if (p.items < 1 || elementCount(items) % p.items != 0)
      return ruleBroken("items", p.items, "1 or more, a divisor of the input's elements");
    AVOCET_RETURN_IF_ERROR(checkType("input0", seeds.type, {DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {DataType::Int32}));
    AVOCET_RETURN_IF_ERROR(checkDense("input0", seeds));
    AVOCET_RETURN_IF_ERROR(checkDense("input1", items));
    if (uint64_t bytes = byteCount(items); bytes > kMostHashedBytes / elementCount(seeds))
      return ruleBroken("input1: bytes", static_cast<int64_t>(bytes), "2^32 at most, times the seeds");
    if (command.inputs.size() == 3) {
      AVOCET_RETURN_IF_ERROR(checkType("input2", command.inputs[2].type, {seeds.type}));
      AVOCET_RETURN_IF_ERROR(checkDenseCount("input2", command.inputs[2], {p.items}));
    }
    uint64_t results = elementCount(seeds) / (p.kind == LshKind::Dense ? 1 : p.bits);
    return checkDenseCount("output0", command.outputs[0], {results});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override { Projection(command, sram).run(); }

  /// Ten operations of 64 bits for every 8 bytes, and as many to finish each fingerprint.
  DspWork work(const DspCommand &command) const override {
    auto p = parametersOf<LshProjectionParameters>(command);
    const uint64_t seeds = elementCount(command.inputs[0]), bytes = byteCount(command.inputs[1]);
    DspWork work;
    work.type = DataType::Int64;
    work.elementOps = seeds * (10 * p.items + 10 * (bytes / 8 + p.items));
    work.bytesRead = byteCount(command.inputs[0]) + seeds * bytes;
    work.bytesWritten = byteCount(command.outputs[0]);
    work.rows = seeds * p.items;
    return work;
  }

  /// Dense: bits, each an element of its own. SparseDeprecated: hashes. Sparse: none, since results contain hash
  /// numbers.
  uint32_t partsOf(const DspCommand &command) const override {
    auto p = parametersOf<LshProjectionParameters>(command);
    const auto seeds = static_cast<uint32_t>(elementCount(command.inputs[0]));
    return p.kind == LshKind::Dense ? seeds : p.kind == LshKind::SparseDeprecated ? seeds / p.bits : 1;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto p = parametersOf<LshProjectionParameters>(command);
    DspCommand part = command;
    if (p.kind == LshKind::Sparse)
      return part;
    if (p.kind == LshKind::Dense)
      p.bits = 1;
    part.inputs[0] = denseSlices(part.inputs[0], p.bits, first, count);
    part.outputs[0] = denseSlices(part.outputs[0], 1, first, count);
    part.parameters = packParameters(p);
    return part;
  }
};

} // namespace

const Kernel &lshProjectionKernel() {
  static const LshProjectionKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
