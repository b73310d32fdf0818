//===- Module.cpp - The driver's module and its binding to the device ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "Device.h"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace avocet::uapi {

namespace {

constexpr const char *kModule = "/modules/avocet.ko"; ///< scripts/kernelGuest puts it there
const std::string kDriver = "/sys/bus/pci/drivers/avocet-ivshmem";

/// In one call: a stream would repeat one that failed.
bool writeName(const std::string &path, const std::string &function) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return ::write(file.get(), function.data(), function.size()) == static_cast<ssize_t>(function.size());
}

void awaitNode() {
  for (int i = 0; i < 1000 && findNode().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

} // namespace

int unloadModule() {
  // Fences hold the module until a work item of the kernel has released them.
  for (int i = 0; i < 100; ++i) {
    if (::syscall(SYS_delete_module, "avocet", O_NONBLOCK) == 0)
      return 0;
    if (errno != EWOULDBLOCK)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return errno;
}

int loadModule(const std::string &parameters) {
  const FileDescriptor file(::open(kModule, O_RDONLY | O_CLOEXEC));
  if (::syscall(SYS_finit_module, file.get(), parameters.c_str(), 0) != 0)
    return errno;
  awaitNode();
  return 0;
}

std::string findFunction() {
  for (const auto &entry : std::filesystem::directory_iterator(kDriver))
    if (const std::string name = entry.path().filename(); name.starts_with("0000:"))
      return name;
  return {};
}

bool unbind(const std::string &function) { return writeName(kDriver + "/unbind", function); }

bool bind(const std::string &function) {
  if (!writeName(kDriver + "/bind", function))
    return false;
  awaitNode();
  return true;
}

ParameterChange::ParameterChange(const std::string &parameters) {
  EXPECT_EQ(unloadModule(), 0);
  EXPECT_EQ(loadModule(parameters), 0);
}

ParameterChange::~ParameterChange() {
  EXPECT_EQ(unloadModule(), 0);
  EXPECT_EQ(loadModule(""), 0);
}

} // namespace avocet::uapi
