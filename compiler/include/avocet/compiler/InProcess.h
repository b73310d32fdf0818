//===- InProcess.h - Messages between program and library -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides of the interface of CompilerAbi.h: ask() for programs, serve() for libraries. Functions of requests can be
// called through it; their arguments and results are messages, too.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_INPROCESS_H
#define AVOCET_COMPILER_INPROCESS_H

#include "avocet/compiler/CompilerAbi.h"
#include "avocet/compiler/Message.h"

#include <bit>
#include <exception>

namespace avocet::compiler::message {

/// Bytes stay where they are, and functions can be called.
struct InProcess {
  static constexpr bool kHasCalls = true;
  static Place lend(View bytes) { return {reinterpret_cast<uintptr_t>(bytes.data()), bytes.size()}; }
  static Result<View> find(Place place) { return View(std::bit_cast<const uint8_t *>(place.start), place.size); }
};

template <typename... Values> Bytes bytesOf(const Values &...values) {
  InProcess border;
  Writer<InProcess> writer{border};
  (put(writer, values), ...);
  return std::move(writer.bytes);
}

template <typename T> Status read(View bytes, Unknown unknown, T &value) {
  InProcess border;
  return get(Reader<InProcess>{border, unknown}, bytes, value);
}

inline AvocetBytes toAbi(View bytes) { return {bytes.data(), bytes.size()}; }
inline View fromAbi(AvocetBytes bytes) { return {bytes.data, bytes.size}; }

/// The arguments of a call are a list of values; those that `Arguments` does not have are ignored.
template <typename R, typename... Arguments>
void serveCall(const void *function, AvocetBytes bytes, AvocetGive give, void *sink) {
  std::tuple<std::remove_cvref_t<Arguments>...> arguments;
  View rest = fromAbi(bytes);
  const auto take = [&rest](auto &argument) {
    if (const Result<View> value = takeSized(rest))
      (void)read(*value, Unknown::Skip, argument).isOk(); // an enumerator that is not known yet stays a default
  };
  std::apply([&](auto &...each) { (take(each), ...); }, arguments);
  const auto &called = *static_cast<const std::function<R(Arguments...)> *>(function);
  if constexpr (std::is_void_v<R>)
    std::apply(called, arguments);
  else
    give(sink, toAbi(bytesOf(std::apply(called, arguments))));
}

template <typename R, typename... Arguments>
void put(Writer<InProcess> &to, const std::function<R(Arguments...)> &function) {
  const AvocetCall call = serveCall<R, Arguments...>;
  const uint64_t addresses[] = {reinterpret_cast<uintptr_t>(call), reinterpret_cast<uintptr_t>(&function)};
  to.append(addresses, sizeof(addresses));
}

/// What a result is before the peer gives it.
template <typename R> R noResult() {
  if constexpr (std::is_default_constructible_v<R>)
    return R();
  else
    return internalError("the function gave no result");
}

template <typename R, typename... Arguments>
Status get(const Reader<InProcess> &, View bytes, std::function<R(Arguments...)> &function) {
  uint64_t addresses[2] = {};
  if (bytes.size() != sizeof(addresses))
    return dataLoss("has " + std::to_string(bytes.size()) + " bytes, must be a function");
  std::memcpy(addresses, bytes.data(), sizeof(addresses));
  function = [call = std::bit_cast<AvocetCall>(addresses[0]),
              of = std::bit_cast<const void *>(addresses[1])](Arguments... arguments) -> R {
    InProcess border;
    Writer<InProcess> writer{border};
    (putSized(writer, arguments), ...);
    if constexpr (std::is_void_v<R>) {
      call(of, toAbi(writer.bytes), nullptr, nullptr);
    } else {
      R result = noResult<R>();
      const AvocetGive give = [](void *sink, AvocetBytes given) {
        (void)read(fromAbi(given), Unknown::Skip, *static_cast<R *>(sink)).isOk();
      };
      call(of, toAbi(writer.bytes), give, &result);
      return result;
    }
  };
  return Status::ok();
}

/// The answer of a library to a request; its spans are valid while its storage exists.
template <typename Answer, typename Request>
Answer ask(const AvocetCompilerApi &api, AvocetQuestion question, const Request &request) {
  const std::shared_ptr<const AvocetAnswer> asked(question(toAbi(bytesOf(request))), api.destroy);
  Answer answer;
  if (Status status = read(fromAbi(asked->message), Unknown::Skip, answer); !status.isOk())
    answer.status = internalError("the answer of the compiler " + std::string(api.compilerVersion) +
                                  " cannot be read: " + status.message());
  answer.storage = asked;
  return answer;
}

/// An answer with the storage of its bytes.
struct ServedAnswer : AvocetAnswer {
  Bytes bytes;
  std::shared_ptr<const void> storage;
};

inline void destroyAnswer(const AvocetAnswer *answer) { delete static_cast<const ServedAnswer *>(answer); }

/// The standard library throws when memory runs out; exceptions must not cross the C interface.
template <typename Answer, typename Request>
Answer answerNoThrow(Answer (&function)(const Request &), View message) noexcept {
  Request request;
  try {
    Status status = read(message, Unknown::Refuse, request);
    if (status.isOk())
      return function(request);
    return failedAnswer<Answer>(
        failedPrecondition("this compiler cannot do what is asked for, it may be older than the program; "
                           "of the request: " +
                           status.message()));
  } catch (const std::bad_alloc &) {
    return failedAnswer<Answer>(resourceExhausted("out of memory"));
  } catch (const std::exception &error) {
    return failedAnswer<Answer>(internalError(request.modelPath + ": internal error of the compiler: " + error.what()));
  }
}

/// An AvocetQuestion that calls the function, such as compile().
template <auto &function> const AvocetAnswer *serve(AvocetBytes request) {
  auto answer = answerNoThrow(function, fromAbi(request));
  auto served = std::make_unique<ServedAnswer>();
  served->bytes = bytesOf(answer);
  served->message = toAbi(served->bytes);
  served->storage = std::move(answer.storage);
  return served.release();
}

} // namespace avocet::compiler::message

#endif // AVOCET_COMPILER_INPROCESS_H
