//===- FakeTable.h - The table of a plug-in in the test itself --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_BACKENDS_PLUGIN_FAKETABLE_H
#define AVOCET_TESTS_RUNTIME_BACKENDS_PLUGIN_FAKETABLE_H

#include "avocet/runtime/BackendPlugin.h"

namespace avocet::runtime::plugin::test {

/// What the device of fakeTable() answers. One at a time.
struct FakeDevice {
  AvocetBackendProperties properties{};
  AvocetBackendCode code = AVOCET_BACKEND_OK; ///< of all functions but open()
  const char *message = "";
  uint32_t handle = 1;
  uint64_t address = 4096;
  int32_t file = -1;
  AvocetBackendOutcome outcome{};
  AvocetBackendSubmission submitted{}; ///< its arrays are gone
  AvocetBackendStream firstStream{};
  AvocetBackendOptions options{}; ///< its texts are gone
  bool opens = true;
  int closed = 0;
};

FakeDevice &fakeDevice();

/// A complete table, whose device has the target e256. Sets the device back.
AvocetBackendTable fakeTable();

} // namespace avocet::runtime::plugin::test

#endif // AVOCET_TESTS_RUNTIME_BACKENDS_PLUGIN_FAKETABLE_H
