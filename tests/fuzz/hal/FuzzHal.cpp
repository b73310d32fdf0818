//===- FuzzHal.cpp - Hostile models and requests ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model and two requests go through validation, getSupportedOperations(), preparation and execution on the simulator.
// The compiler is the shared library without instrumentation; everything else is instrumented.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "avocet/base/Log.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <cstdlib>

using namespace avocet::hal;

// MLIR is not instrumented, so the poisoning by its allocators is incomplete.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_leaks=0"; }

namespace {

void require(bool condition) {
  if (!condition)
    std::abort();
}

IDevice &device() {
  static const std::shared_ptr<IDevice> device = *openDevice({});
  return *device;
}

OptionalTimePoint soon() { return BootClock::now() + std::chrono::seconds(2); }

/// The rules of Interfaces.h for outcomes.
void checkOutcome(const ExecutionOutcome &outcome, const Model &model) {
  bool hasShapes = outcome.isOk() || outcome.status == ErrorStatus::OutputInsufficientSize;
  require(outcome.outputShapes.size() == (hasShapes ? model.main.outputIndexes.size() : 0));
  bool allSufficient = std::all_of(outcome.outputShapes.begin(), outcome.outputShapes.end(),
                                   [](const OutputShape &shape) { return shape.isSufficient; });
  require(!hasShapes || allSufficient == outcome.isOk());
}

void checkSupport(const Model &model, bool isValid) {
  Result<SupportedOperations> supported = device().getSupportedOperations(model);
  require(isValid || !supported || model.pools.size() > 0);
  require(!supported || supported->supported.size() == model.main.operations.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  Model model = fuzzing::buildModel(data);
  bool isValid = validate(model).isOk();
  if (data.ConsumeBool())
    checkSupport(model, isValid);
  PrepareOptions options;
  options.deadline = soon();
  Result<std::shared_ptr<IPreparedModel>> prepared = device().prepareModel(model, options);
  require(isValid || prepared.code() == ErrorStatus::InvalidArgument);
  for (int run = 0; prepared && run < 2; ++run) {
    Request request = fuzzing::buildRequest(model, data);
    checkOutcome((*prepared)->execute(request, {MeasureTiming::Yes, soon(), {}, {}}), model);
  }
  return 0;
}
