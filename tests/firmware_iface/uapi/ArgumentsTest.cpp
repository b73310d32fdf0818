//===- ArgumentsTest.cpp - Refused arguments of each call but SUBMIT ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"
#include "Unprivileged.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace avocet::uapi {
namespace {

constexpr unsigned long kCalls[] = {AVOCET_IOCTL_GET_PARAM, AVOCET_IOCTL_CONTEXT_CREATE, AVOCET_IOCTL_CONTEXT_DESTROY,
                                    AVOCET_IOCTL_BO_CREATE, AVOCET_IOCTL_BO_INFO,        AVOCET_IOCTL_MAP,
                                    AVOCET_IOCTL_UNMAP,     AVOCET_IOCTL_SUBMIT,         AVOCET_IOCTL_WAIT,
                                    AVOCET_IOCTL_RESET,     AVOCET_IOCTL_QUERY,          AVOCET_IOCTL_CANCEL,
                                    AVOCET_IOCTL_BO_IMPORT};

constexpr uint32_t kUnknown = 54321;

/// The errno of a call after `change` to valid arguments.
template <typename Call, typename Change>
int withChange(const Device &device, unsigned long request, Call call, Change change) {
  change(call);
  return device.call(request, call);
}

class ArgumentsTest : public testing::Test {
protected:
  Device device_;
};

TEST_F(ArgumentsTest, NullArgumentOfEachCallFaults) {
  for (unsigned long request : kCalls)
    EXPECT_EQ(device_.callAt(request, nullptr), EFAULT) << "call " << (request & 0xff);
}

TEST_F(ArgumentsTest, UnknownCallsAreRefused) {
  uint64_t argument[64] = {};
  for (unsigned number = std::size(kCalls); number < 0x60; ++number)
    EXPECT_NE(device_.callAt(_IOWR('d', 0x40 + number, uint64_t[8]), argument), 0) << "call " << number;
}

TEST_F(ArgumentsTest, OlderShorterStructureIsAccepted) {
  struct {
    uint32_t flags, context;
  } first{};
  static_assert(sizeof(first) < sizeof(avocet_context_create));
  EXPECT_EQ(device_.callAt(_IOWR('d', 0x41, decltype(first)), &first), 0);
  EXPECT_EQ(destroyContext(device_, first.context), 0);
}

TEST_F(ArgumentsTest, ParametersHaveValues) {
  EXPECT_GE(device_.parameter(AVOCET_PARAM_INTERFACE_VERSION), 1u << 16);
  for (uint32_t param : {AVOCET_PARAM_ENCODING_VERSION, AVOCET_PARAM_TARGET_FINGERPRINT, AVOCET_PARAM_CLOCK_HZ,
                         AVOCET_PARAM_SRAM_BYTES, AVOCET_PARAM_DMA_CHANNELS, AVOCET_PARAM_SEMAPHORES,
                         AVOCET_PARAM_MAX_CONTEXTS, AVOCET_PARAM_MAX_REGIONS, AVOCET_PARAM_MAX_STREAM_WORDS,
                         AVOCET_PARAM_MAX_PRIORITY, AVOCET_PARAM_QUEUE_DEPTH, AVOCET_PARAM_WATCHDOG_CYCLES})
    EXPECT_NE(device_.parameter(param), 0u) << param;
}

TEST_F(ArgumentsTest, GetParamRefusesUnknownParameterAndPadding) {
  avocet_get_param call{.param = AVOCET_PARAM_CLOCK_HZ, .pad = 0, .value = 0};
  EXPECT_EQ(device_.call(AVOCET_IOCTL_GET_PARAM, call), 0);
  for (uint32_t param : {AVOCET_PARAM_FEATURES + 1u, 0x10000u, ~0u})
    EXPECT_EQ(withChange(device_, AVOCET_IOCTL_GET_PARAM, call, [&](auto &c) { c.param = param; }), EINVAL);
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_GET_PARAM, call, [](auto &c) { c.pad = 1; }), EINVAL);
}

