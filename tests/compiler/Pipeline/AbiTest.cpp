//===- AbiTest.cpp - Programs and libraries of several versions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/InProcess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

namespace avocet::compiler {
namespace {

using message::Bytes;
using testing::ElementsAre;
using testing::HasSubstr;

AvocetCompilerGetApiFunction getApi() {
  void *library = ::dlopen(AVOCET_COMPILER_FILE, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<AvocetCompilerGetApiFunction>(::dlsym(library, "avocetCompilerGetApi"));
}

CompileRequest request() {
  CompileRequest request;
  request.modelPath = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";
  return request;
}

/// The library's answer to a message.
CompileResult answerTo(const Bytes &asked) {
  const AvocetCompilerApi *api = getApi()(AVOCET_COMPILER_ABI_VERSION);
  const AvocetAnswer *answer = api->compile(message::toAbi(asked));
  CompileResult result;
  EXPECT_TRUE(message::read(message::fromAbi(answer->message), message::Unknown::Refuse, result).isOk());
  result.modelCache = {}; // of the answer, which ends here
  api->destroy(answer);
  return result;
}

/// A message with one more field.
template <typename T> Bytes withField(const T &value, std::string_view name, uint32_t number) {
  message::InProcess border;
  message::Writer<message::InProcess> writer{border, message::bytesOf(value)};
  message::putSized(writer, name);
  message::putSized(writer, number);
  return writer.bytes;
}

TEST(AbiTest, LibraryRefusesOtherVersions) {
  EXPECT_NE(getApi()(AVOCET_COMPILER_ABI_VERSION), nullptr);
  EXPECT_EQ(getApi()(AVOCET_COMPILER_ABI_VERSION - 1), nullptr);
  EXPECT_EQ(getApi()(AVOCET_COMPILER_ABI_VERSION + 1), nullptr);
}

TEST(AbiTest, LibraryRefusesUnknownFieldByName) {
  EXPECT_TRUE(answerTo(message::bytesOf(request())).status.isOk());
  const Status status = answerTo(withField(request(), "quantize", 1)).status;
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("quantize"));
}

TEST(AbiTest, LibraryRefusesBrokenMessage) {
  Bytes bytes = message::bytesOf(request());
  bytes.pop_back();
  EXPECT_EQ(answerTo(bytes).status.code(), StatusCode::FailedPrecondition);
}

TEST(AbiTest, ProgramIgnoresUnknownFieldOfAnswer) {
  CompileResult sent, read;
  sent.status = notFound("nowhere");
  const Bytes bytes = withField(sent, "energy", 1);
  EXPECT_TRUE(message::read(bytes, message::Unknown::Skip, read).isOk());
  EXPECT_EQ(read.status, sent.status);
}

TEST(AbiTest, ValuesArriveUnchanged) {
  CompileRequest sent = request(), read;
  sent.target.clear(); // not the default
  sent.shapes = {{"in", {1, -1, INT64_MAX}}, {"", {}}};
  sent.optimizeSeconds = 0.25;
  sent.isSpecialized = true;
  ASSERT_TRUE(message::read(message::bytesOf(sent), message::Unknown::Refuse, read).isOk());
  EXPECT_EQ(read.modelPath, sent.modelPath);
  EXPECT_EQ(read.target, "");
  ASSERT_EQ(read.shapes.size(), 2u);
  EXPECT_THAT(read.shapes[0].extents, ElementsAre(1, -1, INT64_MAX));
  EXPECT_EQ(read.optimizeSeconds, 0.25);
  EXPECT_EQ(read.optimize, kDefaultOptimize);
  EXPECT_TRUE(read.isSpecialized);
}

TEST(AbiTest, FunctionsAreCalledWithTheirArguments) {
  CompileRequest sent, read;
  std::vector<std::string> heard;
  sent.simulate = [](std::span<const uint8_t> model, std::span<const uint8_t>) -> Result<uint64_t> {
    return model.empty() ? Result<uint64_t>(notFound("no model")) : Result<uint64_t>(model.size());
  };
  sent.runsStep = [&](const OptionalStep &step) {
    heard.push_back(std::string(step.pattern) + " at " + step.subject().location);
    return false;
  };
  sent.remark = [&](const Remark &remark) {
    for (const Remark::Argument &argument : remark.arguments)
      heard.push_back(std::string(argument.key) + "=" + std::string(argument.value));
  };
  const Bytes bytes = message::bytesOf(sent);
  ASSERT_TRUE(message::read(bytes, message::Unknown::Refuse, read).isOk());
  const uint8_t model[3] = {};
  EXPECT_EQ(read.simulate(model, {}).value(), 3u);
  EXPECT_EQ(read.simulate({}, {}).status(), notFound("no model"));
  OptionalStep step;
  step.pattern = "Fuse";
  step.subject = [] { return OptionalStep::Subject{"conv", ""}; };
  EXPECT_FALSE(read.runsStep(step));
  read.remark({RemarkKind::Missed, "fusion", "cascade", "conv", {{"Choice", "2"}, {"Reason", ""}}});
  EXPECT_THAT(heard, ElementsAre("Fuse at conv", "Choice=2", "Reason="));
  EXPECT_FALSE(read.cancelled) << "not set";
}

} // namespace
} // namespace avocet::compiler
