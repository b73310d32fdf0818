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
#include <fstream>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace avocet::uapi {

namespace {

constexpr const char *kModule = "/modules/avocet.ko"; ///< scripts/kernelGuest puts it there
constexpr const char *kDriver = "/sys/bus/pci/drivers/avocet-ivshmem";

void awaitNode() {
  for (int i = 0; i < 1000 && findNode().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

} // namespace

int unloadModule() { return ::syscall(SYS_delete_module, "avocet", O_NONBLOCK) == 0 ? 0 : errno; }

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

void unbind(const std::string &function) { std::ofstream(kDriver + std::string("/unbind")) << function; }

void bind(const std::string &function) {
  std::ofstream(kDriver + std::string("/bind")) << function;
  awaitNode();
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
