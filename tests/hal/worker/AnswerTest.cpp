//===- AnswerTest.cpp - Answers of hostile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "avocet/compiler/Message.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

using compiler::CompileResult;
using ::testing::HasSubstr;

constexpr uint64_t kMaxBytes = 1 << 20;

const uint8_t kModel[] = {1, 2, 3}, kData[] = {4, 5};

CompileResult goodResult() {
  CompileResult result;
  result.modelCache = kModel;
  result.dataCache = kData;
  result.diagnostics = {{compiler::Severity::Warning, "here", "careful"}};
  result.phases = {{"import", 1.5, 7}};
  return result;
}

avocet::Result<CompileResult> reread(const FileDescriptor &file) {
  AVOCET_ASSIGN_OR_RETURN(WorkerMessage message, WorkerMessage::open(file, kMaxBytes));
  return readAnswer<CompileResult>(message);
}

avocet::Result<CompileResult> reread(const CompileResult &result) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, answerMessage(result).write());
  return reread(file);
}

/// Puts the two artefacts where a test wants them.
struct Places {
  static constexpr bool kHasCalls = false;
  std::vector<compiler::message::Place> artefacts = {{0, sizeof(kModel)}, {64, sizeof(kData)}};
  compiler::message::Place lend(std::span<const uint8_t> bytes) {
    return std::ranges::equal(bytes, kModel) ? artefacts[0] : artefacts[1];
  }
};

using Head = compiler::message::Writer<Places>;

avocet::Result<FileDescriptor> messageWith(const Head &head) {
  WorkerMessageWriter writer;
  writer.add(kModel);
  writer.add(kData);
  writer.setHead(head.bytes);
  return writer.write();
}

/// Message of the refusal after `change` to the answer; empty if it is accepted.
template <typename Change> std::string refusalAfter(Change change, Places places = {}) {
  CompileResult result = goodResult();
  change(result);
  Head head{places};
  putSized(head, std::string_view("result"));
  putSized(head, result);
  auto file = messageWith(head);
  EXPECT_TRUE(file.isOk());
  auto answer = reread(*file);
  EXPECT_TRUE(answer.isOk() || answer.status().code() == StatusCode::DataLoss);
  return answer.isOk() ? "" : answer.status().message();
}

TEST(AnswerTest, GoodAnswerArrivesUnchanged) {
  auto answer = reread(goodResult());
  ASSERT_TRUE(answer.isOk()) << answer.status().toString();
  EXPECT_TRUE(std::ranges::equal(answer->modelCache, kModel));
  EXPECT_TRUE(std::ranges::equal(answer->dataCache, kData));
  EXPECT_EQ(answer->diagnostics[0].message, "careful");
  EXPECT_EQ(answer->phases[0].milliseconds, 1.5);
  EXPECT_EQ(refusalAfter([](auto &) {}), "");
}

TEST(AnswerTest, RejectsUnknownStatus) {
  for (int32_t status : {-1, 12, INT32_MAX, INT32_MIN})
    EXPECT_THAT(refusalAfter([&](auto &answer) { answer.status = Status(static_cast<StatusCode>(status), "no"); }),
                HasSubstr("status"));
}

TEST(AnswerTest, RejectsUnknownSeverity) {
  EXPECT_THAT(refusalAfter([](auto &answer) { answer.diagnostics[0].severity = static_cast<compiler::Severity>(4); }),
              HasSubstr("severity: is 4"));
}

TEST(AnswerTest, RejectsArtefactsOutsideTheData) {
  for (auto [offset, size] : {std::pair<uint64_t, uint64_t>{0, 200}, {128, 1}, {1, 1}, {64, UINT64_MAX}, {~63ull, 64}})
    EXPECT_THAT(refusalAfter([](auto &) {}, {.artefacts = {{offset, size}, {64, sizeof(kData)}}}),
                HasSubstr("modelCache: "))
        << offset << " " << size;
}

TEST(AnswerTest, RejectsSuccessWithoutArtefacts) {
  EXPECT_THAT(refusalAfter([](auto &answer) { answer.modelCache = {}; }), HasSubstr("artefacts"));
  EXPECT_THAT(refusalAfter([](auto &answer) { answer.needsSpecialization = true; }), HasSubstr("artefacts"));
}

TEST(AnswerTest, RejectsRequestAsAnswer) {
  WorkerRequest request;
  std::get<compiler::CompileRequest>(request.asked).modelBytes = kModel;
  auto file = requestMessage(request).write();
  ASSERT_TRUE(file.isOk());
  EXPECT_EQ(reread(*file).status().code(), StatusCode::DataLoss);
}

