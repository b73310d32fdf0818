//===- RingActivity.h - Which rings may have open jobs ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bit for each ring, so that an interrupt checks only the rings that may have open jobs. Lock-free.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_RINGACTIVITY_H
#define AVOCET_RUNTIME_BACKENDS_SIM_RINGACTIVITY_H

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace avocet::runtime {

class RingActivity {
public:
  static constexpr uint32_t kMaxRings = 1024;

  /// Marks the ring (below kMaxRings) as active. Called after the job is queued and before the device is notified.
  void set(uint32_t ring) { words_[ring / 64].fetch_or(bitOf(ring), std::memory_order_seq_cst); }

  /// Calls `look` for each ring that is set; its result says whether the ring stays set. One thread at a time.
  template <typename Look> void visit(Look look) {
    for (uint32_t word = 0; word < words_.size(); ++word) {
      // Cleared before the look and not after it, so that a job that is queued meanwhile sets the bit again.
      uint64_t bits = words_[word].load(std::memory_order_relaxed) == 0 ? 0 : words_[word].exchange(0);
      for (; bits != 0; bits &= bits - 1) {
        const uint32_t ring = word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
        if (look(ring))
          set(ring);
      }
    }
  }

private:
  static uint64_t bitOf(uint32_t ring) { return uint64_t{1} << (ring % 64); }

  std::array<std::atomic<uint64_t>, kMaxRings / 64> words_{};
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_RINGACTIVITY_H
