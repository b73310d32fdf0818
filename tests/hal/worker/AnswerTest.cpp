//===- AnswerTest.cpp - Answers of hostile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "compileWorker_generated.h"

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
  return readAnswer(message);
}

avocet::Result<CompileResult> reread(const CompileResult &result) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, answerMessage(result).write());
  return reread(file);
}

/// Message of the refusal after `change` to the answer; empty if it is accepted.
template <typename Change> std::string refusalAfter(Change change) {
  workerfb::CompileMessageT message;
  message.answer = std::make_unique<workerfb::CompileAnswerT>();
  message.answer->model_cache = std::make_unique<workerfb::Bytes>(0, sizeof(kModel));
  message.answer->data_cache = std::make_unique<workerfb::Bytes>(64, sizeof(kData));
  change(*message.answer);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(workerfb::CompileMessage::Pack(builder, &message), workerfb::CompileMessageIdentifier());
  WorkerMessageWriter writer;
  writer.add(kModel);
  writer.add(kData);
  writer.setHead({builder.GetBufferPointer(), builder.GetSize()});
  auto file = writer.write();
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
    EXPECT_THAT(refusalAfter([&](auto &answer) { answer.status = status; }), HasSubstr("status"));
}

TEST(AnswerTest, RejectsUnknownSeverity) {
  EXPECT_THAT(refusalAfter([](auto &answer) {
                answer.diagnostics.push_back(std::make_unique<workerfb::CompileDiagnosticT>());
                answer.diagnostics[0]->severity = 4;
              }),
              HasSubstr("severity 4"));
}

TEST(AnswerTest, RejectsArtefactsOutsideTheData) {
  for (auto [offset, size] : {std::pair<uint64_t, uint64_t>{0, 200}, {128, 1}, {1, 1}, {64, UINT64_MAX}, {~63ull, 64}})
    EXPECT_THAT(refusalAfter([&, o = offset, s = size](auto &answer) {
                  answer.model_cache = std::make_unique<workerfb::Bytes>(o, s);
                }),
                HasSubstr("data"))
        << offset << " " << size;
}

TEST(AnswerTest, RejectsSuccessWithoutArtefacts) {
  EXPECT_THAT(refusalAfter([](auto &answer) { answer.data_cache.reset(); }), HasSubstr("artefacts"));
  EXPECT_THAT(refusalAfter([](auto &answer) { answer.needs_specialisation = true; }), HasSubstr("artefacts"));
}

TEST(AnswerTest, RejectsRequestAsAnswer) {
  compiler::CompileRequest request;
  request.modelBytes = kModel;
  auto file = requestMessage(request).write();
  ASSERT_TRUE(file.isOk());
  EXPECT_EQ(reread(*file).status().code(), StatusCode::DataLoss);
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
      (void)readAnswer(*message).isOk();
  }
}

/// Reads a request with one pool: 64 bytes at the start of the data. `padding`: words between the end of the file and
/// the list of pools.
avocet::Status readRequestWithPoolsAt(uint32_t padding) {
  flatbuffers::FlatBufferBuilder builder;
  builder.CreateVector(std::vector<uint32_t>(padding));
  // Words that read as a list of one range: count, offset, size.
  const auto words = builder.CreateVector(std::vector<uint32_t>{1, 0, 0, 64, 0});
  const flatbuffers::Offset<flatbuffers::Vector<const workerfb::Bytes *>> pools(words.o - sizeof(uint32_t));
  const workerfb::Bytes model(0, 64);
  const auto text = builder.CreateString("");
  const auto request = workerfb::CreateCompileRequest(builder, text, &model, 0, pools, text);
  builder.Finish(workerfb::CreateCompileMessage(builder, request), workerfb::CompileMessageIdentifier());
  WorkerMessageWriter writer;
  const std::vector<uint8_t> data(64);
  writer.add(data);
  writer.setHead({builder.GetBufferPointer(), builder.GetSize()});
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, writer.write());
  AVOCET_ASSIGN_OR_RETURN(WorkerMessage message, WorkerMessage::open(file, kMaxBytes));
  return readRequest(message).status();
}

TEST(RequestTest, RejectsUnalignedListOfPools) {
  const avocet::Status even = readRequestWithPoolsAt(0), odd = readRequestWithPoolsAt(1);
  EXPECT_NE(even.isOk(), odd.isOk()) << even.toString() << odd.toString();
  const avocet::Status &refused = even.isOk() ? odd : even;
  EXPECT_EQ(refused.code(), StatusCode::DataLoss);
  EXPECT_THAT(refused.message(), HasSubstr("not aligned"));
}

} // namespace
} // namespace avocet::hal
