//===- ConvChain.cpp - Convolutions with inner channels -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvChain.h"

#include "Storage.h"
#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/kernels/BlockChoice.h"

#include <algorithm>
#include <utility>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

int64_t channelsOf(Value storage) { return tensorOf(storage).getDimSize(2); }

SmallVector<npu::ConvOp> ConvChain::all() const {
  SmallVector<npu::ConvOp> convs;
  if (first)
    convs.push_back(first);
  convs.append(middle.begin(), middle.end());
  convs.push_back(last);
  return convs;
}

namespace {

uint64_t constantBytesOf(npu::ConvOp conv) { return storageBytes(conv.getWeights()) + storageBytes(conv.getRecords()); }

/// A float convolution with constant weights and nothing else, whose channels can be divided.
bool isDivisible(npu::ConvOp conv, ConvKind kind) {
  return conv && commandOf(conv).kind == kind && commandOf(conv).scaling == OutputScaling::Float &&
         conv.getWeights().getDefiningOp<npu::ConstantOp>() && conv.getRecords().getDefiningOp<npu::ConstantOp>() &&
         (kind == ConvKind::Dense || channelsOf(inputOf(conv)) == channelsOf(resultOf(conv)));
}

/// Least cycles of a chain, without its input and its result: of the array, or of the off-chip port.
class ChainCost {
public:
  ChainCost(const ConvChain &chain, const Target &target)
      : convs_(chain.all()), chain_(chain), target_(target), budget_(target.sram().bytes / 16 * 15) {
    for (npu::ConvOp conv : convs_)
      constants_ += constantBytesOf(conv);
  }

  uint64_t whole() const { return cyclesFor(chain_.channels(), offChipBytes()); }
  /// Whether the array takes longer than the port.
  bool isLimitedByArray() const { return arrayCycles(chain_.channels()) >= portCycles(offChipBytes()); }

  /// In parts of so many channels; nullopt if a part does not fit.
  std::optional<uint64_t> inParts(int64_t channels) const {
    std::optional<uint64_t> least;
    for (const bool inputStays : {false, true})
      for (const bool sumStays : {false, true})
        for (const bool rowsPass : {false, true})
          if (needs(channels, inputStays, sumStays, rowsPass) <= budget_) {
            const uint64_t cycles = cyclesFor(channels, bytesInParts(channels, inputStays, sumStays));
            least = std::min(least.value_or(UINT64_MAX), cycles);
          }
    return least;
  }

private:
  static constexpr int64_t kGranule = 8; ///< about the output channels of a step

  uint64_t portCycles(uint64_t bytes) const { return kernels::loadRate(target_).cyclesFor(bytes); }
  uint64_t cyclesFor(int64_t channels, uint64_t bytes) const {
    return std::max(arrayCycles(channels), portCycles(bytes));
  }

  /// Off-chip bytes without parts: weights that do not stay are loaded for each stripe of rows, and maps that do not
  /// fit are stored.
  uint64_t offChipBytes() const {
    if (constants_ + rowsOf(chain_.channels()) + rowsOfInput() + rowsOfSum() <= budget_)
      return constants_;
    uint64_t bytes = 0;
    bool isStored = !chain_.first;
    for (npu::ConvOp conv : convs_) {
      const uint64_t own = constantBytesOf(conv), maps = storageBytes(inputOf(conv)) + storageBytes(resultOf(conv));
      const bool fits = maps + 2 * own / std::max<int64_t>(1, channelsOf(resultOf(conv)) / kGranule) <= budget_;
      const bool stays = own + readRows(conv) + 2 * rowBytes(resultOf(conv)) <= budget_;
      bytes += own * (fits || stays ? 1 : divideUp(2 * maps, budget_));
      bytes += isStored || !fits ? storageBytes(inputOf(conv)) : 0;
      bytes += !fits && conv != chain_.last ? storageBytes(resultOf(conv)) : 0;
      isStored = !fits;
    }
    return bytes;
  }

  /// Bytes of SRAM. Constants of one convolution are loaded while another one runs.
  uint64_t needs(int64_t channels, bool inputStays, bool sumStays, bool rowsPass) const {
    const uint64_t input = chain_.first ? storageBytes(inputOf(chain_.first)) : 0,
                   sum = storageBytes(resultOf(chain_.last));
    uint64_t bytes = partOf(constants_, channels) * (convs_.size() > 1 ? 1 : 2);
    bytes += inputStays ? input : rowsOfInput();
    bytes += sumStays ? sum : rowsOfSum();
    bytes += rowsPass ? rowsOf(channels)
                      : partOf(storageBytes(chain_.inner()), channels) +
                            partOf(storageBytes(inputOf(chain_.last)), channels);
    return bytes;
  }