TEST_F(ArgumentsTest, ContextCreateRefusesFlagsAndPadding) {
  const avocet_context_create call{};
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_CONTEXT_CREATE, call, [](auto &c) { c.flags = 1; }), EINVAL);
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_CONTEXT_CREATE, call, [](auto &c) { c.pad = 1; }), EINVAL);
}

TEST_F(ArgumentsTest, ContextDestroyRefusesUnknownAndForeignContexts) {
  avocet_context_create made{};
  ASSERT_EQ(device_.call(AVOCET_IOCTL_CONTEXT_CREATE, made), 0);
  EXPECT_NE(made.context, 0u);
  avocet_context_destroy padded{.context = made.context, .pad = 1};
  EXPECT_EQ(device_.call(AVOCET_IOCTL_CONTEXT_DESTROY, padded), EINVAL);
  EXPECT_EQ(destroyContext(device_, 0), ENOENT);
  EXPECT_EQ(destroyContext(device_, kUnknown), ENOENT);
  const Device other;
  EXPECT_EQ(destroyContext(other, made.context), ENOENT);
  EXPECT_EQ(destroyContext(device_, made.context), 0);
  EXPECT_EQ(destroyContext(device_, made.context), ENOENT);
}

TEST_F(ArgumentsTest, BoCreateRefusesSizesAndFlags) {
  const avocet_bo_create call{.size = 1, .flags = 0, .handle = 0, .mmap_offset = 0};
  for (uint64_t size : {uint64_t(0), UINT64_MAX, UINT64_MAX - 4095, uint64_t(1) << 63})
    EXPECT_EQ(withChange(device_, AVOCET_IOCTL_BO_CREATE, call, [&](auto &c) { c.size = size; }), EINVAL) << size;
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_BO_CREATE, call, [](auto &c) { c.flags = 1u << 31; }), EINVAL);
}

TEST_F(ArgumentsTest, BoCreateRoundsSizeUp) {
  avocet_bo_create call{.size = 1, .flags = 0, .handle = 0, .mmap_offset = 0};
  ASSERT_EQ(device_.call(AVOCET_IOCTL_BO_CREATE, call), 0);
  EXPECT_EQ(call.size, uint64_t(AVOCET_PAGE_BYTES));
  avocet_bo_info info{.handle = call.handle, .flags = 0, .size = 0, .mmap_offset = 0};
  EXPECT_EQ(device_.call(AVOCET_IOCTL_BO_INFO, info), 0);
  EXPECT_EQ(info.size, call.size);
  EXPECT_EQ(info.mmap_offset, call.mmap_offset);
  EXPECT_EQ(info.flags, 0u);
  EXPECT_EQ(device_.closeHandle(call.handle), 0);
  EXPECT_EQ(device_.closeHandle(call.handle), EINVAL); // DRM's own answer
}

TEST_F(ArgumentsTest, BoInfoRefusesUnknownAndForeignHandles) {
  Buffer buffer(device_, 1);
  avocet_bo_info call{.handle = buffer.handle(), .flags = 0, .size = 0, .mmap_offset = 0};
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_BO_INFO, call, [](auto &c) { c.handle = 0; }), ENOENT);
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_BO_INFO, call, [](auto &c) { c.handle = kUnknown; }), ENOENT);
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_BO_INFO, call, [](auto &c) { c.flags = 4; }), EINVAL);
  const Device other;
  EXPECT_EQ(other.call(AVOCET_IOCTL_BO_INFO, call), ENOENT);
}

