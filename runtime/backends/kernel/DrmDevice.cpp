//===- DrmDevice.cpp - Calls of the kernel driver ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DrmDevice.h"

#include "avocet/base/Rounding.h"
#include "avocet/runtime/KernelBackend.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/ioctl.h>
#include <tuple>
#include <vector>

namespace avocet::runtime {

namespace {

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
constexpr unsigned long kVersion = _IOWR('d', 0x00, DrmVersion);
constexpr unsigned long kGemClose = _IOW('d', 0x09, DrmGemClose);
constexpr unsigned long kHandleToFd = _IOWR('d', 0x2d, DrmPrimeHandle);
constexpr unsigned long kFdToHandle = _IOWR('d', 0x2e, DrmPrimeHandle);

constexpr std::string_view kDriver = "avocet";

} // namespace

Result<DrmDevice> DrmDevice::open(const std::string &path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.isValid() && (errno == EACCES || errno == EPERM))
    return failedPrecondition(fmt::format("{}: permission denied; devices are for the group render: run \"usermod -aG "
                                          "render USER\" as root, then log in again",
                                          path));
  if (!file.isValid())
    return errnoStatus(errno, "cannot open " + path);
  DrmDevice device(std::move(file));
  char name[32] = {};
  DrmVersion version{};
  version.nameBytes = sizeof(name) - 1;
  version.name = name;
  if (device.callDriver(kVersion, &version) != 0 || name != kDriver)
    return unsupported(fmt::format("{} is no device of the driver '{}'", path, kDriver));
  if (version.major != AVOCET_UAPI_MAJOR || version.minor < AVOCET_UAPI_MINOR)
    return failedPrecondition(
        fmt::format("{}: the kernel driver has interface {}.{}, {}.{} is needed: update the driver", path,
                    version.major, version.minor, AVOCET_UAPI_MAJOR, AVOCET_UAPI_MINOR));
  return device;
}

int DrmDevice::callDriver(unsigned long request, void *argument) const {
  while (::ioctl(file_.get(), request, argument) != 0)
    if (errno != EINTR)
      return errno;
  return 0;
}

Status DrmDevice::statusOf(int error, std::string_view what) {
  switch (error) {
  case 0:
    return Status::ok();
  case EINVAL:
  case ENOENT:
  case EBADF:
    return invalidArgument(fmt::format("{}: the kernel driver refused an argument or found no such object", what));
  case EAGAIN:
    return resourceExhausted(fmt::format("{}: the queue is full", what));
  case ENODEV:
    return {StatusCode::DeviceLost, fmt::format("{}: the device has stopped; reset it", what)};
  case ETIMEDOUT:
    return {StatusCode::DeadlineExceeded, fmt::format("{}: the job has not ended", what)};
  default:
    return errnoStatus(error, std::string(what));
  }
}

Result<uint64_t> DrmDevice::parameter(uint32_t number) const {
  avocet_get_param call{.param = number, .pad = 0, .value = 0};
  AVOCET_RETURN_IF_ERROR(this->call(AVOCET_IOCTL_GET_PARAM, call, "parameter of the device"));
  return call.value;
}

std::string DrmDevice::targetName() const {
  char name[64] = {};
  avocet_query call{
      .what = AVOCET_QUERY_TARGET_NAME, .pad = 0, .data = reinterpret_cast<uintptr_t>(name), .size = sizeof(name) - 1};
  const Status status = this->call(AVOCET_IOCTL_QUERY, call, "name of the target");
  return status.isOk() && name[0] != 0 ? name : "device of unknown target";
}

Status DrmDevice::closeHandle(uint32_t handle) const {
  DrmGemClose call{handle, 0};
  return this->call(kGemClose, call, "closing a buffer");
}

Result<FileDescriptor> DrmDevice::exportHandle(uint32_t handle) const {
  DrmPrimeHandle call{handle, O_CLOEXEC | O_RDWR, -1};
  AVOCET_RETURN_IF_ERROR(this->call(kHandleToFd, call, "exporting a buffer"));
  return FileDescriptor(call.fd);
}

Result<uint32_t> DrmDevice::importDmaBuf(const FileDescriptor &file) const {
  DrmPrimeHandle call{0, 0, file.get()};
  AVOCET_RETURN_IF_ERROR(this->call(kFdToHandle, call, "importing a dma-buf"));
  return call.handle;
}

Result<uint32_t> DrmDevice::importMemory(std::span<const uint8_t> memory, bool writable) const {
  avocet_bo_import call{.address = reinterpret_cast<uintptr_t>(memory.data()),
                        .size = roundUp(memory.size(), AVOCET_PAGE_BYTES),
                        .flags = writable ? 0 : AVOCET_BO_READ_ONLY,
                        .handle = 0};
  AVOCET_RETURN_IF_ERROR(this->call(AVOCET_IOCTL_BO_IMPORT, call, "importing memory"));
  return call.handle;
}

namespace {

/// accel2 before accel10.
std::vector<std::string> nodesIn(const std::string &folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    paths.push_back(entry->path());
  std::ranges::sort(paths, {}, [](const std::string &path) { return std::tuple(path.size(), path); });
  return paths;
}

Status absent(const std::string &place) {
  return notFound(fmt::format("there is no device node {}; load the kernel driver (modprobe avocet), and see its "
                              "messages (dmesg) if it finds no device",
                              place));
}

} // namespace

Result<std::unique_ptr<Backend>> openFirst(const std::string &place, const OpenNode &open) {
  std::error_code error;
  if (std::filesystem::exists(place, error) && !std::filesystem::is_directory(place, error))
    return open(place);
  std::optional<Status> refusal;
  for (const std::string &path : nodesIn(place)) {
    Result<std::unique_ptr<Backend>> backend = open(path);
    if (backend)
      return backend;
    if (!refusal || refusal->code() == StatusCode::Unsupported)
      refusal = backend.status();
  }
  return refusal ? *refusal : absent(place);
}

std::vector<KernelNode> kernelNodes(const std::string &folder) {
  std::vector<KernelNode> nodes;
  for (const std::string &path : nodesIn(folder)) {
    const Result<DrmDevice> device = DrmDevice::open(path);
    if (device)
      nodes.push_back({path, Status::ok(), device->targetName()});
    else if (device.code() != StatusCode::Unsupported)
      nodes.push_back({path, device.status(), ""});
  }
  return nodes;
}

} // namespace avocet::runtime
