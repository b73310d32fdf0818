//===- Registry.cpp - The kernel of a command -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Kernels.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

constexpr const Kernel &(*kGetters[])() = {
#define AVOCET_KERNEL(function) function,
#include "KernelList.inc"
};

/// The DSP kernels by number; null for numbers without one.
std::vector<const Kernel *> dspKernelsByNumber() {
  std::vector<const Kernel *> byNumber;
  for (const Kernel *kernel : allKernels())
    if (const uint32_t number = kernel->id().number; number != 0) {
      byNumber.resize(std::max<size_t>(byNumber.size(), number + 1));
      byNumber[number] = kernel;
    }
  return byNumber;
}

const Kernel *dspKernel(uint32_t number) {
  static const std::vector<const Kernel *> kByNumber = dspKernelsByNumber();
  return number < kByNumber.size() ? kByNumber[number] : nullptr;
}

/// The kernel of each kind of command; null for commands without one.
struct Finder {
  template <typename Command> const Kernel *operator()(const Command &) const { return nullptr; }
  const Kernel *operator()(const ConvCommand &) const { return &convKernel(); }
  const Kernel *operator()(const PoolCommand &) const { return &poolKernel(); }
  const Kernel *operator()(const EltwiseCommand &) const { return &eltwiseKernel(); }
  const Kernel *operator()(const LookupCommand &) const { return &lookupKernel(); }
  const Kernel *operator()(const DspCommand &command) const { return dspKernel(command.kernel); }
};

} // namespace

std::optional<BadIndex> Kernel::findBadIndex(const CommandBody &, std::span<uint8_t>) const { return std::nullopt; }

uint32_t Kernel::parts(const CommandBody &) const { return 1; }

CommandBody Kernel::part(const CommandBody &command, uint32_t, uint32_t) const { return command; }

std::span<const Kernel *const> allKernels() {
  static const auto kKernels = [] {
    std::array<const Kernel *, std::size(kGetters)> all;
    std::transform(std::begin(kGetters), std::end(kGetters), all.begin(), [](auto *get) { return &get(); });
    std::ranges::sort(all, {}, [](const Kernel *kernel) { return std::pair(kernel->id().number, kernel->name()); });
    return all;
  }();
  return kKernels;
}

const Kernel *findKernel(const CommandBody &command) { return std::visit(Finder(), command); }

Result<uint32_t> dspKernelNumber(std::string_view name) {
  std::string known;
  for (const Kernel *kernel : allKernels()) {
    const KernelId id = kernel->id();
    if (id.number == 0)
      continue;
    if (id.name == name)
      return id.number;
    known += " " + std::string(id.name);
  }
  return notFound("DSP kernel '" + std::string(name) + "' does not exist; known:" + known);
}

} // namespace avocet::kernels
