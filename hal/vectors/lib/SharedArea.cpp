//===- SharedArea.cpp - Memory that a device can map ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/vectors/SharedArea.h"

namespace avocet::hal::conformance {

avocet::Result<SharedArea> SharedArea::make(uint64_t size) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("conformance", size));
  SharedArea area;
  AVOCET_ASSIGN_OR_RETURN(area.mapping_, Mapping::map(file.get(), size, Mapping::Access::ReadWrite));
  auto handle = std::make_shared<const FileDescriptor>(std::move(file));
  area.memory_ = std::make_shared<const Memory>(Memory{Ashmem{std::move(handle), size}});
  return area;
}

} // namespace avocet::hal::conformance
