//===- BufferMemoryTest.cpp - Memory that buffers use -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferFixture.h"
#include "model/PreparedModel.h"

#include <filesystem>

namespace avocet::hal {
namespace {

using namespace testing;

using PreparedRun = hal::Run; ///< testing::Test has a member Run

/// Number of open descriptors of device memory in this process.
size_t numDeviceBuffers() {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    count += std::filesystem::read_symlink(entry, gone).string().find("memfd:avocet-buffer") != std::string::npos;
  }
  return count;
}

class BufferMemoryTest : public BufferFixture {};

/// An execution may outlive the buffer that it uses. The memory is freed with the execution.
TEST_F(BufferMemoryTest, IsFreedWithLastExecution) {
  auto use = [&] {
    std::shared_ptr<IBuffer> buffer = allocateState();
    auto execution = model_->createReusableExecution(requestOf(nullptr, buffer), {});
    ASSERT_TRUE(execution.isOk()) << execution.error().message;
    buffer.reset();
    EXPECT_TRUE((*execution)->compute({}).isOk());
  };
  use();
  const size_t before = numDeviceBuffers();
  for (int i = 0; i < 5; ++i)
    use();
  EXPECT_LE(numDeviceBuffers(), before);
}

TEST_F(BufferMemoryTest, CountsWhileAJobKeepsIt) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  auto *model = dynamic_cast<PreparedModel *>(model_.get());
  auto bound = model->bind(requestOf(nullptr, buffer), {});
  ASSERT_TRUE(bound.isOk()) << bound.error().message;
  std::optional<PreparedRun> run;
  run.emplace(*model, *(*bound)->view, ExecutionOptions());
  ASSERT_TRUE(run->prepare().isOk());
  const uint64_t used = driver_->counters().memoryBytes;
  const size_t memories = numDeviceBuffers();
  buffer.reset(); // the job stays bound
  run.reset();
  *bound = nullptr;
  EXPECT_EQ(driver_->counters().memoryBytes, used);
  EXPECT_EQ(numDeviceBuffers(), memories);
}

} // namespace
} // namespace avocet::hal
