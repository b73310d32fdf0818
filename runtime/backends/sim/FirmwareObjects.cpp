//===- FirmwareObjects.cpp - Contexts, rings and mappings of the firmware --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirmwareObjects.h"

namespace avocet::runtime {
namespace {

/// The simulated bus reaches this process's memory at its own addresses.
uint64_t systemAddress(std::span<const uint8_t> memory) { return reinterpret_cast<uintptr_t>(memory.data()); }

uint64_t wholePages(uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

} // namespace

Status FirmwareObjects::createContext(const ContextRing &ring) {
  firmware::ContextRequest request{ring.firmwareContext(), ring.owner(), {}};
  return channel_.command(firmware::MessageKind::CreateContext, request, "create context");
}

Status FirmwareObjects::destroyContext(const ContextRing &ring) {
  firmware::ContextRequest request{ring.firmwareContext(), 0, {}};
  return channel_.command(firmware::MessageKind::DestroyContext, request, "destroy context");
}

Status FirmwareObjects::createRing(ContextRing &ring) {
  auto memory = ring.memory();
  firmware::MapRequest map{ring.firmwareContext(), firmware::access::kRead | firmware::access::kWrite,
                           ContextRing::kDeviceAddress, systemAddress(memory), memory.size()};
  AVOCET_RETURN_IF_ERROR(channel_.command(firmware::MessageKind::Map, map, "map ring"));
  firmware::RingRequest request{ring.firmwareContext(), ring.ring(), ContextRing::kDeviceAddress, ContextRing::kEntries,
                                0};
  return channel_.command(firmware::MessageKind::CreateRing, request, "create ring");
}

Status FirmwareObjects::map(const ContextRing &ring, const MappedRange &range) {
  firmware::MapRequest request{ring.firmwareContext(), static_cast<uint32_t>(range.access), range.address,
                               systemAddress(range.memory), wholePages(range.memory.size())};
  return channel_.command(firmware::MessageKind::Map, request, "map");
}

Status FirmwareObjects::unmap(const ContextRing &ring, const MappedRange &range) {
  firmware::MapRequest request{ring.firmwareContext(), 0, range.address, 0, wholePages(range.memory.size())};
  return channel_.command(firmware::MessageKind::Unmap, request, "unmap");
}

} // namespace avocet::runtime
