//===- Kernel.h - Definition of a device command ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel defines one device operation: its legality, its exact arithmetic and its cost. The simulator runs it, and
// the compiler plans with its cost. Both use the same tile timing; contention and stalls exist only in the simulator.
// Kernels are stateless and may be called from any thread. One registry (lib/common/Registry.cpp) lists them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_KERNEL_H
#define AVOCET_KERNELS_KERNEL_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace avocet::kernels {

/// A run of equal blocks (MAC array) or row groups (DSP) of one command, in the order in which the engine processes
/// them. A block loads, computes and stores; load of the next, compute, and store of the previous block overlap. Bytes
/// are those the SRAM port moves: each contiguous piece is rounded up to the port's grain.
struct BlockRun {
  uint64_t count = 1;         ///< number of equal blocks
  uint64_t loadBytes = 0;     ///< input elements that must be in the engine before the block computes, per block
  uint64_t streamBytes = 0;   ///< input slices read while the block computes (deep inputs), per block
  uint64_t weightBytes = 0;   ///< weights, records, tables, addends, read while the block computes, per block
  uint64_t computeCycles = 0; ///< the larger of array steps and weight decode, per block
  uint64_t outputCycles = 0;  ///< output stage, per block
  uint64_t storeBytes = 0;    ///< per block
  uint32_t inputRowsEnd = 0;  ///< the run reads only rows below this one of the command's input window
  uint32_t addendRowsEnd = 0; ///< the run reads only rows below this one of the addend; 0 without an addend
  uint32_t outputRowsEnd = 0; ///< output rows [0, outputRowsEnd) are complete after the last block of the run
};

/// Cost of one command without contention.
struct TileCost {
  std::vector<BlockRun> runs;
  uint64_t macs = 0;          ///< multiply-accumulates that the arithmetic needs (padding and unused lanes not counted)
  uint64_t dspOperations = 0; ///< lane operations of a DSP command
  uint64_t cycles = 0;        ///< issue, pipeline fill, all blocks with load/compute/store overlapped, drain
};

/// An index in the data of a command that is outside of its valid range, [0, extent).
struct BadIndex {
  int64_t index = 0;
  uint32_t extent = 0;
};

class Kernel {
public:
  virtual ~Kernel() = default;

  virtual KernelId id() const = 0;
  std::string_view name() const { return id().name; }

  /// Whether the target can run the command: types, shapes, windows, block size, parameter count. The error names the
  /// field and the rule it breaks. Addresses are not checked here; the device checks them.
  virtual Status check(const firmware::Target &target, const firmware::CommandBody &command) const = 0;

  /// Computes on SRAM contents. Requires check() to have passed for the same target (which decides the weight layout)
  /// and every access to lie inside `sram` (the caller checks the footprint first). sram starts at a multiple of 8
  /// bytes.
  virtual void run(const firmware::Target &target, const firmware::CommandBody &command,
                   std::span<uint8_t> sram) const = 0;

  /// The first index that is outside of its valid range, in the order of the index operand; nothing for kernels without
  /// indices. In a command for a section the range is that of the whole axis. run() computes with such an index all the
  /// same, as the kernel's header says. To be called before run(), which may overwrite the indices. Same requirements.
  virtual std::optional<BadIndex> findBadIndex(const firmware::CommandBody &command, std::span<uint8_t> sram) const;

  /// Requires check() to have passed.
  virtual TileCost cost(const firmware::Target &target, const firmware::CommandBody &command) const = 0;

  /// Number of parts of the results that separate commands can compute: rows, slices along an outer axis, steps of a
  /// sequence. 1: the command cannot be divided. Requires check() to have passed.
  virtual uint32_t parts(const firmware::CommandBody &command) const;

  /// The command that computes parts [first, first + count). Such commands for all parts, in ascending order, leave the
  /// same bits in SRAM as the whole command; each of them passes check(). A command for one part may have parts of its
  /// own, along the next axis. Requires check() to have passed, count > 0 and first + count <= parts().
  virtual firmware::CommandBody part(const firmware::CommandBody &command, uint32_t first, uint32_t count) const;

  /// Commands that may run at the same time on several threads, and together leave the same bits in SRAM as the whole
  /// command; at most `most`, of about equal work. run() accepts them, check() need not. Empty: the command cannot be
  /// divided so. Requires check() to have passed, and every access to lie inside SRAM.
  std::vector<firmware::CommandBody> shares(const firmware::Target &target, const firmware::CommandBody &command,
                                            uint32_t most) const;

protected:
  /// shares() of a command that reads none of its results, with `most` above 1.
  virtual std::vector<firmware::CommandBody> divide(const firmware::Target &target,
                                                    const firmware::CommandBody &command, uint32_t most) const;
};

/// The kernel that performs a command; null for commands without one (Wait, Signal, Dma, ...) and unknown DSP numbers.
const Kernel *findKernel(const firmware::CommandBody &command);

/// All kernels: first those of the MAC array, then those of the DSP by ascending number.
std::span<const Kernel *const> allKernels();

/// The number of a DSP kernel by name ("softmax"), for the IR's text. NotFound lists the known names.
Result<uint32_t> dspKernelNumber(std::string_view name);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_KERNEL_H