TEST_F(ArgumentsTest, BoImportRefusesRangesAndFlags) {
  Result<FileDescriptor> file = createMemoryFile("import", 4 * AVOCET_PAGE_BYTES);
  Mapping memory = std::move(*Mapping::map(file->get(), 4 * AVOCET_PAGE_BYTES, Mapping::Access::ReadWrite));
  const auto address = reinterpret_cast<uintptr_t>(memory.bytes().data());
  const avocet_bo_import call{.address = address, .size = 2 * AVOCET_PAGE_BYTES, .flags = 0, .handle = 0};
  auto errorOf = [&](auto change) { return withChange(device_, AVOCET_IOCTL_BO_IMPORT, call, change); };
  EXPECT_EQ(errorOf([](auto &c) { c.size = 0; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.size = 4095; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.size = (uint64_t(1) << 32) + AVOCET_PAGE_BYTES; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.size = UINT64_MAX - 4095; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.address += 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.flags = AVOCET_BO_IMPORTED; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.address = 0; }), EFAULT);
  EXPECT_EQ(errorOf([](auto &c) { c.address = UINT64_MAX - 4095; }), EFAULT);
  EXPECT_EQ(errorOf([](auto &c) { c.address = 0xffff888000000000; }), EFAULT) << "a kernel address";
  ASSERT_EQ(::mprotect(memory.bytes().data() + AVOCET_PAGE_BYTES, AVOCET_PAGE_BYTES, PROT_READ), 0);
  EXPECT_EQ(errorOf([](auto &) {}), EFAULT) << "the second page is not writable";
  EXPECT_EQ(errorOf([](auto &c) { c.flags = AVOCET_BO_READ_ONLY; }), 0);
}

