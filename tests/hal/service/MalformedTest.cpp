//===- MalformedTest.cpp - Malformed and unusual messages -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A malformed message whose call number can be read gets an error answer, and the session goes on. Every message that
// a correct FlatBuffers writer can produce is accepted.
//
//===----------------------------------------------------------------------===//

#include "HostileFixture.h"

#include "Call.h"

namespace avocet::hal {
namespace {

using namespace testing;

class MalformedTest : public HostileCallTest {
protected:
  void expectAlive() { EXPECT_EQ(ask(fb::GetStatusT()), ErrorStatus::None) << "the session must stay usable"; }
};

TEST_F(MalformedTest, UnknownCallTagsAreRefused) {
  for (int tag = static_cast<int>(fb::Call::MAX) + 1; tag < 256; ++tag) {
    flatbuffers::FlatBufferBuilder builder;
    auto body = fb::CreateGetStatus(builder);
    EXPECT_EQ(askWith(builder, static_cast<fb::Call>(tag), body.Union()), ErrorStatus::InvalidArgument) << tag;
  }
  expectAlive();
}

TEST_F(MalformedTest, UnknownAnswerTagsAreRefused) {
  for (int tag = static_cast<int>(fb::Answer::MAX) + 1; tag < 256; ++tag) {
    flatbuffers::FlatBufferBuilder builder;
    auto body = fb::CreateGetStatus(builder);
    auto answer = fb::CreateNothing(builder);
    EXPECT_EQ(askWith(builder, fb::Call::GetStatus, body.Union(), static_cast<fb::Answer>(tag), answer.Union()),
              ErrorStatus::InvalidArgument)
        << tag;
  }
  expectAlive();
}

TEST_F(MalformedTest, DispatchTableHasNoEntryForUnknownTags) {
  CallTable table;
  for (auto add : {addDeviceCalls, addExecutionCalls, addFencedCalls, addBufferCalls, addBurstCalls})
    add(table);
  EXPECT_NE(table.performerOf(fb::Call::ServeBurst), nullptr);
  for (int tag = static_cast<int>(fb::Call::MAX) + 1; tag < 256; ++tag)
    EXPECT_EQ(table.performerOf(static_cast<fb::Call>(tag)), nullptr) << tag;
}

TEST_F(MalformedTest, TagWithoutBodyIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  EXPECT_EQ(askWith(builder, fb::Call::GetStatus, 0), ErrorStatus::InvalidArgument);
  expectAlive();
}

TEST_F(MalformedTest, UnknownMemoryKindsAreRefused) {
  TestPool pool(4096);
  const SharedHandle file = std::get<Ashmem>(pool.memory()->handle).fd;
  for (int kind = static_cast<int>(fb::MemoryKind::MAX) + 1; kind < 256; ++kind) {
    fb::CopyToT copy;
    copy.buffer = 3;
    copy.memory = std::make_unique<fb::MemoryT>();
    copy.memory->kind = static_cast<fb::MemoryKind>(kind);
    copy.memory->fds = {0};
    EXPECT_EQ(ask(std::move(copy), {file}), ErrorStatus::InvalidArgument) << kind;
  }
  expectAlive();
}

TEST_F(MalformedTest, TimesAndIdentifiersBelowMinusOneAreRefused) {
  for (int64_t value : {int64_t(-2), std::numeric_limits<int64_t>::min()}) {
    fb::PrepareModelT prepare;
    prepare.model = std::make_unique<fb::ModelT>();
    prepare.model->main = std::make_unique<fb::SubgraphT>();
    prepare.options = std::make_unique<fb::PrepareOptionsT>();
    prepare.options->deadline = value;
    EXPECT_EQ(ask(std::move(prepare)), ErrorStatus::InvalidArgument) << value;
    fb::ReleaseMemoryT release;
    release.burst = 2;
    release.identifier = value;
    EXPECT_EQ(ask(release), ErrorStatus::InvalidArgument) << value;
    fb::ExecuteBurstT burst;
    burst.burst = 2;
    burst.request = requestWith(memoryPool({}));
    burst.options = std::make_unique<fb::ExecutionOptionsT>();
    burst.identifiers = {value};
    EXPECT_EQ(ask(std::move(burst)), ErrorStatus::InvalidArgument) << value;
  }
  expectAlive();
}

/// A call with a vector of 64-bit identifiers; `padding` bytes set its distance from the end of the buffer.
std::vector<uint8_t> callWithIdentifiers(size_t count, size_t padding) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Align(sizeof(uint64_t));
  builder.Pad(padding);
  const std::vector<uint8_t> elements(count * sizeof(int64_t));
  builder.PushFlatBuffer(elements.data(), elements.size()); // the raw bytes set no alignment
  const auto identifiers = builder.PushElement(static_cast<flatbuffers::uoffset_t>(count));
  auto request = fb::CreateRequest(builder);
  auto options = fb::CreateExecutionOptions(builder);
  auto call = fb::CreateExecuteBurst(builder, 2, request, identifiers, options);
  builder.Finish(fb::CreateEnvelope(builder, 42, false, false, fb::Call::ExecuteBurst, call.Union()),
                 fb::EnvelopeIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

TEST_F(MalformedTest, EmptyVectorsAreAcceptedAtAnyOffset) {
  for (size_t padding = 0; padding < 16; padding += 4)
    EXPECT_EQ(askRaw(callWithIdentifiers(0, padding)), ErrorStatus::None) << padding;
}

TEST_F(MalformedTest, MisalignedElementsAreRefused) {
  std::map<ErrorStatus, int> answers;
  for (size_t padding = 0; padding < 16; padding += 4)
    ++answers[askRaw(callWithIdentifiers(1, padding))];
  EXPECT_EQ(answers[ErrorStatus::InvalidArgument], 2);
  EXPECT_EQ(answers[ErrorStatus::None], 2) << "half of the places are aligned";
  expectAlive();
}

/// Equal vectors and tables are written once and shared.
TEST_F(MalformedTest, SharedTablesAreAccepted) {
  flatbuffers::FlatBufferBuilder builder;
  auto dimensions = builder.CreateVector(std::vector<uint32_t>(64, 1));
  auto argument = fb::CreateArgument(builder, false, nullptr, dimensions);
  auto arguments = builder.CreateVector(std::vector<flatbuffers::Offset<fb::Argument>>(64, argument));
  auto request = fb::CreateRequest(builder, arguments, arguments);
  auto call = fb::CreateExecute(builder, 1, request, fb::CreateExecutionOptions(builder));
  EXPECT_EQ(askWith(builder, fb::Call::Execute, call.Union()), ErrorStatus::None);
}

TEST_F(MalformedTest, BrokenBodyIsAnsweredAndSessionContinues) {
  std::vector<uint8_t> bytes = callWithIdentifiers(0, 0);
  const auto *envelope = fb::GetEnvelope(bytes.data());
  const auto *body = static_cast<const uint8_t *>(envelope->call());
  const int32_t outside = 1 << 30;
  std::memcpy(bytes.data() + (body - bytes.data()), &outside, sizeof(outside));
  EXPECT_EQ(askRaw(bytes), ErrorStatus::InvalidArgument);
  expectAlive();
}

TEST_F(MalformedTest, BytesWithoutACallNumberEndTheSession) {
  EXPECT_EQ(askRaw(std::vector<uint8_t>(64, 0xff)), ErrorStatus::DeadObject);
  EXPECT_EQ(connect("fake")->status(), DeviceStatus::Available) << "others are served";
}

TEST(CallNumberTest, ReadsAnyBytesWithinBounds) {
  const std::vector<uint8_t> good = callWithIdentifiers(0, 0);
  ASSERT_EQ(ipc::callNumberOf(BoundedReader(good, "good")), 42u);
  for (size_t place = 0; place < good.size(); ++place)
    for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::vector<uint8_t> bytes = good;
      bytes[place] = static_cast<uint8_t>(value);
      (void)ipc::callNumberOf(BoundedReader(bytes, "changed")); // the sanitizers check which bytes are read
    }
  for (size_t size = 0; size < 16; ++size)
    EXPECT_FALSE(ipc::callNumberOf(BoundedReader(std::span(good).first(size), "short"))) << size;
}

} // namespace
} // namespace avocet::hal
