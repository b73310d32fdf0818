//===- Preparation.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preparation.h"

#include "avocet/hal/types/CacheFiles.h"

#include <fmt/format.h>

namespace avocet::hal::conformance {
namespace {

/// A model that the suite lets drivers refuse.
bool mayRefuse(const TestCase &test, ErrorStatus code) {
  return test.info.suite != Suite::Driver &&
         (code == ErrorStatus::InvalidArgument || code == ErrorStatus::GeneralFailure);
}

void setRefusal(Preparation &made, std::string_view call, const Error &error) {
  made.error = error.code;
  made.refusal = mayRefuse(made.test, error.code) ? skipped("a driver may refuse this model")
                                                  : failedCall(call, error.code, error.message);
}

/// "operation 3 RELU" -> "RELU"
std::string withoutPlace(const std::string &operation) {
  const size_t space = operation.rfind(' ');
  return space == std::string::npos ? operation : operation.substr(space + 1);
}

/// The reason omits values, operands and places, which differ between cases, so that equal reasons can be counted.
RunResult unsupportedBecause(const Unsupported &why) {
  if (why.rule.empty())
    return failed("getSupportedOperations refuses an operation without a reason");
  return unsupported(fmt::format("{}: {}", withoutPlace(why.operation), why.rule),
                     fmt::format("{} is {}, {}", why.operand, why.value, why.limit));
}

std::string nameOf(Form form) {
  return form == Form::AsWritten ? "" : form == Form::UnknownOutputs ? "#unknownOutputs" : "#signed";
}

/// Sets the refusal if the device does not support the whole model, or its answer breaks a rule.
void checkSupport(const IDevice &device, Preparation &made) {
  Result<SupportedOperations> answer = device.getSupportedOperations(made.test.model);
  if (!answer)
    return setRefusal(made, "getSupportedOperations", answer.error());
  const size_t count = made.test.model.main.operations.size();
  if (answer->supported.size() != count || answer->reasons.size() != count)
    made.refusal = failed("getSupportedOperations answers for another number of operations");
  for (size_t i = 0; i < count && !made.refusal; ++i)
    if (!answer->supported[i])
      made.refusal = unsupportedBecause(answer->reasons[i]);
}

void compile(IDevice &device, Preparation &made, TimePoint deadline) {
  auto prepared = device.prepareModel(made.test.model, {.deadline = deadline, .cache = made.cache, .hints = {}});
  if (!prepared)
    return setRefusal(made, "prepareModel", prepared.error());
  made.model = std::move(*prepared);
  if (!made.model)
    made.refusal = failed("prepareModel answers success without a model");
}

} // namespace

Preparation prepare(IDevice &device, const CaseRef &ref, Form form, TimePoint deadline) {
  Preparation made;
  avocet::Result<TestCase> test = ref.file->make(ref.index, form);
  avocet::Result<CacheFiles> cache = makeCacheFiles(device, ref.file->info(ref.index).name + nameOf(form));
  if (!test || !cache) {
    made.refusal = failed("the runner has no resources", (test ? cache.status() : test.status()).message());
    return made;
  }
  made.test = std::move(*test);
  made.cache = std::move(*cache);
  checkSupport(device, made);
  if (!made.refusal)
    compile(device, made, deadline);
  return made;
}

} // namespace avocet::hal::conformance
