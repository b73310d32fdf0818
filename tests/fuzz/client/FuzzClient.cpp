//===- FuzzClient.cpp - Hostile services and the C++ client -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a script (script.fbs): the calls of a client and the service's answers to them. The client is that of
// hal/ipc, unchanged: connections, objects, resilient devices, bursts. Every call must return, and every asynchronous
// call must call back once.
//
//===----------------------------------------------------------------------===//

#include "ClientCalls.h"
#include "HostileService.h"
#include "OpenDescriptors.h"
#include "StructureMutator.h"
#include "script_generated.h"

#include <filesystem>

using namespace avocet::fuzz;

namespace {

constexpr const char *kScript = "avocet.fuzz.fb.ClientScript";
constexpr size_t kMaxCalls = 40;

/// A temporary folder for the socket of the service.
class Folder {
public:
  Folder() {
    path_ = std::filesystem::temp_directory_path() / "avocetFuzzClientXXXXXX";
    if (::mkdtemp(path_.data()) == nullptr)
      std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string socket() const { return path_ + "/socket"; }

private:
  std::string path_;
};

void perform(const std::string &path, const Table &script) {
  std::optional<HostileService> service(std::in_place, path, script);
  ClientCalls client(path, script);
  const Tables &calls = tablesOf(script, fb::ClientScript::VT_CALLS);
  for (size_t i = 0; i < calls.size() && i < kMaxCalls; ++i)
    client.call(*calls[i]);
  client.dropAll();
  service.reset();
  client.requireCallbacks();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  static OpenDescriptors descriptors;
  const TablePointer script = readScript(data, size, kScript);
  descriptors.requireNoLeak([&] { perform(folder.socket(), *script); });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  static StructureMutator mutator(scriptSchema(), kScript, nullptr);
  return mutator.mutate(data, size, maxSize, seed);
}
