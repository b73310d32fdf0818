//===- FuzzHalModel.cpp - Models and requests of the HAL ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelChanges.h"
#include "Models.h"
#include "avocet/hal/types/Capabilities.h"
#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/GraphDump.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <cstdlib>
#include <span>
#include <vector>

namespace avocet::hal::test {
namespace {

void changeRequest(Request &request, Reader &reader) {
  std::vector<RequestArgument> &arguments = (reader.byte() & 1) != 0 ? request.inputs : request.outputs;
  uint8_t what = reader.byte() % 8;
  if (what == 0 && arguments.size() < 64)
    arguments.emplace_back();
  if (what == 1)
    request.pools.emplace_back(BufferToken(static_cast<uint32_t>(reader.number())));
  if (arguments.empty())
    return;
  RequestArgument &argument = reader.pick(arguments);
  if (what == 2)
    argument.hasNoValue = !argument.hasNoValue;
  if (what == 3)
    changeList(argument.dimensions, reader);
  if (what >= 4)
    argument.location = {static_cast<uint32_t>(reader.byte() % 3), reader.number(), reader.number(), reader.number()};
}

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// A valid model has a cost, and each of its operations a version up to `needed`. What it converts to must be valid.
void useValidModel(const Model &model, Version needed) {
  Capabilities capabilities{{1, 1}, {1, 1}, nonExtensionPerformance({1, 1}), {1, 1}, {1, 1}};
  require(CostModel(capabilities, model).of(model.main).execTime > 0);
  Result<std::vector<Version>> versions = versionsOfOperations(model);
  require(versions.isOk() && versions->size() == model.main.operations.size());
  for (Version version : *versions)
    require(version <= needed);
  require(answerFor(model, needed).isExpressible);
  for (uint32_t version = 0; version <= static_cast<uint32_t>(kLatestVersion); ++version) {
    Result<Converted<Model>> converted = convertTo(model, static_cast<Version>(version));
    require(!converted.isOk() || *validate(converted->value) <= static_cast<Version>(version));
  }
}

struct Base {
  Model model;
  Request request; ///< empty if shapes are unknown
};

std::vector<Base> makeBases() {
  std::vector<Base> bases;
  for (const NamedModel &base : baseModels())
    bases.push_back({base.model, base.name == "unknownShapes" ? Request() : requestFor(base.model)});
  return bases;
}

void run(Reader reader) {
  static const std::vector<Base> kBases = makeBases();
  const Base &base = kBases[reader.byte() % kBases.size()];
  Model model = base.model;
  Request request = base.request;
  uint8_t numRequestChanges = reader.byte() % 8;
  for (uint8_t i = 0; i < numRequestChanges; ++i)
    changeRequest(request, reader);
  for (int i = 0; i < 32 && !reader.isAtEnd(); ++i)
    changeModel(model, reader);
  require(!graphDump("fuzz", model).empty());
  Result<Version> version = validate(model);
  require(version.isOk() || (version.code() == ErrorStatus::InvalidArgument && !version.error().message.empty()));
  if (!version.isOk())
    return;
  useValidModel(model, *version);
  Result<Version> forRequest = validateRequestForModel(request, model);
  require(forRequest.isOk() || forRequest.code() == ErrorStatus::InvalidArgument);
}

} // namespace
} // namespace avocet::hal::test

/// Changes a base model and a request for it by the bytes of the input, and validates both.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  avocet::hal::test::run(avocet::hal::test::Reader(std::span(data, size)));
  return 0;
}
