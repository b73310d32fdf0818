//===- HeldAnswers.h - Answers that may not concern the user ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_NETWORK_LIB_HELDANSWERS_H
#define AVOCET_RUNTIME_NETWORK_LIB_HELDANSWERS_H

#include "avocet/network/Observer.h"

#include <optional>

namespace avocet::network {

/// Passes on what the work does, and holds the first answer of the compiler with refusals: the network is then divided,
/// and its refusals concern the user only if that fails, too.
class HeldAnswers final : public Observer {
public:
  explicit HeldAnswers(Observer &next) : next_(next) {}

  void stage(std::string_view text) override { next_.stage(text); }
  void update(std::string_view text) override { next_.update(text); }
  void phase(std::string_view model, std::string_view phase, uint32_t index, uint32_t count) override {
    next_.phase(model, phase, index, count);
  }
  void clear() override { next_.clear(); }
  bool isCancelled() override { return next_.isCancelled(); }
  void beforeCompiler() override { next_.beforeCompiler(); }
  void answered(const compiler::LoadedCompiler &compiler, const compiler::CompileRequest &request,
                compiler::CompileResult &result) override {
    if (result.status.code() != StatusCode::Unsupported)
      next_.answered(compiler, request, result);
    else if (!held_)
      hold(compiler, request, result);
  }

  /// Gives the answer that is held to the observer.
  void release() {
    if (held_)
      next_.answered(held_->compiler, held_->request, held_->result);
  }

private:
  struct Held {
    compiler::LoadedCompiler compiler;
    compiler::CompileRequest request;
    compiler::CompileResult result;
  };

  /// Without the call-backs of the request, which refer to the call that ends.
  void hold(const compiler::LoadedCompiler &compiler, compiler::CompileRequest request,
            const compiler::CompileResult &result) {
    request.progress = {};
    request.cancelled = {};
    request.alternative = {};
    held_.emplace(Held{compiler, std::move(request), result});
  }

  Observer &next_;
  std::optional<Held> held_;
};

} // namespace avocet::network

#endif // AVOCET_RUNTIME_NETWORK_LIB_HELDANSWERS_H
