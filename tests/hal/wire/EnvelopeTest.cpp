//===- EnvelopeTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Envelope.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace avocet::hal::ipc {
namespace {

bool opensMessage() {
  fb::EnvelopeT envelope;
  envelope.number = 1;
  envelope.call.Set(fb::GetStatusT());
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Envelope::Pack(builder, &envelope), fb::EnvelopeIdentifier());
  return openEnvelope({builder.GetBufferPointer(), builder.GetSize()}).isOk();
}

[[noreturn]] void readWhileExiting() {
  // Runs after the destructors of all that the first message makes.
  (void)std::atexit([] { ::_exit(opensMessage() ? 0 : 1); });
  (void)opensMessage();
  std::exit(2);
}

/// A thread of a connection may receive until its process has ended.
TEST(EnvelopeDeathTest, MessagesAreReadDuringExit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // a process that has read no message
  EXPECT_EXIT(readWhileExiting(), ::testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace avocet::hal::ipc
