//===- Preparation.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preparation.h"

#include "avocet/base/File.h"
#include "avocet/base/Fnv1a.h"

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

/// Hashes of the name; each word of the token has another basis.
CacheToken tokenOf(const std::string &name) {
  const std::span bytes(reinterpret_cast<const uint8_t *>(name.data()), name.size());
  CacheToken token = {};
  for (size_t i = 0; i < token.size(); i += 8) {
    const uint64_t hash = Fnv1a(Fnv1a::kBasis + i).add(bytes).value();
    for (size_t byte = 0; byte < 8; ++byte)
      token[i + byte] = static_cast<uint8_t>(hash >> (8 * byte));
  }
  return token;
}

Status addFiles(std::vector<SharedHandle> &files, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("conformanceCache", 0));
    files.push_back(std::make_shared<const FileDescriptor>(std::move(file)));
  }
  return Status::ok();
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

avocet::Result<CacheFiles> makeCacheFiles(const IDevice &device, const std::string &name) {
  const NumberOfCacheFiles needed = device.numberOfCacheFilesNeeded();
  CacheFiles files;
  AVOCET_RETURN_IF_ERROR(addFiles(files.modelCache, needed.numModelCache));
  AVOCET_RETURN_IF_ERROR(addFiles(files.dataCache, needed.numDataCache));
  files.token = tokenOf(name);
  return files;
}

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