/// A verdict has no artefacts, so it must not pass for the answer to a compilation, and the other way round.
TEST(AnswerTest, RejectsAnswerOfTheOtherKind) {
  auto verdict = answerMessage(compiler::Verdict()).write();
  ASSERT_TRUE(verdict.isOk());
  EXPECT_THAT(reread(*verdict).status().message(), HasSubstr("no answer to a compilation"));
  auto result = answerMessage(goodResult()).write();
  ASSERT_TRUE(result.isOk());
  EXPECT_THAT(readAnswer<compiler::Verdict>(WorkerMessage::open(*result, kMaxBytes).value()).status().message(),
              HasSubstr("no answer to a support query"));
}

/// An element without fields takes 4 bytes of the message and 200 of memory.
TEST(AnswerTest, RejectsListsThatExhaustMemory) {
  Places places;
  Head list{places};
  for (size_t i = 0; i <= compiler::message::kMostElements; ++i)
    putSized(list, std::string_view());
  Head result{places};
  putSized(result, std::string_view("refusals"));
  putSized(result, compiler::message::textOf(list.bytes));
  Head head{places};
  putSized(head, std::string_view("result"));
  putSized(head, compiler::message::textOf(result.bytes));
  const auto file = messageWith(head);
  ASSERT_TRUE(file.isOk());
  const auto message = WorkerMessage::open(*file, uint64_t{16} << 20);
  ASSERT_TRUE(message.isOk());
  EXPECT_THAT(readAnswer<CompileResult>(*message).status().message(), HasSubstr("more than 1000000 elements"));
}

TEST(AnswerTest, RejectsUnknownFields) {
  Places places;
  Head head{places};
  putSized(head, std::string_view("results"));
  putSized(head, goodResult());
  EXPECT_THAT(reread(messageWith(head).value()).status().message(), HasSubstr("results: is not known"));
}

TEST(AnswerTest, RejectsFilesThatCanStillChange) {
  FileDescriptor file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(file.get(), 4096), 0);
  EXPECT_THAT(reread(file).status().message(), HasSubstr("sealed"));
  ASSERT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  EXPECT_THAT(reread(file).status().message(), HasSubstr("sealed"));
  FileDescriptor plain(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_THAT(reread(plain).status().message(), HasSubstr("sealed"));
}

TEST(AnswerTest, RejectsTooLargeFiles) {
  FileDescriptor file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(file.get(), kMaxBytes + 1), 0);
  ASSERT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
  EXPECT_THAT(reread(file).status().message(), HasSubstr("1048576 are accepted"));
}

TEST(AnswerTest, EveryChangedByteIsReadSafely) {
  auto file = answerMessage(goodResult()).write();
  ASSERT_TRUE(file.isOk());
  auto size = fileSize(*file, "answer");
  ASSERT_TRUE(size.isOk());
  for (uint64_t changed = 0; changed < *size; ++changed) {
    alignas(64) uint8_t bytes[4096];
    ASSERT_LE(*size, sizeof(bytes));
    ASSERT_EQ(::pread(file->get(), bytes, *size, 0), static_cast<ssize_t>(*size));
    bytes[changed] ^= 0xff;
    auto message = WorkerMessage::inMemory({bytes, *size});
    if (message)
      (void)readAnswer<CompileResult>(*message).isOk();
  }
}

/// The reader copies numbers and places, which lie at any address in the head.
TEST(RequestTest, PoolsArriveBehindTextsOfAnyLength) {
  const std::vector<uint8_t> pool = {7, 8, 9};
  for (size_t length = 0; length < 8; ++length) {
    WorkerRequest request{compiler::CompileRequest(), Urgency::Background};
    auto &sent = std::get<compiler::CompileRequest>(request.asked);
    sent.modelPath = std::string(length, 'm');
    sent.pools = {pool, {}, pool};
    sent.cancelled = [] { return true; };
    const auto file = requestMessage(request).write();
    ASSERT_TRUE(file.isOk());
    const WorkerMessage message = WorkerMessage::open(*file, kMaxBytes).value();
    const WorkerRequest received = readRequest(message).value();
    const auto &read = std::get<compiler::CompileRequest>(received.asked);
    EXPECT_EQ(received.urgency, Urgency::Background);
    EXPECT_EQ(read.modelPath, sent.modelPath);
    ASSERT_EQ(read.pools.size(), 3u);
    EXPECT_TRUE(std::ranges::equal(read.pools[0], pool) && read.pools[1].empty() &&
                std::ranges::equal(read.pools[2], pool));
    EXPECT_FALSE(read.cancelled) << "functions are left out";
  }
}

} // namespace
} // namespace avocet::hal
