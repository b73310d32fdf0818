//===- BoundedReaderTest.cpp - Tests of bounded reads ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/BoundedReader.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <unistd.h>

namespace avocet {
namespace {

constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

class BoundedReaderTest : public ::testing::Test {
protected:
  void SetUp() override {
    file_ = std::move(createMemoryFile("bounded", bytes_.size())).value();
    ASSERT_EQ(::pwrite(file_.get(), bytes_.data(), bytes_.size(), 0), static_cast<ssize_t>(bytes_.size()));
  }
  std::array<uint8_t, 8> bytes_ = {1, 2, 3, 4, 5, 6, 7, 8};
  FileDescriptor file_;
};

TEST_F(BoundedReaderTest, ReadsValuesAtAnyAlignment) {
  for (const BoundedReader &reader : {BoundedReader(bytes_, "bytes"), BoundedReader(file_, 8, "file")}) {
    EXPECT_EQ(reader.value<uint16_t>(1), 0x0302);
    EXPECT_EQ(reader.value<uint64_t>(0), 0x0807060504030201u);
    EXPECT_EQ(reader.bytes(6, 2).value(), (std::vector<uint8_t>{7, 8}));
    EXPECT_TRUE(reader.bytes(8, 0).isOk());
  }
  EXPECT_EQ(BoundedReader(file_, 4, "part", 4).value<uint32_t>(0), 0x08070605u);
}

TEST_F(BoundedReaderTest, RefusesReadsBeyondTheEnd) {
  for (const BoundedReader &reader : {BoundedReader(bytes_, "bytes"), BoundedReader(file_, 8, "file")}) {
    EXPECT_FALSE(reader.value<uint32_t>(5));
    EXPECT_FALSE(reader.value<uint32_t>(kHuge));
    EXPECT_FALSE(reader.value<uint32_t>(kHuge - 1));
    EXPECT_EQ(reader.bytes(1, kHuge).status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(reader.bytes(9, 0).status().code(), StatusCode::InvalidArgument);
  }
}

TEST_F(BoundedReaderTest, ReportsShrunkFileAsDataLoss) {
  const BoundedReader reader(file_, 8, "file");
  ASSERT_EQ(::ftruncate(file_.get(), 4), 0);
  EXPECT_TRUE(reader.value<uint32_t>(0));
  EXPECT_EQ(reader.bytes().status().code(), StatusCode::DataLoss);
}

TEST_F(BoundedReaderTest, ReportsHugeSizesAsResourceExhausted) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a sanitizer's allocator ends the process instead of throwing";
#endif
#endif
  EXPECT_EQ(BoundedReader(file_, kHuge, "huge").bytes().status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(BoundedReader(file_, uint64_t(1) << 62, "huge").bytes().status().code(), StatusCode::ResourceExhausted);
  EXPECT_FALSE(BoundedReader(file_, kHuge, "huge").value<uint8_t>(kHuge - 1));
}

} // namespace
} // namespace avocet
