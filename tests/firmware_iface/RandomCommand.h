//===- RandomCommand.h - Commands of any content ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_RANDOMCOMMAND_H
#define AVOCET_TESTS_FIRMWARE_IFACE_RANDOMCOMMAND_H

#include "avocet/firmware_iface/Reflection.h"

#include <random>

namespace avocet::firmware {

/// Fills every field with a legal value: enumerations in range, lists within their limits, numbers from the whole range
/// of their type with a preference for its ends. The same seed gives the same commands everywhere.
class RandomFields {
public:
  explicit RandomFields(uint32_t seed) : engine_(seed) {}

  /// 0 to bound - 1.
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(engine_() % bound); }

  void operator()(const char *, uint32_t &value) { value = static_cast<uint32_t>(number()); }
  void operator()(const char *, int32_t &value) { value = static_cast<int32_t>(number()); }
  void operator()(const char *, uint64_t &value) { value = number(); }
  void operator()(const char *name, SramAddress &value) { (*this)(name, value.offset); }
  template <WireEnum E> void operator()(const char *, E &value) {
    value = static_cast<E>(below(static_cast<uint32_t>(valueNames(value).size())));
  }
  template <Reflected T> void operator()(const char *, T &value) { T::visitFields(value, *this); }
  template <WireList L> void operator()(const char *name, L &list) {
    constexpr uint32_t kLimit = kMaxListLength<typename L::value_type>;
    list.resize(below(8) == 0 ? kLimit : below(5));
    for (auto &element : list)
      (*this)(name, element);
  }

  Command command() {
    Command command;
    (*this)("layer", command.layer);
    withOperation(below(std::variant_size_v<CommandBody>), [&](auto code) {
      auto &body = command.body.template emplace<code>();
      body.visitFields(body, *this);
    });
    return command;
  }

private:
  uint64_t number() {
    switch (below(4)) {
    case 0:
      return below(3);
    case 1:
      return ~uint64_t{below(3)};
    case 2:
      return below(4096);
    default:
      return engine_();
    }
  }

  std::mt19937_64 engine_;
};

} // namespace avocet::firmware

#endif // AVOCET_TESTS_FIRMWARE_IFACE_RANDOMCOMMAND_H
