//===- Options.cpp - Sets of options --------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "OptionTable.h"
#include "avocet/base/Knobs.h"

namespace avocet::capi {

static Status changeTarget(Options &options) {
  const std::string &name = options.choice.target;
  AVOCET_ASSIGN_OR_RETURN(const auto target, firmware::Target::load(name.empty() ? knobText(knobs::kTarget) : name));
  AVOCET_ASSIGN_OR_RETURN(const std::string text,
                          firmware::changedTargetText(*target, options.targetChanges, target->name() + "-changed",
                                                      "changed by the application"));
  return setTargetText(options, text);
}

Result<Options> optionsOf(const AvocetOptions *options) {
  if (!options)
    return Options{};
  AVOCET_ASSIGN_OR_RETURN(const auto found, need<OptionsTable>(options, "options"));
  Options chosen = *found;
  if (!chosen.targetChanges.empty())
    AVOCET_RETURN_IF_ERROR(changeTarget(chosen).withContext("option target-change"));
  return chosen;
}

} // namespace avocet::capi

using namespace avocet;
using namespace avocet::capi;

AvocetError *avocetOptionsCreate(AvocetOptions **options) {
  return guarded([&] {
    AVOCET_RETURN_IF_ERROR(clearResult(options));
    *options = table<OptionsTable>().add(std::make_shared<Options>());
    return Status::ok();
  });
}

AvocetError *avocetOptionsSet(AvocetOptions *options, const char *name, const char *value) {
  return guarded([&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<OptionsTable>(options, "options"));
    AVOCET_RETURN_IF_ERROR(needText(name, "name of an option"));
    AVOCET_RETURN_IF_ERROR(needText(value, "value"));
    return setOption(*found, name, value);
  });
}

AvocetError *avocetOptionsSetProgress(AvocetOptions *options, AvocetProgress progress, void *user) {
  return guarded([&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<OptionsTable>(options, "options"));
    found->progress = progress;
    found->progressUser = user;
    return Status::ok();
  });
}

AvocetError *avocetOptionsSetCancelled(AvocetOptions *options, AvocetCancelled cancelled, void *user) {
  return guarded([&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<OptionsTable>(options, "options"));
    found->cancelled = cancelled;
    found->cancelledUser = user;
    return Status::ok();
  });
}

const char *avocetOptionName(size_t index) {
  return index < optionTable().size() ? optionTable()[index].name : nullptr;
}

const char *avocetOptionHelp(size_t index) {
  return index < optionTable().size() ? optionTable()[index].help : nullptr;
}

void avocetOptionsDestroy(AvocetOptions *options) { destroy<OptionsTable>(options); }
