//===- RemoteRun.cpp - Runs on the CPU and on services --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/types/ErrorText.h"
#include "avocet/session/ServedSession.h"

#include <filesystem>
#include <fmt/format.h>

namespace avocet::capi {
namespace {

/// The file's bytes, which the model holds, or else `storage` after the call.
Result<session::NetworkFile> networkOf(const Model &model, const std::string &device, std::vector<uint8_t> &storage) {
  const Source &source = *model.source;
  std::error_code error;
  if (source.bytes.empty() && std::filesystem::is_regular_file(source.path, error)) {
    AVOCET_ASSIGN_OR_RETURN(storage, readFile(source.path));
  }
  if (const auto network = session::servedNetwork(source.bytes.empty() ? storage : source.bytes, source.isOnnx))
    return *network;
  return unsupported(fmt::format("{}: device '{}' accepts only networks of .tflite and .onnx files; compile the model "
                                 "from one, or run it on sim or kernel",
                                 source.path, device));
}

} // namespace

Status Run::openRemote(const Model &model, const Device &device, const Options &options) {
  std::vector<uint8_t> storage;
  AVOCET_ASSIGN_OR_RETURN(const session::NetworkFile network, networkOf(model, device.name, storage));
  session::ServedOptions served = options.served;
  AVOCET_RETURN_IF_ERROR(session::checkOptions(served));
  std::unique_ptr<session::ServedSession> session;
  if (device.kind == Device::Kind::Cpu) {
    served.device = std::string(hal::kCpuDeviceName);
    auto cpu = hal::openCpuDevice({.compilerLibrary = {}, .cacheDirectory = {}, .threads = options.local.threads});
    if (!cpu)
      return toStatus(cpu.error());
    AVOCET_ASSIGN_OR_RETURN(session, session::ServedSession::openOn(**cpu, loaded_, network, served));
  } else {
    served.device = device.part;
    if (served.socket.empty())
      served.socket = knobText(knobs::kSocket);
    AVOCET_ASSIGN_OR_RETURN(session, session::ServedSession::open(loaded_, network, served));
    servedReport_.emplace(served);
    served_ = session.get();
  }
  properties_ = session->properties(loaded_);
  properties_.backend = device.name;
  session_ = std::move(session);
  return Status::ok();
}

} // namespace avocet::capi