TEST_F(ArgumentsTest, BoImportRespectsLimitOfLockedMemory) {
  EXPECT_EQ(unprivileged([&] {
              constexpr uint64_t kLimit = 4 * AVOCET_PAGE_BYTES;
              limitLockedMemory(kLimit);
              void *memory = ::mmap(nullptr, 2 * kLimit, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
              avocet_bo_import call{
                  .address = reinterpret_cast<uintptr_t>(memory), .size = 2 * kLimit, .flags = 0, .handle = 0};
              const int above = device_.call(AVOCET_IOCTL_BO_IMPORT, call);
              call.size = kLimit;
              return above == ENOMEM ? device_.call(AVOCET_IOCTL_BO_IMPORT, call) : EBADE;
            }),
            0);
}

class MapArgumentsTest : public ArgumentsTest {
protected:
  Client client_{device_};
  Buffer buffer_{device_, 2 * AVOCET_PAGE_BYTES};
  const avocet_map call_{.context = client_.context(),
                         .handle = buffer_.handle(),
                         .access = AVOCET_ACCESS_READ,
                         .pad = 0,
                         .device_address = 0};
  int unmap(uint64_t address, uint32_t pad = 0) {
    avocet_unmap call{.context = client_.context(), .pad = pad, .device_address = address};
    return device_.call(AVOCET_IOCTL_UNMAP, call);
  }
};

TEST_F(MapArgumentsTest, MapRefusesAccessAndHandles) {
  auto errorOf = [&](auto change) { return withChange(device_, AVOCET_IOCTL_MAP, call_, change); };
  EXPECT_EQ(errorOf([](auto &) {}), 0);
  EXPECT_EQ(errorOf([](auto &c) { c.access = 0; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.access = 4; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.pad = 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.context = kUnknown; }), ENOENT);
  EXPECT_EQ(errorOf([](auto &c) { c.context = 0; }), ENOENT);
  EXPECT_EQ(errorOf([](auto &c) { c.handle = kUnknown; }), ENOENT);
  const Device other;
  avocet_map foreign = call_;
  EXPECT_EQ(other.call(AVOCET_IOCTL_MAP, foreign), ENOENT);
}

TEST_F(MapArgumentsTest, ReadOnlyImportCannotBeMappedForWriting) {
  void *memory = ::mmap(nullptr, AVOCET_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  avocet_bo_import import{.address = reinterpret_cast<uintptr_t>(memory),
                          .size = AVOCET_PAGE_BYTES,
                          .flags = AVOCET_BO_READ_ONLY,
                          .handle = 0};
  ASSERT_EQ(device_.call(AVOCET_IOCTL_BO_IMPORT, import), 0);
  avocet_map call = call_;
  call.handle = import.handle;
  call.access = AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE;
  EXPECT_EQ(device_.call(AVOCET_IOCTL_MAP, call), EACCES);
  EXPECT_EQ(device_.closeHandle(import.handle), 0);
  ::munmap(memory, AVOCET_PAGE_BYTES);
}

TEST_F(MapArgumentsTest, UnmapNeedsTheStartOfAMapping) {
  const uint64_t address = client_.map(buffer_.handle(), AVOCET_ACCESS_READ);
  EXPECT_EQ(address % AVOCET_PAGE_BYTES, 0u);
  EXPECT_EQ(unmap(address, 1), EINVAL);
  for (uint64_t wrong : {uint64_t(0), address + 1, address + AVOCET_PAGE_BYTES, address - AVOCET_PAGE_BYTES,
                         uint64_t(1) << 40, uint64_t(1) << 41, UINT64_MAX})
    EXPECT_EQ(unmap(wrong), EINVAL) << wrong;
  EXPECT_EQ(unmap(address), 0);
  EXPECT_EQ(unmap(address), EINVAL);
  avocet_unmap unknown{.context = kUnknown, .pad = 0, .device_address = address};
  EXPECT_EQ(device_.call(AVOCET_IOCTL_UNMAP, unknown), ENOENT);
}

TEST_F(MapArgumentsTest, WaitRefusesPaddingAndUnknownJobs) {
  const Submitted job = client_.submit(Program::Copy);
  ASSERT_EQ(job.error, 0);
  avocet_wait call{};
  call.context = client_.context();
  call.job = job.job;
  call.timeout_ns = afterNow(kPatience);
  auto errorOf = [&](auto change) { return withChange(device_, AVOCET_IOCTL_WAIT, call, change); };
  EXPECT_EQ(errorOf([](auto &) {}), 0);
  EXPECT_EQ(errorOf([](auto &c) { c.pad = 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.pad2 = 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.pad3 = 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.context = kUnknown; }), ENOENT);
  for (uint64_t unknown : {uint64_t(0), job.job + 1, job.job + 512, UINT64_MAX})
    EXPECT_EQ(errorOf([&](auto &c) { c.job = unknown; }), ENOENT) << unknown;
}

TEST_F(MapArgumentsTest, CancelRefusesPaddingAndUnknownJobs) {
  const Submitted job = client_.submit(Program::Copy);
  avocet_cancel call{.context = client_.context(), .pad = 0, .job = job.job};
  auto errorOf = [&](auto change) { return withChange(device_, AVOCET_IOCTL_CANCEL, call, change); };
  EXPECT_EQ(errorOf([](auto &c) { c.pad = 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.context = kUnknown; }), ENOENT);
  for (uint64_t unknown : {uint64_t(0), job.job + 1, UINT64_MAX})
    EXPECT_EQ(errorOf([&](auto &c) { c.job = unknown; }), ENOENT) << unknown;
}

TEST_F(ArgumentsTest, ResetRefusesFlagsAndUsersWithoutPrivilege) {
  avocet_reset call{};
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_RESET, call, [](auto &c) { c.flags = 1; }), EINVAL);
  EXPECT_EQ(withChange(device_, AVOCET_IOCTL_RESET, call, [](auto &c) { c.pad = 1; }), EINVAL);
  EXPECT_EQ(unprivileged([&] { return device_.call(AVOCET_IOCTL_RESET, call); }), EPERM);
  EXPECT_EQ(device_.call(AVOCET_IOCTL_RESET, call), 0);
}

TEST_F(ArgumentsTest, QueryChecksBuffer) {
  avocet_query call{.what = AVOCET_QUERY_TARGET_NAME, .pad = 0, .data = 0, .size = 0};
  EXPECT_EQ(device_.call(AVOCET_IOCTL_QUERY, call), 0);
  EXPECT_GT(call.size, 1u);
  std::string name(call.size, 'x');
  call.data = reinterpret_cast<uintptr_t>(name.data());
  auto errorOf = [&](auto change) { return withChange(device_, AVOCET_IOCTL_QUERY, call, change); };
  EXPECT_EQ(errorOf([](auto &c) { c.pad = 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.what = 99; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.size = 1; }), ENOSPC);
  EXPECT_EQ(errorOf([](auto &c) { c.data = 0; }), EFAULT);
  EXPECT_EQ(errorOf([](auto &c) { c.size += 100; }), 0);
  EXPECT_EQ(name, std::string("e256") + '\0');
}

} // namespace
} // namespace avocet::uapi
