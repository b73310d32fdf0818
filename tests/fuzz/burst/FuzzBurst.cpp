//===- FuzzBurst.cpp - Both sides of a burst, and its packets -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses the part: packets only, a client of a server, or the service of a controller. Peers
// write any bytes anywhere in the shared memory. Nothing may crash or hang, and results must meet the contracts.
//
//===----------------------------------------------------------------------===//

#include "BurstParts.h"

#include <unistd.h>

namespace avocet::hal::fuzz {

SharedMemory makeMemory() {
  avocet::Result<FileDescriptor> file = createMemoryFile("fuzz", 64);
  require(file.isOk());
  return std::make_shared<const Memory>(
      Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(file).value()), 64}});
}

void tamper(const QueueDescriptor &descriptor, Script &script) {
  const GrantorDescriptor &part = descriptor.grantors[script.byte() % descriptor.grantors.size()];
  uint64_t value = script.byte() % 2 == 0 ? script.byte() * 24 : script.word();
  uint64_t bytes = std::min<uint64_t>(part.extent, sizeof(value));
  (void)!::pwrite(descriptor.fds[0]->get(), &value, bytes, part.offset);
}

} // namespace avocet::hal::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace avocet::hal::fuzz;
  Script script(data, size);
  constexpr void (*kParts[])(Script &) = {fuzzPackets, fuzzPackets, fuzzClient, fuzzService};
  kParts[script.byte() % std::size(kParts)](script);
  return 0;
}
