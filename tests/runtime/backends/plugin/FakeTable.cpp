//===- FakeTable.cpp - The table of a plug-in in the test itself --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeTable.h"

#include "avocet/firmware_iface/Target.h"
#include "avocet/firmware_iface/Version.h"

#include <algorithm>
#include <cstring>

namespace avocet::runtime::plugin::test {
namespace {

AvocetBackendCode answer(AvocetBackendMessage *message) {
  std::strncpy(message->text, fakeDevice().message, sizeof(message->text));
  return fakeDevice().code;
}

AvocetBackendCode openFake(const AvocetBackendOptions *options, AvocetBackendDevice **device, AvocetBackendMessage *) {
  fakeDevice().options = *options;
  *device = fakeDevice().opens ? reinterpret_cast<AvocetBackendDevice *>(&fakeDevice()) : nullptr;
  return AVOCET_BACKEND_OK;
}

} // namespace

FakeDevice &fakeDevice() {
  static FakeDevice device;
  return device;
}

AvocetBackendTable fakeTable() {
  fakeDevice() = FakeDevice();
  fakeDevice().properties = {.size = sizeof(AvocetBackendProperties),
                             .flags = AVOCET_BACKEND_COMPUTES,
                             .targetFingerprint = firmware::Target::load("e256").value()->fingerprint(),
                             .encodingVersion = firmware::kEncodingVersion,
                             .queueDepth = 8,
                             .contexts = 0,
                             .reserved = 0};
  AvocetBackendTable table{};
  table.size = sizeof(table);
  table.abi = AVOCET_BACKEND_ABI;
  table.name = "fake";
  table.version = "1";
  table.description = "a table in the test";
  table.open = openFake;
  table.close = [](AvocetBackendDevice *) { ++fakeDevice().closed; };
  table.properties = [](AvocetBackendDevice *, AvocetBackendProperties *properties) {
    *properties = fakeDevice().properties;
  };
  table.createContext = [](AvocetBackendDevice *, uint32_t, uint32_t *context, AvocetBackendMessage *message) {
    *context = fakeDevice().handle;
    return answer(message);
  };
  table.destroyContext = [](AvocetBackendDevice *, uint32_t, AvocetBackendMessage *message) { return answer(message); };
  table.createBuffer = [](AvocetBackendDevice *, uint64_t, uint32_t *buffer, AvocetBackendMessage *message) {
    *buffer = fakeDevice().handle;
    return answer(message);
  };
  table.importBuffer = [](AvocetBackendDevice *, int32_t, uint64_t, uint64_t, uint32_t, uint32_t *buffer,
                          AvocetBackendMessage *message) {
    *buffer = fakeDevice().handle;
    return answer(message);
  };
  table.exportBuffer = [](AvocetBackendDevice *, uint32_t, int32_t *file, AvocetBackendMessage *message) {
    *file = fakeDevice().file;
    return answer(message);
  };
  table.destroyBuffer = [](AvocetBackendDevice *, uint32_t, AvocetBackendMessage *message) { return answer(message); };
  table.map = [](AvocetBackendDevice *, uint32_t, uint32_t, uint32_t, uint64_t *address,
                 AvocetBackendMessage *message) {
    *address = fakeDevice().address;
    return answer(message);
  };
  table.unmap = [](AvocetBackendDevice *, uint32_t, uint64_t, AvocetBackendMessage *message) {
    return answer(message);
  };
  table.submit = [](AvocetBackendDevice *, const AvocetBackendSubmission *submission, uint64_t *job,
                    AvocetBackendMessage *message) {
    fakeDevice().submitted = *submission;
    fakeDevice().firstStream = submission->streams[0];
    *job = fakeDevice().handle;
    if (submission->ended != nullptr && fakeDevice().code == AVOCET_BACKEND_OK)
      submission->ended(submission->sink, *job, &fakeDevice().outcome);
    return answer(message);
  };
  table.cancel = [](AvocetBackendDevice *, uint32_t, uint64_t, AvocetBackendMessage *message) {
    return answer(message);
  };
  table.wait = [](AvocetBackendDevice *, uint32_t, uint64_t, int64_t, AvocetBackendOutcome *outcome,
                  AvocetBackendMessage *message) {
    *outcome = fakeDevice().outcome;
    return answer(message);
  };
  table.reset = [](AvocetBackendDevice *, AvocetBackendMessage *message) { return answer(message); };
  return table;
}

} // namespace avocet::runtime::plugin::test
