//===- Allocation.h - IDevice::allocate() -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MEMORY_ALLOCATION_H
#define AVOCET_HAL_DRIVER_LIB_MEMORY_ALLOCATION_H

#include "client/Client.h"

namespace avocet::hal {

/// See IDevice::allocate().
Result<std::shared_ptr<IBuffer>> allocateBuffer(const std::shared_ptr<ClientState> &client,
                                                const std::vector<uint32_t> &dimensions,
                                                const std::vector<BufferRole> &inputRoles,
                                                const std::vector<BufferRole> &outputRoles);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MEMORY_ALLOCATION_H
