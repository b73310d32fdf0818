//===- Driver.cpp - The kernel driver's calls, for tests --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "CopyProgram.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/ioctl.h>
#include <thread>

namespace avocet::kmod {

std::string nodePath(int index) { return fmt::format("/dev/accel/accel{}", index); }

std::string debugFolder() {
  for (const auto &entry : std::filesystem::directory_iterator("/sys/kernel/debug/accel"))
    if (std::filesystem::exists(entry.path() / "rings"))
      return entry.path();
  ADD_FAILURE() << "no folder in debugfs";
  return "/";
}

std::string readText(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void writeText(const std::string &path, const std::string &text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size())) << path;
}

bool eventually(const std::function<bool()> &condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

Driver::Driver(int index) : file_(::open(nodePath(index).c_str(), O_RDWR | O_CLOEXEC)) {
  EXPECT_TRUE(file_.isValid()) << nodePath(index);
}

int Driver::call(unsigned long request, void *argument) const {
  return ::ioctl(file_.get(), request, argument) == 0 ? 0 : errno;
}

uint64_t Driver::parameter(uint32_t number) const {
  avocet_get_param get{number, 0, 0};
  EXPECT_EQ(call(AVOCET_IOCTL_GET_PARAM, &get), 0);
  return get.value;
}

uint32_t Driver::makeContext() const {
  avocet_context_create create{};
  EXPECT_EQ(call(AVOCET_IOCTL_CONTEXT_CREATE, &create), 0);
  return create.context;
}

uint32_t Driver::makeBuffer(uint64_t bytes) const {
  avocet_bo_create create{.size = bytes, .flags = 0, .handle = 0, .mmap_offset = 0};
  EXPECT_EQ(call(AVOCET_IOCTL_BO_CREATE, &create), 0);
  return create.handle;
}

std::span<uint8_t> Driver::memory(uint32_t handle) {
  avocet_bo_info info{};
  info.handle = handle;
  EXPECT_EQ(call(AVOCET_IOCTL_BO_INFO, &info), 0);
  DrmPrimeHandle exported{handle, O_CLOEXEC | O_RDWR, -1};
  EXPECT_EQ(call(kHandleToFd, &exported), 0);
  const FileDescriptor file(exported.fd);
  Result<Mapping> mapping = Mapping::map(file.get(), info.size, Mapping::Access::ReadWrite);
  EXPECT_TRUE(mapping.isOk()) << mapping.status().toString();
  mappings_.push_back(std::move(mapping).value());
  return mappings_.back().bytes();
}

int Driver::map(uint32_t context, uint32_t handle, uint32_t access, uint64_t &address) const {
  avocet_map map{context, handle, access, 0, 0};
  const int error = call(AVOCET_IOCTL_MAP, &map);
  address = map.device_address;
  return error;
}

uint32_t Driver::makeSyncobj() const {
  DrmSyncobjHandle create{};
  EXPECT_EQ(call(kSyncobjCreate, &create), 0);
  return create.handle;
}

avocet_wait Driver::wait(uint32_t context, uint64_t job) const {
  avocet_wait wait{};
  wait.context = context;
  wait.job = job;
  wait.timeout_ns = -1;
  EXPECT_EQ(call(AVOCET_IOCTL_WAIT, &wait), 0);
  return wait;
}

bool Driver::isPending(uint32_t context, uint64_t job) const {
  avocet_wait wait{};
  wait.context = context;
  wait.job = job;
  return call(AVOCET_IOCTL_WAIT, &wait) == ETIMEDOUT;
}

CopyJob::CopyJob(Driver &driver, uint32_t bytes, uint32_t repetitions)
    : driver_(driver), context_(driver.makeContext()) {
  using namespace firmware;
  std::vector<Command> commands;
  for (uint32_t i = 0; i < repetitions; ++i) {
    commands.push_back(runtime::test::copyCommand({1, 0}, {kSramRegion, 0}, bytes));
    commands.push_back(runtime::test::copyCommand({kSramRegion, 0}, {2, 0}, bytes));
  }
  commands.push_back({kNoLayer, EndCommand{}});
  const std::vector<uint32_t> program = encodeStream(commands);
  const uint32_t code = driver.makeBuffer(program.size() * sizeof(uint32_t));
  std::memcpy(driver.memory(code).data(), program.data(), program.size() * sizeof(uint32_t));
  const uint32_t in = driver.makeBuffer(bytes), out = driver.makeBuffer(bytes);
  input_ = driver.memory(in);
  output_ = driver.memory(out);
  for (size_t i = 0; i < bytes; ++i)
    input_[i] = static_cast<uint8_t>(i * 7 + 1);
  stream_.engine_kind = AVOCET_ENGINE_DMA;
  stream_.words = static_cast<uint32_t>(program.size());
  uint64_t address = 0;
  EXPECT_EQ(driver.map(context_, code, AVOCET_ACCESS_READ, address), 0);
  stream_.device_address = address;
  EXPECT_EQ(driver.map(context_, in, AVOCET_ACCESS_READ, address), 0);
  regions_[0] = {address, bytes, AVOCET_ACCESS_READ, 0};
  EXPECT_EQ(driver.map(context_, out, AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE, address), 0);
  regions_[1] = {address, bytes, AVOCET_ACCESS_WRITE, 0};
}

avocet_submit CopyJob::submission() const {
  avocet_submit call{};
  call.context = context_;
  call.streams = reinterpret_cast<uintptr_t>(&stream_);
  call.stream_count = 1;
  call.regions = reinterpret_cast<uintptr_t>(regions_);
  call.region_count = 2;
  call.target_fingerprint = driver_.parameter(AVOCET_PARAM_TARGET_FINGERPRINT);
  call.encoding_version = static_cast<uint32_t>(driver_.parameter(AVOCET_PARAM_ENCODING_VERSION));
  return call;
}

int CopyJob::submit(avocet_submit &call, std::vector<avocet_syncobj> syncobjs) const {
  call.syncobjs = reinterpret_cast<uintptr_t>(syncobjs.data());
  call.syncobj_count = static_cast<uint32_t>(syncobjs.size());
  return driver_.call(AVOCET_IOCTL_SUBMIT, &call);
}

uint64_t CopyJob::mustSubmit(std::vector<avocet_syncobj> syncobjs, uint32_t priority) const {
  avocet_submit call = submission();
  call.priority = priority;
  EXPECT_EQ(submit(call, std::move(syncobjs)), 0);
  return call.job;
}

avocet_wait CopyJob::run() const { return driver_.wait(context_, mustSubmit()); }

} // namespace avocet::kmod
