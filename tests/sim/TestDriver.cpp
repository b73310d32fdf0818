//===- TestDriver.cpp - A small driver for tests ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestDriver.h"

#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/Version.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace avocet::sim::test {

using namespace firmware;

Pages::Pages(size_t bytes)
    : bytes_(roundUp(bytes, kPageBytes)), data_(static_cast<uint8_t *>(std::aligned_alloc(kPageBytes, bytes_))) {
  std::memset(data_.get(), 0, bytes_);
}

void Pages::Free::operator()(uint8_t *memory) const { std::free(memory); }

TestStream stream(Engine engine, std::vector<CommandBody> bodies, uint32_t layer) {
  TestStream result{engine, {}};
  for (CommandBody &body : bodies)
    encode(Command{layer, std::move(body)}, result.words);
  encode(Command{kNoLayer, EndCommand{}}, result.words);
  return result;
}

TestDriver::TestDriver(const std::string &target, DeviceOptions options)
    : target_(std::move(Target::load(target)).value()), device_(std::move(Device::create(target_, options)).value()) {
  device_->setJobObserver([this](const JobProfile &profile) { profile_ = profile; });
  EXPECT_TRUE(device_->attachMemory(mailboxes_.address(), mailboxes_.span()).isOk());
  const uint64_t in = mailboxes_.address(), out = in + sizeof(Mailbox);
  writeRegister(Register::MailboxInLow, static_cast<uint32_t>(in));
  writeRegister(Register::MailboxInHigh, static_cast<uint32_t>(in >> 32));
  writeRegister(Register::MailboxOutLow, static_cast<uint32_t>(out));
  writeRegister(Register::MailboxOutHigh, static_cast<uint32_t>(out >> 32));
  writeRegister(Register::Control, control::kRun);
  send(MessageKind::Hello, HelloRequest{kInterfaceVersion, kInterfaceVersion, kEncodingVersion, 0});
  EXPECT_EQ(codeOf(send(MessageKind::CreateContext, ContextRequest{kContext, 0, {}})), ReplyCode::Ok);
  map(ringPages_);
  map(tables_);
  RingHeader &header = ringHeader();
  header.magic = kRingMagic;
  header.entries = kEntries;
  header.entryBytes = sizeof(JobDescriptor);
  EXPECT_EQ(codeOf(send(MessageKind::CreateRing, RingRequest{kContext, kRing, ringPages_.address(), kEntries, 0})),
            ReplyCode::Ok);
}

RingHeader &TestDriver::ringHeader() { return *reinterpret_cast<RingHeader *>(ringPages_.data()); }

void TestDriver::postMessage(Mailbox message) {
  auto *boxes = reinterpret_cast<Mailbox *>(mailboxes_.data());
  message.header.sequence = ++sequence_;
  boxes[1].header.state = static_cast<uint32_t>(MailboxState::Empty);
  std::memcpy(boxes[0].body, message.body, sizeof(message.body));
  boxes[0].header = message.header;
  std::atomic_ref<uint32_t>(boxes[0].header.state)
      .store(static_cast<uint32_t>(MailboxState::Full), std::memory_order_release);
  writeRegister(Register::MailboxBell, 1);
}

Mailbox TestDriver::takeReply() {
  auto *boxes = reinterpret_cast<Mailbox *>(mailboxes_.data());
  device_->run();
  EXPECT_EQ(boxes[0].header.state, static_cast<uint32_t>(MailboxState::Empty));
  EXPECT_EQ(boxes[1].header.state, static_cast<uint32_t>(MailboxState::Full));
  EXPECT_EQ(boxes[1].header.sequence, sequence_);
  return boxes[1];
}

ReplyCode TestDriver::codeOf(const Mailbox &reply) {
  uint32_t code;
  std::memcpy(&code, reply.body, sizeof(code));
  return static_cast<ReplyCode>(code);
}

void TestDriver::map(const Pages &pages, uint32_t access, uint32_t context) {
  (void)device_->attachMemory(pages.address(), pages.span()); // another context may have attached it already
  MapRequest request{context, access, pages.address(), pages.address(), pages.size()};
  EXPECT_EQ(codeOf(send(MessageKind::Map, request)), ReplyCode::Ok);
}

uint64_t TestDriver::placeBytes(const void *items, size_t bytes) {
  const uint64_t rounded = (bytes + 7) / 8 * 8;
  if (used_ + rounded > tables_.size())
    used_ = 0; // earlier jobs are complete
  uint8_t *at = tables_.data() + used_;
  used_ += rounded;
  if (bytes != 0)
    std::memcpy(at, items, bytes);
  return reinterpret_cast<uint64_t>(at);
}

JobDescriptor TestDriver::makeJob(const std::vector<TestStream> &streams, const std::vector<TestRegion> &regions) {
  std::vector<StreamEntry> streamTable;
  for (const TestStream &s : streams)
    streamTable.push_back({static_cast<uint32_t>(s.engine.kind), s.engine.index, place(s.words),
                           static_cast<uint32_t>(s.words.size()), s.section});
  std::vector<RegionEntry> regionTable;
  for (const TestRegion &r : regions)
    regionTable.push_back({r.address, r.bytes, r.access, 0});
  JobDescriptor job{};
  job.sequence = ++sequence_;
  job.context = kContext;
  job.targetFingerprint = target_->fingerprint();
  job.encodingVersion = kEncodingVersion;
  job.streamTable = place(streamTable);
  job.regionTable = place(regionTable);
  job.streamCount = static_cast<uint32_t>(streams.size());
  job.regionCount = static_cast<uint32_t>(regions.size());
  job.completion = place(std::vector<CompletionRecord>(1));
  job.userData = 0xA5A5;
  return job;
}

void TestDriver::setControl(JobDescriptor &job, const std::vector<uint32_t> &words) {
  job.controlProgram = place(words);
  job.controlWords = static_cast<uint32_t>(words.size());
}

void TestDriver::push(const JobDescriptor &descriptor) {
  RingHeader &header = ringHeader();
  uint8_t *entries = ringPages_.data() + sizeof(RingHeader);
  std::memcpy(entries + (header.tail % kEntries) * sizeof(JobDescriptor), &descriptor, sizeof(descriptor));
  ++header.tail;
}

const CompletionRecord &TestDriver::recordOf(const JobDescriptor &descriptor) const {
  return *reinterpret_cast<const CompletionRecord *>(descriptor.completion);
}

CompletionRecord TestDriver::run(const std::vector<TestStream> &streams, const std::vector<TestRegion> &regions) {
  return run(makeJob(streams, regions));
}

CompletionRecord TestDriver::run(const JobDescriptor &descriptor) {
  push(descriptor);
  ring();
  device_->run();
  EXPECT_EQ(recordOf(descriptor).sequence, descriptor.sequence);
  return recordOf(descriptor);
}

} // namespace avocet::sim::test
