//===- ExportBackendTest.cpp - The table of a back end in C++ ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/ExportBackend.h"

#include "avocet/firmware_iface/TargetEdit.h"
#include "avocet/runtime/SimBackend.h"

#include <cstring>
#include <gmock/gmock.h>
#include <stdexcept>

namespace avocet::runtime {
namespace {

class ExportBackendTest : public testing::Test {
protected:
  /// The table of a back end, whose device is opened for the target e256.
  AvocetBackendCode open(BackendFactory factory) {
    table_ = exportBackend({"test", "1.0", "a test", std::move(factory)});
    options_.size = sizeof(options_);
    options_.targetFingerprint = fingerprint_;
    options_.flags = AVOCET_BACKEND_FUNCTIONAL | AVOCET_BACKEND_TIMING;
    options_.argument = "";
    options_.targetName = "e256";
    options_.targetText = figures_.c_str();
    message_.size = sizeof(message_);
    return table_->open(&options_, &device_, &message_);
  }

  void TearDown() override {
    if (device_ != nullptr)
      table_->close(device_);
  }

  std::shared_ptr<const firmware::Target> target_ = firmware::Target::load("e256").value();
  std::string figures_ = firmware::printTarget(*target_, "e256", "a device");
  uint64_t fingerprint_ = target_->fingerprint();
  AvocetBackendOptions options_{};
  AvocetBackendMessage message_{};
  AvocetBackendDevice *device_ = nullptr;
  const AvocetBackendTable *table_ = nullptr;
};

TEST_F(ExportBackendTest, ExceptionsBecomeErrors) {
  EXPECT_EQ(open([](const BackendOptions &, std::string_view) -> Result<std::unique_ptr<Backend>> {
              throw std::runtime_error("the cable is loose");
            }),
            AVOCET_BACKEND_INTERNAL);
  EXPECT_STREQ(message_.text, "the cable is loose");
  EXPECT_EQ(open([](const BackendOptions &, std::string_view) -> Result<std::unique_ptr<Backend>> {
              throw std::bad_alloc();
            }),
            AVOCET_BACKEND_RESOURCE_EXHAUSTED);
  EXPECT_EQ(open([](const BackendOptions &, std::string_view) -> Result<std::unique_ptr<Backend>> { throw 1; }),
            AVOCET_BACKEND_INTERNAL);
  EXPECT_EQ(device_, nullptr);
}

TEST_F(ExportBackendTest, LongMessagesAreCut) {
  EXPECT_EQ(open([](const BackendOptions &, std::string_view) -> Result<std::unique_ptr<Backend>> {
              return notFound(std::string(5000, 'x'));
            }),
            AVOCET_BACKEND_NOT_FOUND);
  EXPECT_EQ(std::string(message_.text), std::string(sizeof(message_.text) - 1, 'x'));
}

TEST_F(ExportBackendTest, TargetThatReadsOtherwiseIsRefused) {
  ++fingerprint_;
  EXPECT_EQ(open(openSimBackend), AVOCET_BACKEND_FAILED_PRECONDITION);
  --fingerprint_;
  figures_ = "no target";
  EXPECT_EQ(open(openSimBackend), AVOCET_BACKEND_INVALID_ARGUMENT);
}

TEST_F(ExportBackendTest, StructsOfOlderHostsAreWrittenNoFurther) {
  ASSERT_EQ(open(openSimBackend), AVOCET_BACKEND_OK) << message_.text;
  AvocetBackendProperties properties;
  std::memset(&properties, 0x55, sizeof(properties));
  properties.size = offsetof(AvocetBackendProperties, contexts);
  table_->properties(device_, &properties);
  EXPECT_EQ(properties.queueDepth, 32u);
  EXPECT_EQ(properties.contexts, 0x55555555u);
}

TEST_F(ExportBackendTest, StructsOfNewerHostsAreFilled) {
  ASSERT_EQ(open(openSimBackend), AVOCET_BACKEND_OK) << message_.text;
  struct {
    AvocetBackendProperties known;
    uint64_t later = 7;
  } properties{};
  properties.known.size = sizeof(properties);
  table_->properties(device_, &properties.known);
  EXPECT_EQ(properties.known.size, sizeof(AvocetBackendProperties));
  EXPECT_EQ(properties.known.targetFingerprint, target_->fingerprint());
  EXPECT_EQ(properties.later, 7u);
}

} // namespace
} // namespace avocet::runtime
