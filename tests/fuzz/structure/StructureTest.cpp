//===- StructureTest.cpp - Trees and the mutator ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packet.h"
#include "StructureMutator.h"
#include "script_generated.h"

#include <gtest/gtest.h>
#include <set>

/// Replaces libFuzzer's function.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize) {
  if (size > 0)
    data[0] ^= 1;
  return size;
}

namespace avocet::fuzz {
namespace {

namespace ipc = hal::ipc::fb;
constexpr const char *kEnvelope = "avocet.hal.ipc.fb.Envelope";

const reflection::Schema &schema() { return *reflection::GetSchema(scriptSchema()); }

template <typename Body> ipc::EnvelopeT envelopeOf(Body body) {
  ipc::EnvelopeT envelope;
  envelope.number = 7;
  envelope.message = "text";
  envelope.call.Set(std::move(body));
  return envelope;
}

/// Structs, vectors of each kind, forced alignment, nested tables.
ipc::EnvelopeT someEnvelope() {
  ipc::PrepareModelT call;
  call.model = std::make_unique<ipc::ModelT>();
  call.model->main = std::make_unique<ipc::SubgraphT>();
  call.model->main->operands.push_back(std::make_unique<ipc::OperandT>());
  ipc::OperandT &operand = *call.model->main->operands.back();
  operand.location = ipc::Location(1, 2, 3, 4);
  operand.dimensions = {5, 6};
  operand.scales = {0.5f};
  call.model->operand_values = {1, 2, 3};
  call.model->pools.push_back(std::make_unique<ipc::MemoryT>());
  call.model->pools.back()->name = "pool";
  call.options = std::make_unique<ipc::PrepareOptionsT>();
  return envelopeOf(std::move(call));
}

Bytes packed(const ipc::EnvelopeT &envelope) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(ipc::Envelope::Pack(builder, &envelope), ipc::EnvelopeIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

Bytes rewritten(const Bytes &bytes) {
  const reflection::Object &root = *schema().objects()->LookupByKey(kEnvelope);
  return writeTree(*readTree(bytes, schema(), root), schema(), ipc::EnvelopeIdentifier());
}

bool verifies(const Bytes &bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  return ipc::VerifyEnvelopeBuffer(verifier);
}

ipc::EnvelopeT unpacked(const Bytes &bytes) {
  ipc::EnvelopeT envelope;
  ipc::GetEnvelope(bytes.data())->UnPackTo(&envelope);
  return envelope;
}

/// Whether a written tree is a valid buffer: reading and writing it again gives the same bytes.
bool mayBeRead(const Bytes &bytes) { return rewritten(bytes) == bytes; }

TEST(TreeTest, RoundTripKeepsMessage) {
  for (const ipc::EnvelopeT &envelope : {someEnvelope(), envelopeOf([] {
                                           ipc::AllocateT call;
                                           call.inputs = {ipc::Role(1, 2, 0.5f), ipc::Role(3, 4, 1)};
                                           return call;
                                         }())}) {
    const Bytes bytes = packed(envelope), copy = rewritten(bytes);
    ASSERT_TRUE(verifies(copy));
    EXPECT_EQ(packed(unpacked(copy)), bytes);
  }
}

TEST(TreeTest, AlignsVectors) {
  const Bytes bytes = rewritten(packed(someEnvelope()));
  const auto *values = ipc::GetEnvelope(bytes.data())->call_as_PrepareModel()->model()->operand_values();
  EXPECT_EQ((values->Data() - bytes.data()) % 8, 0);
}

TEST(TreeTest, KeepsUnknownUnionTag) {
  flatbuffers::FlatBufferBuilder builder;
  auto body = ipc::CreateGetStatus(builder);
  builder.Finish(ipc::CreateEnvelope(builder, 1, false, false, static_cast<ipc::Call>(200), body.Union()),
                 ipc::EnvelopeIdentifier());
  const Bytes copy = rewritten({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()});
  ASSERT_TRUE(verifies(copy));
  EXPECT_EQ(static_cast<int>(ipc::GetEnvelope(copy.data())->call_type()), 200);
  EXPECT_NE(ipc::GetEnvelope(copy.data())->call(), nullptr);
}

TEST(TreeTest, ReadsBrokenBuffersInPart) {
  const Bytes bytes = packed(someEnvelope());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(mayBeRead(rewritten(Bytes(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)))));
  for (size_t at = 0; at < bytes.size(); ++at)
    for (uint8_t value : {0x00, 0x7F, 0xFF}) {
      Bytes broken = bytes;
      broken[at] = value;
      EXPECT_TRUE(mayBeRead(rewritten(broken)));
    }
}

TEST(MutatorTest, SameSeedsGiveSameMutations) {
  Bytes results[2];
  for (Bytes &result : results) {
    StructureMutator mutator(scriptSchema(), kEnvelope, "AVIP");
    result = packed(someEnvelope());
    for (uint32_t seed = 1; seed < 200; ++seed) {
      const size_t size = result.size();
      result.resize(4096);
      result.resize(mutator.mutate(result.data(), size, result.size(), seed));
    }
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(MutatorTest, ReachesTagsOfWholeRange) {
  StructureMutator mutator(scriptSchema(), kEnvelope, "AVIP");
  std::set<int> calls, answers;
  int numSound = 0;
  constexpr int kRuns = 20000;
  const Bytes start = packed(envelopeOf(ipc::GetStatusT()));
  for (uint32_t seed = 1; seed <= kRuns; ++seed) {
    Bytes bytes = start;
    bytes.resize(8192);
    bytes.resize(mutator.mutate(bytes.data(), start.size(), bytes.size(), seed * 7919));
    if (!verifies(bytes))
      continue;
    ++numSound;
    calls.insert(static_cast<int>(ipc::GetEnvelope(bytes.data())->call_type()));
    answers.insert(static_cast<int>(ipc::GetEnvelope(bytes.data())->answer_type()));
  }
  EXPECT_GT(calls.size(), 240u); // of 256
  EXPECT_GT(answers.size(), 200u);
  EXPECT_GT(numSound, kRuns / 2);
}

} // namespace
} // namespace avocet::fuzz
