//===- Operators.cpp - Operators that the application computes --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "avocet/session/HostOperator.h"

#include <fmt/format.h>
#include <mutex>

namespace avocet::capi {
namespace {

/// What the call-back sees of one call of a session. Threads of the application may share it, and keep its handle too
/// long: then it has no tensors.
class Call {
public:
  explicit Call(const session::HostCall &host) : name(host.name), host_(&host) {}

  const std::string name; ///< with a zero byte

  /// `use` of the session's call; `otherwise` after its end.
  template <typename T, typename Use> T with(T otherwise, const Use &use) {
    std::lock_guard lock(mutex_);
    return host_ ? static_cast<T>(use(*host_)) : otherwise;
  }
  AvocetTensor *tensor(AvocetRole role, size_t index);
  void setMessage(const char *message) {
    std::lock_guard lock(mutex_);
    message_ = message ? message : "";
  }
  std::string message() {
    std::lock_guard lock(mutex_);
    return message_;
  }
  void end() {
    std::lock_guard lock(mutex_);
    host_ = nullptr;
    handles_ = nullptr;
  }

private:
  std::mutex mutex_; ///< before those of handle tables; guards all below
  const session::HostCall *host_;
  std::unique_ptr<TensorHandles> handles_ = std::make_unique<TensorHandles>();
  std::string message_;
};

std::span<const session::CallTensor> tensorsOf(const session::HostCall &host, AvocetRole role) {
  if (role == AVOCET_INPUT)
    return host.inputs;
  return role == AVOCET_OUTPUT ? host.outputs : std::span<const session::CallTensor>();
}

/// Null: there is none.
AvocetTensor *Call::tensor(AvocetRole role, size_t index) {
  std::lock_guard lock(mutex_);
  if (!host_ || index >= tensorsOf(*host_, role).size())
    return nullptr;
  const session::CallTensor &found = tensorsOf(*host_, role)[index];
  return handles_->get(role, index,
                       [&] { return Tensor{found.view, host_->owner, {}, role, index, found.bytes.data()}; });
}

using CallTable = HandleTable<AvocetCall, Call, HandleKind::Call>;

/// The end of a call, also by an exception.
class OpenCall {
public:
  explicit OpenCall(const session::HostCall &host)
      : call_(std::make_shared<Call>(host)), handle_(table<CallTable>().add(call_)) {}
  OpenCall(const OpenCall &) = delete;
  OpenCall &operator=(const OpenCall &) = delete;
  ~OpenCall() {
    destroy<CallTable>(handle_);
    call_->end();
  }

  AvocetCall *handle() const { return handle_; }
  std::string message() const { return call_->message(); }

private:
  const std::shared_ptr<Call> call_;
  AvocetCall *const handle_;
};

Status statusOf(AvocetCode code, std::string message) {
  if (code == AVOCET_OK)
    return Status::ok();
  const bool isKnown = code > AVOCET_OK && code <= AVOCET_INTERNAL;
  if (message.empty())
    message = fmt::format("its call-back failed with code {}", code);
  return {static_cast<StatusCode>(isKnown ? code : AVOCET_INTERNAL), std::move(message)};
}

session::HostOperator operatorOf(AvocetOperator compute, void *user) {
  return [compute, user](const session::HostCall &host) {
    const OpenCall call(host);
    const AvocetCode code = compute(user, call.handle());
    return statusOf(code, call.message());
  };
}

} // namespace
} // namespace avocet::capi

using namespace avocet;
using namespace avocet::capi;

AvocetError *avocetOptionsSetOperator(AvocetOptions *options, const char *name, AvocetOperator compute, void *user) {
  return guarded([&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<OptionsTable>(options, "options"));
    AVOCET_RETURN_IF_ERROR(needText(name, "name of an operator"));
    if (*name == '\0')
      return invalidArgument("the name of the operator is empty");
    if (compute)
      found->choice.operators.insert_or_assign(name, operatorOf(compute, user));
    else
      found->choice.operators.erase(name);
    return Status::ok();
  });
}

const char *avocetCallName(const AvocetCall *call) {
  return valueOf<CallTable>(call, "", [](const Call &each) { return each.name.c_str(); });
}

size_t avocetCallTensorCount(const AvocetCall *call, AvocetRole role) {
  return valueOf<CallTable>(call, size_t{0}, [role](Call &each) {
    return each.with(size_t{0}, [role](const session::HostCall &host) { return tensorsOf(host, role).size(); });
  });
}

AvocetError *avocetCallTensor(const AvocetCall *call, AvocetRole role, size_t index, AvocetTensor **tensor) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(tensor));
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<CallTable>(call, "call"));
    *tensor = found->tensor(role, index);
    return *tensor ? Status::ok()
                   : invalidArgument(fmt::format("'{}' has no tensor {} of role {}", found->name, index, role));
  });
}

const void *avocetCallAttributes(const AvocetCall *call, size_t *size) {
  std::span<const uint8_t> bytes;
  (void)valueOf<CallTable>(call, 0, [&](Call &each) {
    return each.with(0, [&](const session::HostCall &host) {
      bytes = host.attributes;
      return 0;
    });
  });
  if (size)
    *size = bytes.size();
  return bytes.empty() ? nullptr : bytes.data();
}

void avocetCallSetMessage(AvocetCall *call, const char *message) {
  (void)valueOf<CallTable>(call, 0, [message](Call &each) {
    each.setMessage(message);
    return 0;
  });
}
