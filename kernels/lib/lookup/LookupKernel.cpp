//===- LookupKernel.cpp - Table look-up, byte by byte ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/MacKernels.h"
#include "common/Checks.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/Shares.h"
#include "cost/Cost.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

class LookupKernel : public Kernel {
public:
  KernelId id() const override { return kLookupKernel; }

  Status check(const Target &target, const CommandBody &body) const override {
    return checkCommand(target, std::get<LookupCommand>(body)).withContext(kLookupKernel.name);
  }

  void run(const Target &, const CommandBody &body, std::span<uint8_t> sram) const override {
    const auto &command = std::get<LookupCommand>(body);
    FeatureMapView<uint8_t> input(command.input, sram), output(command.output, sram);
    const uint8_t *table = sram.data() + command.table.offset;
    for (uint32_t y = 0; y < output.height(); ++y)
      for (uint32_t x = 0; x < output.width(); ++x) {
        const uint8_t *in = input.pixel(y, x);
        uint8_t *out = output.pixel(y, x);
        for (uint32_t c = 0; c < output.channels(); ++c)
          out[c] = table[in[c]];
      }
  }

  TileCost cost(const Target &target, const CommandBody &body) const override {
    return lookupCost(target, std::get<LookupCommand>(body));
  }

protected:
  std::vector<CommandBody> divide(const Target &, const CommandBody &body, uint32_t most) const override {
    const auto &command = std::get<LookupCommand>(body);
    std::vector<CommandBody> shares;
    forEachShare(command.output.height, 1, most, [&](uint32_t first, uint32_t count) {
      LookupCommand share = command;
      share.input = sliceOf(share.input, MapAxis::Rows, first, count);
      share.output = sliceOf(share.output, MapAxis::Rows, first, count);
      shares.push_back(share);
    });
    return shares;
  }

private:
  static Status checkCommand(const Target &target, const LookupCommand &c) {
    AVOCET_RETURN_IF_ERROR(checkMap("input", c.input));
    AVOCET_RETURN_IF_ERROR(checkMap("output", c.output));
    AVOCET_RETURN_IF_ERROR(checkType("input", c.input.type, {DataType::Int8, DataType::UInt8}));
    AVOCET_RETURN_IF_ERROR(checkType("output", c.output.type, {DataType::Int8, DataType::UInt8}));
    AVOCET_RETURN_IF_ERROR(checkArrayType(target, c.input.type));
    AVOCET_RETURN_IF_ERROR(checkSameShape("input", c.input, "output", c.output));
    return checkBlock(target, c.block, c);
  }
};

} // namespace

const Kernel &lookupKernel() {
  static const LookupKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