  uint64_t bytesInParts(int64_t channels, bool inputStays, bool sumStays) const {
    const auto parts = static_cast<uint64_t>(divideUp(chain_.channels(), channels));
    const uint64_t input = chain_.first ? storageBytes(inputOf(chain_.first)) : 0,
                   sum = storageBytes(resultOf(chain_.last));
    return constants_ + (chain_.first ? 0 : storageBytes(chain_.inner())) +
           parts * ((inputStays ? 0 : input) + (sumStays ? 0 : 2 * sum));
  }

  uint64_t partOf(uint64_t bytes, int64_t channels) const { return bytes / chain_.channels() * channels; }

  // Rows in flight while rows pass.
  static uint64_t rowBytes(Value storage) { return storageBytes(storage) / tensorOf(storage).getDimSize(0); }
  static uint64_t readRows(npu::ConvOp conv) {
    return (commandOf(conv).window.kernelHeight + 1) * rowBytes(inputOf(conv));
  }
  uint64_t rowsOfInput() const { return chain_.first ? readRows(chain_.first) : 0; }
  uint64_t rowsOfSum() const { return 4 * rowBytes(resultOf(chain_.last)); }
  /// Of maps of so many inner channels.
  uint64_t rowsOf(int64_t channels) const {
    uint64_t bytes = 0;
    for (npu::ConvOp conv : convs_)
      bytes += conv == chain_.first ? 0 : partOf(readRows(conv), channels);
    return bytes;
  }

  uint64_t arrayCycles(int64_t channels) const {
    uint64_t cycles = 0;
    for (npu::ConvOp conv : convs_)
      cycles += arrayCycles(conv, channels);
    return cycles * divideUp(chain_.channels(), channels);
  }

  /// Of a part. The last convolution adds in its output stage.
  uint64_t arrayCycles(npu::ConvOp conv, int64_t channels) const {
    const bool isLast = conv == chain_.last;
    const auto inner = [&](Value storage) {
      const RankedTensorType type = tensorOf(storage);
      return storageType({type.getDimSize(0), type.getDimSize(1), channels}, type.getElementType());
    };
    ConvCommand command = commandOf(conv);
    command.input = fullMap(conv == chain_.first ? tensorOf(inputOf(conv)) : inner(inputOf(conv)), 0);
    command.output = fullMap(isLast ? tensorOf(resultOf(conv)) : inner(resultOf(conv)), 0);
    command.weightBytes = static_cast<uint32_t>(partOf(storageBytes(conv.getWeights()), channels));
    if (isLast && (conv.getAddend() || channels < chain_.channels()))
      command.residual.addend = command.output;
    return kernels::chooseBlock(target_, command).cycles;
  }

  SmallVector<npu::ConvOp> convs_;
  const ConvChain &chain_;
  const Target &target_;
  const uint64_t budget_;
  uint64_t constants_ = 0;
};

/// Chunks of products are so many.
constexpr int64_t kLeastChannels = kChunkProducts;
/// More parts would make the program too long.
constexpr int64_t kMostParts = 64;

} // namespace

std::optional<ConvChain> chainOf(npu::ConvOp last) {
  const auto makerOf = [](Value value) {
    return value.hasOneUse() ? value.getDefiningOp<npu::ConvOp>() : npu::ConvOp();
  };
  // Sums of halves would be rounded in each part.
  if (!isDivisible(last, ConvKind::Dense) || !tensorOf(resultOf(last)).getElementType().isF32())
    return std::nullopt;
  ConvChain chain{.first = {}, .middle = {}, .last = last};
  for (npu::ConvOp conv = makerOf(inputOf(last)); isDivisible(conv, ConvKind::Depthwise) && !conv.getAddend();
       conv = makerOf(inputOf(conv)))
    chain.middle.insert(chain.middle.begin(), conv);
  if (npu::ConvOp conv = makerOf(chain.inner()); isDivisible(conv, ConvKind::Dense) && !conv.getAddend())
    chain.first = conv;
  return chain;
}

std::optional<int64_t> partChannelsOf(const ConvChain &chain, const Target &target) {
  const ChainCost cost(chain, target);
  if (cost.isLimitedByArray())
    return std::nullopt;
  std::optional<int64_t> best;
  uint64_t least = cost.whole() / 8 * 7;
  for (int64_t parts = 2, last = chain.channels(); parts <= kMostParts; ++parts) {
    const int64_t channels = roundUp(divideUp(chain.channels(), parts), kLeastChannels);
    if (channels >= std::exchange(last, channels))
      continue;
    if (const std::optional<uint64_t> cycles = cost.inParts(channels); cycles && *cycles < least) {
      least = *cycles;
      best = channels;
    }
  }
  return best;
}

} // namespace avocet::compiler
