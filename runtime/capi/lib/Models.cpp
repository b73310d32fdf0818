//===- Models.cpp - Compiled networks -------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "CallObserver.h"
#include "Guard.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/session/TargetFile.h"

#include <fmt/ranges.h>

namespace avocet::capi {

size_t tensorCount(const cache::ModelCache &model, AvocetRole role) {
  switch (role) {
  case AVOCET_INPUT:
    return session::numOwnInputs(model);
  case AVOCET_OUTPUT:
    return session::numOwnOutputs(model);
  case AVOCET_STATE:
    return model.numStates();
  default:
    return 0;
  }
}

cache::OperandView tensorView(const cache::ModelCache &model, AvocetRole role, size_t index) {
  if (role == AVOCET_OUTPUT)
    return model.output(index);
  return model.input(role == AVOCET_STATE ? session::numOwnInputs(model) + index : index);
}

static std::string_view nameOf(AvocetRole role) {
  return role == AVOCET_INPUT ? "input" : role == AVOCET_OUTPUT ? "output" : "state";
}

Status checkTensor(const cache::ModelCache &model, AvocetRole role, size_t index) {
  if (role < AVOCET_INPUT || role > AVOCET_STATE)
    return invalidArgument(fmt::format("role {}: must be AVOCET_INPUT, AVOCET_OUTPUT or AVOCET_STATE", role));
  const size_t count = tensorCount(model, role);
  if (index < count)
    return Status::ok();
  return invalidArgument(
      fmt::format("{} {}: '{}' has {} {}s", nameOf(role), index, model.modelName(), count, nameOf(role)));
}

Result<size_t> findTensor(const cache::ModelCache &model, AvocetRole role, std::string_view name) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < tensorCount(model, role); ++i) {
    names.push_back(tensorView(model, role, i).name);
    if (names.back() == name)
      return i;
  }
  return notFound(fmt::format("'{}' has no {} '{}'; it has {}", model.modelName(), nameOf(role), name,
                              names.empty() ? "none" : fmt::format("'{}'", fmt::join(names, "', '"))));
}

static AvocetTensor *tensorOf(Model &model, AvocetRole role, size_t index) {
  return model.tensors.get(role, index, [&] {
    const auto &cache = model.loaded.artefacts.model;
    return Tensor{tensorView(*cache, role, index), cache, {}, role, index};
  });
}

} // namespace avocet::capi

using namespace avocet;
using namespace avocet::capi;

AvocetError *avocetModelOpen(const char *directory, const AvocetOptions *options, AvocetModel **model) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(model));
    AVOCET_RETURN_IF_ERROR(needText(directory, "directory"));
    AVOCET_ASSIGN_OR_RETURN(const Options chosen, optionsOf(options));
    if (!cache::isArtefactDir(directory))
      return notFound(fmt::format("{}: holds no {}; make it with avocetModelSave() or 'avocet compile'", directory,
                                  cache::kModelFileName));
    network::ModelChoice choice;
    choice.path = directory;
    choice.target = chosen.choice.target;
    choice.trustData = chosen.choice.trustData;
    CallObserver observer(chosen);
    AVOCET_ASSIGN_OR_RETURN(*model, capi::loadModel(choice, chosen, observer));
    return Status::ok();
  });
}

AvocetError *avocetModelSave(const AvocetModel *model, const char *directory) {
  return guarded([&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<ModelTable>(model, "model"));
    AVOCET_RETURN_IF_ERROR(needText(directory, "directory"));
    if (found->loaded.divided)
      return unsupported("the host computes operators of this model, which artefacts do not hold; 'avocet compile "
                         "--partition' writes its parts");
    const cache::Artefacts &artefacts = found->loaded.artefacts;
    AVOCET_RETURN_IF_ERROR(cache::writeArtefacts(directory, artefacts.model->bytes(),
                                                 artefacts.data->bytes().first(artefacts.model->dataBytes())));
    return session::keepTargetFile(directory, found->target);
  });
}

const char *avocetModelName(const AvocetModel *model) {
  return valueOf<ModelTable>(model, "", [](const Model &each) { return each.name.c_str(); });
}

const char *avocetModelTarget(const AvocetModel *model) {
  return valueOf<ModelTable>(model, "", [](const Model &each) { return each.targetName.c_str(); });
}

uint64_t avocetModelPredictedCycles(const AvocetModel *model) {
  return valueOf<ModelTable>(model, uint64_t{0},
                             [](const Model &each) { return each.loaded.artefacts.model->predictedCycles(); });
}

size_t avocetModelTensorCount(const AvocetModel *model, AvocetRole role) {
  return valueOf<ModelTable>(model, size_t{0},
                             [role](const Model &each) { return tensorCount(*each.loaded.artefacts.model, role); });
}

AvocetError *avocetModelTensor(const AvocetModel *model, AvocetRole role, size_t index, AvocetTensor **tensor) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(tensor));
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<ModelTable>(model, "model"));
    AVOCET_RETURN_IF_ERROR(checkTensor(*found->loaded.artefacts.model, role, index));
    *tensor = tensorOf(*found, role, index);
    return Status::ok();
  });
}

AvocetError *avocetModelFindTensor(const AvocetModel *model, AvocetRole role, const char *name, AvocetTensor **tensor) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(tensor));
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<ModelTable>(model, "model"));
    AVOCET_RETURN_IF_ERROR(needText(name, "name of a tensor"));
    AVOCET_ASSIGN_OR_RETURN(const size_t index, findTensor(*found->loaded.artefacts.model, role, name));
    *tensor = tensorOf(*found, role, index);
    return Status::ok();
  });
}

void avocetModelDestroy(AvocetModel *model) { destroy<ModelTable>(model); }
