//===- CapiBench.cpp - What the C library adds to a run -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a model in turns through the runtime's session and through libavocet, on the simulator without cycles and on the
// null back end, where nothing else is left to measure.
//
//===----------------------------------------------------------------------===//

#include "avocet/avocet.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/network/ModelSource.h"
#include "avocet/runtime/SimBackend.h"
#include "avocet/session/LocalSession.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <memory>

namespace avocet {
namespace {

/// Microseconds of each call, in order of their length.
class Times {
public:
  template <typename Call> void measure(const Call &call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    times_.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  double median() {
    std::ranges::sort(times_);
    return times_[times_.size() / 2];
  }

private:
  std::vector<double> times_;
};

Status statusOf(AvocetError *error) {
  const std::string message = avocetErrorMessage(error);
  avocetErrorDestroy(error);
  return error ? internalError(message) : Status::ok();
}

Result<std::shared_ptr<AvocetRun>> openRun(const std::string &path, const char *backend) {
  AvocetOptions *options = nullptr;
  AvocetNetwork *network = nullptr;
  AvocetModel *model = nullptr;
  AvocetDevice *device = nullptr;
  AvocetRun *run = nullptr;
  AVOCET_RETURN_IF_ERROR(statusOf(avocetOptionsCreate(&options)));
  AVOCET_RETURN_IF_ERROR(statusOf(avocetOptionsSet(options, "mode", "functional")));
  AVOCET_RETURN_IF_ERROR(statusOf(avocetNetworkOpen(path.c_str(), &network)));
  AVOCET_RETURN_IF_ERROR(statusOf(avocetNetworkCompile(network, options, &model)));
  AVOCET_RETURN_IF_ERROR(statusOf(avocetDeviceOpen(backend, options, &device)));
  AVOCET_RETURN_IF_ERROR(statusOf(avocetRunCreate(model, device, options, &run)));
  return std::shared_ptr<AvocetRun>(run, avocetRunDestroy);
}

Status compare(const std::string &path, const char *backend, uint32_t runs) {
  network::Observer observer;
  AVOCET_ASSIGN_OR_RETURN(const session::LoadedModel model, network::loadModel({path, "", ""}, observer));
  session::LocalOptions options;
  options.backend = backend;
  options.timing = false;
  AVOCET_ASSIGN_OR_RETURN(const auto session, session::LocalSession::open(model, options));
  AVOCET_ASSIGN_OR_RETURN(const auto run, openRun(path, backend));
  Times runtime, library;
  Status status;
  for (uint32_t i = 0; i < runs && status.isOk(); ++i) {
    runtime.measure([&] { status = session->run().status(); });
    if (status.isOk())
      library.measure([&] { status = statusOf(avocetRunExecute(run.get())); });
  }
  AVOCET_RETURN_IF_ERROR(status);
  const double alone = runtime.median(), through = library.median();
  fmt::print("{:>6}: runtime {:.2f} us, C library {:.2f} us, {:+.2f} us\n", backend, alone, through, through - alone);
  return Status::ok();
}

int runMain(int argc, char **argv) {
  std::string model;
  uint32_t runs = 2000;
  CommandLine app("What the C library adds to a run: medians.", "capiBench");
  app.addText("model", model, "Model file").required();
  addNumber(app, "--runs", runs, "Runs of each kind", 1, 1000000);
  runtime::registerSimBackend();
  return runProgram(app, argc, argv, [&]() -> Status {
    AVOCET_RETURN_IF_ERROR(compare(model, "sim", runs));
    return compare(model, "null", runs);
  });
}

} // namespace
} // namespace avocet

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, avocet::runMain); }
