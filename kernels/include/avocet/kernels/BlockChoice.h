//===- BlockChoice.h - The best block of a MAC command ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which part of its output a MAC command should hold in the accumulators at a time. The choice decides how often
// weights are decoded again and inputs read again; it minimises the command's own uncontended cycles
// (lib/cost/BlockWalk.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_BLOCKCHOICE_H
#define AVOCET_KERNELS_BLOCKCHOICE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <memory>

namespace avocet::kernels {

struct BlockChoice {
  firmware::Block block;
  uint64_t cycles = 0; ///< uncontended cycles of the command with that block
};

/// Whether input block and accumulators fit the array's buffer, and the block the target's largest block. False for
/// commands that are not of the MAC array.
bool blockFits(const firmware::Target &target, const firmware::CommandBody &command);

/// The block with the fewest cycles among the candidates; the block that the command holds is ignored. Depends on
/// shapes, types and layout (packed or not) only, never on addresses: equal commands get equal answers on every run.
/// Commands that are not of the MAC array get {1, 1, 1} and 0 cycles.
BlockChoice chooseBlock(const firmware::Target &target, const firmware::CommandBody &command);

/// chooseBlock() that remembers its answers. One per compilation; not thread-safe.
class BlockChooser {
public:
  explicit BlockChooser(std::shared_ptr<const firmware::Target> target);
  ~BlockChooser();
  BlockChoice choose(const firmware::CommandBody &command);

private:
  struct Memory;
  std::shared_ptr<const firmware::Target> target_;
  std::unique_ptr<Memory> memory_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_BLOCKCHOICE_H
