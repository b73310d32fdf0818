//===- DmaShape.h - The runs of a DMA command -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_DMASHAPE_H
#define AVOCET_SIM_LIB_JOB_DMASHAPE_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <vector>

namespace avocet::sim {

/// Bytes that a command moves; saturates.
uint64_t bytesOf(const firmware::DmaCommand &dma);

/// The same command with adjacent runs merged, if they are adjacent at both ends. This gives the longest runs, and so
/// the best use of bursts.
firmware::DmaCommand folded(firmware::DmaCommand dma);

/// Up to `most` transfers that may run at the same time and together move the same bytes. Empty: it cannot be divided.
std::vector<firmware::DmaCommand> sharesOf(const firmware::DmaCommand &dma, uint32_t most);

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_DMASHAPE_H
