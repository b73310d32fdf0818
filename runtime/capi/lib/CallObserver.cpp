//===- CallObserver.cpp - The call-backs of a caller ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallObserver.h"

#include "Reasons.h"
#include "avocet/documents/Diagnostics.h"

#include <fmt/format.h>

namespace avocet::capi {

void CallObserver::tell(const std::string &text, uint32_t done, uint32_t total) {
  if (options_.progress)
    options_.progress(options_.progressUser, text.c_str(), done, total);
}

void CallObserver::phase(std::string_view model, std::string_view phase, uint32_t index, uint32_t count) {
  tell(fmt::format("compiling {}: {}", model, phase), index, count);
}

void CallObserver::answered(const compiler::LoadedCompiler & /*compiler*/, const compiler::CompileRequest & /*request*/,
                            compiler::CompileResult &result) {
  last_ = result;
}

Error CallObserver::errorOf(const Status &failure, const network::ModelChoice &choice) const {
  Error error{static_cast<AvocetCode>(failure.code()), failure.message()};
  if (last_.status.isOk())
    return error;
  error.reasons = reasonsOf(documents::presentRefusals(last_, choice));
  error.json = documents::diagnosticsJson(last_);
  return error;
}

} // namespace avocet::capi
