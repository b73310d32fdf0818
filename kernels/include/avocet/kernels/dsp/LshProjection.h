//===- LshProjection.h - Locality-sensitive hashing ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "lshProjection": projects a tensor to bits that are often equal for similar tensors.
//
//   inputs[0]   seeds [hashes, bits], f32 or f16, dense
//   inputs[1]   [items, ...], dense, any type
//   inputs[2]   optional: weights [items], the type of the seeds, dense
//   outputs[0]  i32, dense: [hashes * bits] if dense, else [hashes]
//
// A bit is 1 if the sum over items of weight * fingerprint is positive, in double precision and in the order of the
// items. The fingerprint is FarmHash's Fingerprint64, as a signed number, of the bytes of the seed (as f32, little
// endian) followed by those of the item; without weights they are 1. Dense: every bit is an element. Sparse: the bits
// of a hash are an integer, first bit highest; the number of the hash times 2^bits is added, so that hashes do not
// collide. SparseDeprecated does not add it. Sums wrap.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_LSHPROJECTION_H
#define AVOCET_KERNELS_DSP_LSHPROJECTION_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kLshProjectionKernel{"lshProjection", 13};

/// NNAPI's numbers.
enum class LshKind : uint32_t { SparseDeprecated = 1, Dense = 2, Sparse = 3 };

struct LshProjectionParameters {
  LshKind kind = LshKind::Dense;
  uint32_t bits = 1;  ///< of one hash, at most 32
  uint32_t items = 1; ///< outermost extent of the input

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("bits", self.bits);
    visit("items", self.items);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_LSHPROJECTION_H
