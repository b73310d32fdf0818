//===- Protocol.cpp - Versions of the protocol ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Protocol.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal {

Result<uint32_t> commonProtocol(const ProtocolRange &client, const ProtocolRange &service) {
  const uint32_t version = std::min(client.newest, service.newest);
  if (client.contains(version) && service.contains(version))
    return version;
  return invalidArgument(fmt::format("the client speaks {} of the protocol, the service {}; update the older of the "
                                     "two",
                                     toString(client), toString(service)));
}

std::string toString(const ProtocolRange &range) {
  return range.oldest == range.newest ? fmt::format("version {}", range.oldest)
                                      : fmt::format("versions {} to {}", range.oldest, range.newest);
}

} // namespace avocet::hal
