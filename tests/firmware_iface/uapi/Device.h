//===- Device.h - The kernel driver's calls, as they are ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of the interface itself: each method is one call, and gives 0 or the errno.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_UAPI_DEVICE_H
#define AVOCET_TESTS_FIRMWARE_IFACE_UAPI_DEVICE_H

#include "avocet/base/File.h"
#include "avocet_accel.h"

#include <cerrno>
#include <chrono>
#include <sys/ioctl.h>

namespace avocet::uapi {

// Of <drm/drm.h>, which is in no package that the build needs otherwise.
struct DrmVersion {
  int major, minor, patch;
  size_t nameBytes;
  char *name;
  size_t dateBytes;
  char *date;
  size_t descriptionBytes;
  char *description;
};
struct DrmGemClose {
  uint32_t handle, pad;
};
struct DrmPrimeHandle {
  uint32_t handle, flags;
  int32_t fd;
};
inline constexpr unsigned long kVersion = _IOWR('d', 0x00, DrmVersion);
inline constexpr unsigned long kGemClose = _IOW('d', 0x09, DrmGemClose);
inline constexpr unsigned long kHandleToFd = _IOWR('d', 0x2d, DrmPrimeHandle);
inline constexpr unsigned long kFdToHandle = _IOWR('d', 0x2e, DrmPrimeHandle);

/// Longer than anything takes, for waits that must not fail because the machine is busy.
inline constexpr std::chrono::seconds kPatience{60};

/// A point in time as WAIT and SUBMIT take it.
int64_t afterNow(std::chrono::nanoseconds time);

/// An open file of the device.
class Device {
public:
  Device();

  template <typename Call> int call(unsigned long request, Call &call) const {
    return ::ioctl(file_.get(), request, &call) == 0 ? 0 : errno;
  }
  /// A call with any pointer.
  int callAt(unsigned long request, void *argument) const {
    return ::ioctl(file_.get(), request, argument) == 0 ? 0 : errno;
  }

  uint64_t parameter(uint32_t number) const;
  int fd() const { return file_.get(); }
  void close() { file_.reset(); }

  int closeHandle(uint32_t handle) const;
  int exportHandle(uint32_t handle, FileDescriptor &dmaBuf) const;
  int importDmaBuf(int dmaBuf, uint32_t &handle) const;

private:
  FileDescriptor file_;
};

/// Path of the device's node; empty if there is none.
std::string findNode();

/// A buffer of the driver, mapped into this process.
class Buffer {
public:
  Buffer(const Device &device, uint64_t bytes);
  ~Buffer();

  uint32_t handle() const { return handle_; }
  std::span<uint8_t> bytes() { return memory_.bytes(); }

private:
  const Device &device_;
  uint32_t handle_ = 0;
  Mapping memory_;
};

} // namespace avocet::uapi

#endif // AVOCET_TESTS_FIRMWARE_IFACE_UAPI_DEVICE_H
