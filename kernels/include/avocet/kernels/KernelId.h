//===- KernelId.h - The identity of a kernel ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_KERNELID_H
#define AVOCET_KERNELS_KERNELID_H

#include <cstdint>
#include <string_view>

namespace avocet::kernels {

/// Name and number of a kernel. Each kernel has one constant of this type: the vector DSP's beside their operands in
/// dsp/*.h, the MAC array's in MacKernels.h. Code compares these constants, never names as text.
struct KernelId {
  std::string_view name; ///< in the IR and in messages; unique
  uint32_t number = 0;   ///< DspCommand::kernel, part of the command encoding: never changes; 0: of the MAC array

  constexpr bool operator==(const KernelId &) const = default;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_KERNELID_H
