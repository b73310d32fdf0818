//===- ModelConversion.cpp - Models in other HAL versions -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Compatibility.h"

#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "util/Losses.h"
#include "util/Subgraphs.h"
#include "util/WireLimits.h"
#include "validation/Context.h"

#include <algorithm>

namespace avocet::hal {

using enum Version;

namespace {

/// Versions of the operations of a valid model. Operands and signatures were validated before, so every Result here has
/// a value.
class VersionFinder {
public:
  explicit VersionFinder(const Model &model)
      : context_(contextOf(model)), model_(model), referenced_(model.referenced.size(), V1_3) {
    std::vector<size_t> order = usersFirst(model.referenced);
    for (auto index = order.rbegin(); index != order.rend(); ++index)
      referenced_[*index] = std::max(V1_3, ofSubgraph(model.referenced[*index]));
  }

  Version ofOperation(const Subgraph &subgraph, const Operation &operation) const {
    Version version = ofSignature(subgraph, operation);
    for (const std::vector<uint32_t> *indices : {&operation.inputs, &operation.outputs})
      for (uint32_t index : *indices)
        version = std::max(version, ofOperand(subgraph.operands[index]));
    return version;
  }

private:
  Version ofSignature(const Subgraph &subgraph, const Operation &operation) const {
    const OperationSignature *signature = findSignature(operation.type);
    if (signature == nullptr)
      return isExtension(operation.type) ? V1_2 : V1_0;
    return *checkSignature(*signature, OperationView(model_, subgraph, operation));
  }

  Version ofOperand(const Operand &operand) const {
    Version version = *validateOperand(context_, operand);
    if (operand.lifetime == OperandLifeTime::Subgraph)
      version = std::max(version, referenced_[operand.location.offset]);
    return version;
  }

  Version ofSubgraph(const Subgraph &subgraph) const {
    Version version = V1_0;
    for (const Operation &operation : subgraph.operations)
      version = std::max(version, ofOperation(subgraph, operation));
    return version;
  }

  ModelContext context_;
  const Model &model_;
  std::vector<Version> referenced_;
};

} // namespace

Result<std::vector<Version>> versionsOfOperations(const Model &model) {
  AVOCET_RETURN_IF_ERROR(validate(model));
  VersionFinder finder(model);
  std::vector<Version> versions;
  versions.reserve(model.main.operations.size());
  for (const Operation &operation : model.main.operations)
    versions.push_back(finder.ofOperation(model.main, operation));
  return versions;
}

static bool usesExtensions(const Subgraph &subgraph) {
  return std::ranges::any_of(subgraph.operands, [](const Operand &operand) { return isExtension(operand.type); }) ||
         std::ranges::any_of(subgraph.operations,
                             [](const Operation &operation) { return isExtension(operation.type); });
}

static bool usesExtensions(const Model &model) {
  return usesExtensions(model.main) ||
         std::ranges::any_of(model.referenced, [](const Subgraph &subgraph) { return usesExtensions(subgraph); });
}

/// Removes unused parts that the version cannot express.
static void dropUnused(Converted<Model> &converted, Version version) {
  Model &model = converted.value;
  if (version < V1_1 && model.relaxComputationFloat32toFloat16) {
    model.relaxComputationFloat32toFloat16 = false;
    converted.losses.emplace_back("relaxed float");
  }
  if (version < V1_3 && !model.referenced.empty() && referencesOf(model.main, model.referenced.size()).empty()) {
    converted.losses.push_back(fmt::format("{} subgraphs that the main one does not use", model.referenced.size()));
    model.referenced.clear();
  }
  if (version < V1_2 && !usesExtensions(model)) {
    for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
      converted.losses.push_back(fmt::format("extension '{}', which no operand or operation uses", extension.name));
    model.extensionNameToPrefix.clear();
  }
}

/// The error that names the first operation which the version lacks, or the first field which it cannot hold.
static Error tooNew(const Model &model, Version needed, Version version) {
  Result<std::vector<Version>> versions = versionsOfOperations(model);
  for (size_t i = 0; versions && i < versions->size(); ++i)
    if ((*versions)[i] > version)
      return invalidArgument(fmt::format("operation {} ({}) needs version {}, cannot be expressed in {}", i,
                                         operationName(model.main.operations[i].type), toString((*versions)[i]),
                                         toString(version)));
  if (Outcome fits = checkModelFits(model, version); !fits)
    return fits.error();
  return invalidArgument(
      fmt::format("the model needs version {}, cannot be expressed in {}", toString(needed), toString(version)));
}

Result<Converted<Model>> convertUnlogged(const Model &model, Version version) {
  AVOCET_RETURN_IF_ERROR(validate(model));
  Converted<Model> converted{model, {}};
  dropUnused(converted, version);
  AVOCET_ASSIGN_OR_RETURN(Version needed, validate(converted.value));
  if (needed > version)
    return tooNew(converted.value, needed, version);
  AVOCET_RETURN_IF_ERROR(checkModelFits(converted.value, version));
  return converted;
}

Result<Converted<Model>> convertTo(const Model &model, Version version) {
  AVOCET_ASSIGN_OR_RETURN(Converted<Model> converted, convertUnlogged(model, version));
  return logged(std::move(converted), "model");
}

} // namespace avocet::hal
