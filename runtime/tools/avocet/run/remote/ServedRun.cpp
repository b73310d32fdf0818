//===- ServedRun.cpp - avocet run --device ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"
#include "avocet/documents/ServedReport.h"
#include "avocet/session/ServedSession.h"
#include "run/RunPlace.h"
#include "run/Runs.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace avocet::tool {
namespace {

using session::ServedSession;

/// A service compiles what it runs, and only these forms can be sent through the HAL.
Result<std::vector<uint8_t>> readNetwork(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return invalidArgument(fmt::format("{}: is a directory of artefacts, but a driver service accepts only .tflite and "
                                       ".onnx files; give the file that "
                                       "they were compiled from, or run them without --device: avocet run {}",
                                       path, path));
  return readFile(path);
}

Result<session::NetworkFile> networkIn(std::span<const uint8_t> file, const std::string &path) {
  if (const auto network = session::servedNetwork(file, path.ends_with(".onnx")))
    return *network;
  return invalidArgument(
      fmt::format("{}: is no .tflite or .onnx file, but a driver service accepts only these; give the file that it was "
                  "made from, or run it without --device: avocet run {}",
                  path, path));
}

class ServedRun final : public RunPlace {
public:
  explicit ServedRun(const RunOptions &options) : options_(options) {}

  Result<std::unique_ptr<session::Session>> open(Progress &progress) override;
  Status note(uint32_t number, session::RunRecord record) override;
  Status report(std::vector<analysis::ClassReport> classes) override;

private:
  Status checkOptions() const;

  const RunOptions &options_;
  LoadedModel model_;
  ServedSession *session_ = nullptr;              ///< of open()
  std::optional<documents::ServedReport> report_; ///< of open()
};

Status ServedRun::checkOptions() const {
  AVOCET_RETURN_IF_ERROR(session::checkOptions(options_.served));
  if (!options_.signature.empty())
    return invalidArgument("a service compiles the first subgraph of a model only; leave out --signature or --device");
  if (options_.open.any())
    return invalidArgument(
        "a service compiles a model with the shapes and layouts of its file; leave out --shape, --dim, --value and "
        "--layout, or --device");
  if (!options_.optimize.empty())
    return invalidArgument("a service chooses the schedule itself; leave out --optimize or --device");
  if (!options_.hints.empty())
    return invalidArgument("a service chooses the schedule itself; leave out --hints or --device");
  return Status::ok();
}

Result<std::unique_ptr<session::Session>> ServedRun::open(Progress &progress) {
  AVOCET_RETURN_IF_ERROR(checkOptions());
  std::string target = options_.target;
  if (target.empty()) {
    AVOCET_ASSIGN_OR_RETURN(target, session::targetOfDevice(options_.served.device));
  }
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> file, readNetwork(options_.model));
  AVOCET_ASSIGN_OR_RETURN(const session::NetworkFile network, networkIn(file, options_.model));
  AVOCET_ASSIGN_OR_RETURN(model_, loadModel({options_.model, target, {}}, options_.diagnostics, progress));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<ServedSession> session,
                          ServedSession::open(model_, network, options_.served));
  if (numRuns(*session, options_) > 1 || !options_.states.empty())
    return unsupported(options_.model + ": a service keeps no states between runs; run the model without --device");
  session_ = session.get();
  report_.emplace(options_.served);
  return std::unique_ptr<session::Session>(std::move(session));
}

Status ServedRun::note(uint32_t, session::RunRecord record) {
  report_->note(record);
  return Status::ok();
}

Status ServedRun::report(std::vector<analysis::ClassReport> classes) {
  printReport(report_->make(model_, *session_), options_.report);
  return session_->finish();
}

} // namespace

std::unique_ptr<RunPlace> runInService(const RunOptions &options) { return std::make_unique<ServedRun>(options); }

} // namespace avocet::tool
