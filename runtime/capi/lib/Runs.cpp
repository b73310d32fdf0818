//===- Runs.cpp - Models on devices ---------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Models.h"
#include "Run.h"
#include "avocet/base/Knobs.h"

namespace avocet::capi {
namespace {

AvocetTensor *tensorOf(Run &run, AvocetRole role, size_t index) {
  return run.tensors().get(role, index, [&] { return run.tensor(role, index); });
}

template <typename Text> AvocetError *makeReport(const AvocetRun *run, AvocetReport **report, const Text &text) {
  return reported(report, [&]() -> Result<std::string> {
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<RunTable>(run, "run"));
    return text(*found);
  });
}

/// Calls `work` for the run of a handle.
template <typename Work> AvocetError *withRun(const AvocetRun *run, const Work &work) {
  return guarded([&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<RunTable>(run, "run"));
    return work(*found);
  });
}

} // namespace
} // namespace avocet::capi

using namespace avocet;
using namespace avocet::capi;

AvocetError *avocetRunCreate(const AvocetModel *model, const AvocetDevice *device, const AvocetOptions *options,
                             AvocetRun **run) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(run));
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<ModelTable>(model, "model"));
    AVOCET_ASSIGN_OR_RETURN(const Options chosen, optionsOf(options));
    AVOCET_ASSIGN_OR_RETURN(const auto place, device ? need<DeviceTable>(device, "device")
                                                     : openDevice(knobText(knobs::kBackend), chosen));
    AVOCET_ASSIGN_OR_RETURN(auto made, Run::create(*found, *place, chosen));
    *run = table<RunTable>().add(std::move(made));
    return Status::ok();
  });
}

AvocetError *avocetRunTensor(const AvocetRun *run, AvocetRole role, size_t index, AvocetTensor **tensor) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(tensor));
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<RunTable>(run, "run"));
    AVOCET_RETURN_IF_ERROR(checkTensor(found->model(), role, index));
    *tensor = tensorOf(*found, role, index);
    return Status::ok();
  });
}

AvocetError *avocetRunFindTensor(const AvocetRun *run, AvocetRole role, const char *name, AvocetTensor **tensor) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(tensor));
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<RunTable>(run, "run"));
    AVOCET_RETURN_IF_ERROR(needText(name, "name of a tensor"));
    AVOCET_ASSIGN_OR_RETURN(const size_t index, findTensor(found->model(), role, name));
    *tensor = tensorOf(*found, role, index);
    return Status::ok();
  });
}

AvocetError *avocetRunExecute(AvocetRun *run) {
  return withRun(run, [](Run &each) { return each.execute(); });
}

AvocetError *avocetRunStart(AvocetRun *run, AvocetCompleted completed, void *user) {
  return withRun(run, [&](Run &each) { return each.start(completed, user); });
}

AvocetError *avocetRunWait(AvocetRun *run, int64_t nanoseconds) {
  return withRun(run, [&](Run &each) { return each.wait(std::chrono::nanoseconds(nanoseconds)); });
}

AvocetError *avocetRunDescriptor(AvocetRun *run, int *descriptor) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(descriptor));
    *descriptor = -1;
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<RunTable>(run, "run"));
    AVOCET_ASSIGN_OR_RETURN(*descriptor, found->descriptor());
    return Status::ok();
  });
}

AvocetError *avocetRunCancel(AvocetRun *run) {
  return withRun(run, [](Run &each) { return each.cancel(); });
}

AvocetError *avocetRunReset(AvocetRun *run) {
  return withRun(run, [](Run &each) { return each.reset(); });
}

uint64_t avocetRunCycles(const AvocetRun *run) {
  return valueOf<RunTable>(run, uint64_t{0}, [](const Run &each) { return each.cycles(); });
}

uint64_t avocetRunCopiedBytes(const AvocetRun *run) {
  return valueOf<RunTable>(run, uint64_t{0}, [](const Run &each) { return each.copiedBytes(); });
}

AvocetError *avocetRunReport(const AvocetRun *run, AvocetReport **report) {
  return makeReport(run, report, [](const Run &each) { return each.reportText(); });
}

AvocetError *avocetRunTrace(const AvocetRun *run, AvocetReport **report) {
  return makeReport(run, report, [](const Run &each) { return each.traceText(); });
}

void avocetRunDestroy(AvocetRun *run) {
  try {
    if (const auto found = table<RunTable>().take(run))
      found->close();
  } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): a thread that cannot be joined goes on
  }
}
