//===- Reflection.h - Walking the fields of commands ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for generic code over commands besides visitFields: which types have fields, the names of the values of an
// enumeration, the longest list, and the operation names. The codec, the printer and the `cmd` dialect use nothing
// else. A new command is therefore a struct, an entry in CommandBody, and a name here; a field of a new type also needs
// an overload in each of these.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_REFLECTION_H
#define AVOCET_FIRMWARE_IFACE_REFLECTION_H

#include "avocet/firmware_iface/Command.h"

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace avocet::firmware {

/// A struct with visitFields.
template <typename T>
concept Reflected = requires(T &value) { T::visitFields(value, [](const char *, auto &) {}); };

/// An enumeration in the encoding: values 0 to valueNames(E{}).size() - 1, each with a name.
template <typename T>
concept WireEnum = std::is_enum_v<T> && std::same_as<std::underlying_type_t<T>, uint32_t>;

/// A std::vector field.
template <typename T>
concept WireList = requires(T &list) {
  typename T::value_type;
  list.emplace_back();
  list.size();
};

std::span<const std::string_view> valueNames(DataType);
std::span<const std::string_view> valueNames(EngineKind);
std::span<const std::string_view> valueNames(ConvKind);
std::span<const std::string_view> valueNames(OutputScaling);
std::span<const std::string_view> valueNames(Rounding);
std::span<const std::string_view> valueNames(WeightFormat);
std::span<const std::string_view> valueNames(PoolKind);
std::span<const std::string_view> valueNames(EltwiseKind);
std::span<const std::string_view> valueNames(DmaKind);

/// Name of a value ("depthwise"), or "?" for any other number.
template <WireEnum E> std::string_view valueName(E value) {
  std::span<const std::string_view> names = valueNames(value);
  auto number = static_cast<uint32_t>(value);
  return number < names.size() ? names[number] : "?";
}

namespace detail {

/// Converts to the type of any field.
struct AnyField {
  template <typename T> constexpr operator T() const;
};

template <typename T, size_t... indices> consteval bool takesFields(std::index_sequence<indices...>) {
  return requires { T{(static_cast<void>(indices), AnyField())...}; };
}

/// Number of members of an aggregate: the most initializers that it takes.
template <typename T, size_t count = 0> consteval size_t countFields() {
  if constexpr (takesFields<T>(std::make_index_sequence<count + 1>()))
    return countFields<T, count + 1>();
  else
    return count;
}

} // namespace detail

/// Whether visitFields of T, and of each struct in it, lists every member. False for a struct without visitFields.
template <typename T> consteval bool listsAllFields() {
  if constexpr (WireList<T>) {
    return listsAllFields<typename T::value_type>();
  } else if constexpr (Reflected<T>) {
    T value{};
    size_t listed = 0;
    bool areComplete = true;
    T::visitFields(value, [&]<typename Field>(const char *, Field &) {
      ++listed;
      areComplete &= listsAllFields<Field>();
    });
    return areComplete && listed == detail::countFields<T>();
  } else {
    return std::is_scalar_v<T> || std::is_same_v<T, SramAddress>;
  }
}

/// The same for all alternatives of a variant.
template <typename Variant> consteval bool alternativesListAllFields() {
  return []<size_t... indices>(std::index_sequence<indices...>) {
    return (listsAllFields<std::variant_alternative_t<indices, Variant>>() && ...);
  }(std::make_index_sequence<std::variant_size_v<Variant>>());
}

/// Longest list of T in a command.
template <typename T>
inline constexpr uint32_t kMaxListLength = Reflected<T> ? DspCommand::kMaxDspOperands : DspCommand::kMaxDspParameters;

/// The stable operation names, by operation code.
inline constexpr std::array<std::string_view, std::variant_size_v<CommandBody>> kOperationNames = {
    "end", "wait", "signal", "yield", "dma", "conv", "pool", "eltwise", "lookup", "dsp"};

/// Calls function(std::integral_constant<size_t, code>) for alternative number `code` of a variant; false if there is
/// none.
template <typename Variant, typename Function> bool withAlternative(size_t code, Function &&function) {
  return [&]<size_t... indices>(std::index_sequence<indices...>) {
    return ((code == indices && (function(std::integral_constant<size_t, indices>{}), true)) || ...);
  }(std::make_index_sequence<std::variant_size_v<Variant>>{});
}

/// The same for the command type with operation code `code`.
template <typename Function> bool withOperation(size_t code, Function &&function) {
  return withAlternative<CommandBody>(code, std::forward<Function>(function));
}

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_REFLECTION_H
