//===- CallObserver.h - The call-backs of a caller --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CAPI_LIB_CALLOBSERVER_H
#define AVOCET_RUNTIME_CAPI_LIB_CALLOBSERVER_H

#include "Objects.h"
#include "avocet/network/Observer.h"

namespace avocet::capi {

/// Calls what the caller has set, and keeps the last answer of the compiler for its error.
class CallObserver final : public network::Observer {
public:
  explicit CallObserver(const Options &options) : options_(options) {}

  void stage(std::string_view text) override { tell(std::string(text), 0, 0); }
  void update(std::string_view text) override { stage(text); }
  void phase(std::string_view model, std::string_view phase, uint32_t index, uint32_t count) override;
  bool isCancelled() override { return options_.cancelled && options_.cancelled(options_.cancelledUser) != 0; }
  void answered(const compiler::LoadedCompiler &compiler, const compiler::CompileRequest &request,
                compiler::CompileResult &result) override;

  /// The failure of a call about a network, with the reasons and messages of the compiler.
  Error errorOf(const Status &failure, const network::ModelChoice &choice) const;

private:
  void tell(const std::string &text, uint32_t done, uint32_t total);

  const Options &options_;
  compiler::Verdict last_;
};

} // namespace avocet::capi

#endif // AVOCET_RUNTIME_CAPI_LIB_CALLOBSERVER_H
