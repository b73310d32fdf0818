//===- DescriptorPassing.cpp - Descriptors sent with a message -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/DescriptorPassing.h"

#include <cassert>
#include <cstring>

namespace avocet {

void attachDescriptors(msghdr &message, std::span<char> room, std::span<const int> descriptors) {
  if (descriptors.empty())
    return;
  const size_t bytes = descriptors.size_bytes();
  assert(CMSG_SPACE(bytes) <= room.size());
  message.msg_control = room.data();
  message.msg_controllen = CMSG_SPACE(bytes);
  std::memset(room.data(), 0, message.msg_controllen);
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(header), descriptors.data(), bytes);
}

std::vector<FileDescriptor> takeDescriptors(msghdr &message) {
  std::vector<FileDescriptor> descriptors;
  for (cmsghdr *header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    descriptors.reserve(descriptors.size() + count);
    for (size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      descriptors.emplace_back(number);
    }
  }
  return descriptors;
}

} // namespace avocet
