//===- SyncFile.h - Fences in descriptors -------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_UAPI_SYNCFILE_H
#define AVOCET_TESTS_FIRMWARE_IFACE_UAPI_SYNCFILE_H

#include "avocet/base/File.h"

#include <chrono>

namespace avocet::uapi {

/// Whether the fence has signaled after at most `time`.
bool signals(const FileDescriptor &fence, std::chrono::milliseconds time);

/// 1: signaled, 0: not yet, else a negative errno.
int statusOf(const FileDescriptor &fence);

/// Signals when both have.
FileDescriptor merge(const FileDescriptor &first, const FileDescriptor &second);

} // namespace avocet::uapi

#endif // AVOCET_TESTS_FIRMWARE_IFACE_UAPI_SYNCFILE_H
