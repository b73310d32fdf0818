//===- KernelServiceTest.cpp - Fences of the kernel driver through avocetd ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shipped service, in its sandbox, on the kernel driver. Fences go from this process to the service and back.
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"
#include "SmallModels.h"
#include "base/OutputFolder.h"
#include "kernel/SyncFile.h"

#include "avocet/base/ProgramBeside.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ServiceProcess.h"
#include "avocet/runtime/KernelBackend.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace kernel = runtime::test;

constexpr uint32_t kCount = 1024; ///< floats: one page
constexpr uint64_t kPage = 4096;
constexpr int kPatienceMs = 60'000;

/// The state that the kernel shows of a process.
std::string processStatus(pid_t process) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + std::to_string(process) + "/status").rdbuf();
  return text.str();
}

/// output = input + 1 over pools of one page each, in the service.
class KernelServiceTest : public OutputFolder {
protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(OutputFolder::SetUp());
    auto started = ServiceProcess::start(programBeside("avocetd"), path("socket"),
                                         {"--backend", "kernel", "--target", "e256"}, path("log"));
    ASSERT_TRUE(started.isOk()) << started.status().toString() << get("log");
    service_.emplace(std::move(*started));
    auto device = connectDevice(path("socket"), "avocet-e256");
    ASSERT_TRUE(device.isOk()) << device.error().message;
    auto model = (*device)->prepareModel(addConstantModel(std::vector<float>(kCount, 1)), {});
    ASSERT_TRUE(model.isOk()) << model.error().message << get("log");
    model_ = *model;
    runtime::registerKernelBackend();
    ownDevice_ = kernel::openTestDevice("kernel");
    own_.emplace(ownDevice_);
  }

  void TearDown() override {
    if (service_) {
      EXPECT_THAT(processStatus(service_->pid()), HasSubstr("\nSeccomp:\t2\n"));
      model_.reset();
      auto how = service_->stop();
      EXPECT_TRUE(how.isOk() && *how == "ended with exit code 0") << get("log");
    }
    EXPECT_THAT(get("log"), AllOf(Not(HasSubstr("sandbox")), Not(HasSubstr("Landlock"))));
    OutputFolder::TearDown();
  }

  /// The fence of an execution in the service that waits for others.
  FencedLaunch launch(const TestPool &input, const TestPool &output, const std::vector<SyncFence> &waitFor) {
    auto launched = model_->executeFenced(requestOf({kPage}, {kPage}, input, output), waitFor, {});
    EXPECT_TRUE(launched.isOk()) << launched.error().message;
    return launched ? *launched : FencedLaunch{};
  }

  /// Submits a job of this process; the sync_file of its end.
  SyncFence submitOwn(kernel::CopyJob &job) {
    FileDescriptor end;
    runtime::SubmitOptions options;
    options.endFile = &end;
    EXPECT_TRUE(own_->queue->submit(*job.job, options).isOk());
    return *SyncFence::adopt(std::make_shared<const FileDescriptor>(std::move(end)));
  }

  std::optional<ServiceProcess> service_;
  std::shared_ptr<IPreparedModel> model_;
  std::shared_ptr<runtime::Device> ownDevice_;
  std::optional<kernel::CopyClient> own_;
  TestPool first_{kPage}, second_{kPage}, third_{kPage};
};

} // namespace

TEST_F(KernelServiceTest, ReturnsSyncFileOfTheKernelDriver) {
  kernel::CopyJob job = own_->makeJob();
  first_.as<float>()[7] = 40;
  const FencedLaunch one = launch(first_, second_, {submitOwn(job)}), two = launch(second_, third_, {one.fence});
  for (const FencedLaunch &run : {one, two}) {
    ASSERT_TRUE(run.fence.isSyncFile());
    ASSERT_TRUE(kernel::polls(*run.fence.handle(), kPatienceMs));
    EXPECT_EQ(kernel::statusOf(*run.fence.handle()), 1);
    // The DRM scheduler makes the fences of all drivers that use it; the object is the driver's scheduler.
    const sync_fence_info made = kernel::onlyFenceOf(*run.fence.handle());
    EXPECT_STREQ(made.driver_name, "drm_sched");
    EXPECT_STREQ(made.obj_name, "avocet");
  }
  EXPECT_EQ(third_.as<float>()[7], 42);
}

TEST_F(KernelServiceTest, FailedFenceOfTheClientFailsExecution) {
  kernel::CopyJob endless = own_->makeEndlessJob();
  second_.as<float>()[0] = 5;
  const FencedLaunch run = launch(first_, second_, {submitOwn(endless)});
  ASSERT_TRUE(run.fence.isSyncFile());
  EXPECT_EQ(kernel::statusOf(*run.fence.handle()), 0) << "it waits for the client's job";
  ASSERT_TRUE(endless.job->cancel().isOk());
  ASSERT_TRUE(kernel::polls(*run.fence.handle(), kPatienceMs));
  EXPECT_LT(kernel::statusOf(*run.fence.handle()), 0);
  EXPECT_EQ(run.fence.state(), FenceState::Error);
  EXPECT_EQ(second_.as<float>()[0], 5);
}

} // namespace avocet::hal
