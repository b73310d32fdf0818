//===- DescriptorPassing.h - Descriptors sent with a message -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_DESCRIPTORPASSING_H
#define AVOCET_BASE_DESCRIPTORPASSING_H

#include "avocet/base/File.h"

#include <cstddef>
#include <span>
#include <sys/socket.h>
#include <vector>

namespace avocet {

/// Ancillary buffer for up to maxDescriptors of one message of a Unix-domain socket (SCM_RIGHTS, unix(7)). Must live
/// until sendmsg() or recvmsg() has returned.
template <size_t maxDescriptors> struct DescriptorRoom {
  alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(int) * maxDescriptors)];
};

/// Attaches the descriptors to a message to be sent; the caller keeps them. `room` must have space for all of them.
void attachDescriptors(msghdr &message, std::span<char> room, std::span<const int> descriptors);

/// Takes ownership of all descriptors of a received message, including unexpected ones, so that none leaks.
std::vector<FileDescriptor> takeDescriptors(msghdr &message);

} // namespace avocet

#endif // AVOCET_BASE_DESCRIPTORPASSING_H
