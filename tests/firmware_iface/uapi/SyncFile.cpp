//===- SyncFile.cpp - Fences in descriptors -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncFile.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>

namespace avocet::uapi {

bool signals(const FileDescriptor &fence, std::chrono::milliseconds time) {
  pollfd poll{.fd = fence.get(), .events = POLLIN, .revents = 0};
  return ::poll(&poll, 1, static_cast<int>(time.count())) == 1 && (poll.revents & POLLIN) != 0;
}

int statusOf(const FileDescriptor &fence) {
  sync_file_info info{};
  EXPECT_EQ(::ioctl(fence.get(), SYNC_IOC_FILE_INFO, &info), 0);
  return info.status;
}

FileDescriptor merge(const FileDescriptor &first, const FileDescriptor &second) {
  sync_merge_data data{};
  std::snprintf(data.name, sizeof(data.name), "both");
  data.fd2 = second.get();
  EXPECT_EQ(::ioctl(first.get(), SYNC_IOC_MERGE, &data), 0);
  return FileDescriptor(data.fence);
}

} // namespace avocet::uapi
