//===- Message.h - Requests and answers as bytes ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs with fields (Fields.h) as bytes, for peers on the same machine. A struct is the list of its fields that do
// not have their default: length of the name, name, length of the value, value. A value is:
//   number, enumeration  8 bytes
//   text                 its bytes
//   span of bytes        16 bytes: where the peer finds it, which the border decides
//   list                 each element after its length
//   optional             nothing, or the value
//   Status, Result       code, then the message or the value
// Readers check every length and number, so that the bytes may come from a hostile peer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_MESSAGE_H
#define AVOCET_COMPILER_MESSAGE_H

#include "avocet/compiler/Fields.h"

#include <bit>
#include <cstring>

namespace avocet::compiler::message {

using Bytes = std::vector<uint8_t>;
using View = std::span<const uint8_t>;

/// Where a border puts bytes that are not part of the message.
struct Place {
  uint64_t start = 0;
  uint64_t size = 0;
};

/// What a reader does with a field that it does not know: a request must be refused, since the reader would do
/// something else; of an answer, the rest still holds.
enum class Unknown { Refuse, Skip };

/// A Border has `kHasCalls`: whether functions pass it (otherwise they are left out), `Place lend(View)` for a writer,
/// and `Result<View> find(Place)` for a reader. It is borrowed.
template <typename Border> struct Writer {
  Border &border;
  Bytes bytes = {};

  void append(const void *data, size_t size) {
    const auto *first = static_cast<const uint8_t *>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

template <typename Border> struct Reader {
  Border &border;
  Unknown unknown = Unknown::Refuse;
};

/// Of a list that is read, so that a peer cannot exhaust memory with elements of few bytes.
inline constexpr size_t kMostElements = 1'000'000;

template <typename T>
concept IsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <typename T> inline constexpr bool kIsOptional = false;
template <typename T> inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T> inline constexpr bool kIsFunction = false;
template <typename T> inline constexpr bool kIsFunction<std::function<T>> = true;

template <typename T> inline constexpr bool kIsList = false;
template <typename T> inline constexpr bool kIsList<std::vector<T>> = true;
template <> inline constexpr bool kIsList<View> = true;

/// Appends a value after its length.
template <typename Border, typename T> void putSized(Writer<Border> &to, const T &value) {
  uint32_t size = 0;
  const size_t start = to.bytes.size() + sizeof(size);
  to.append(&size, sizeof(size));
  put(to, value);
  size = static_cast<uint32_t>(to.bytes.size() - start);
  std::memcpy(to.bytes.data() + start - sizeof(size), &size, sizeof(size));
}

template <typename Border, IsNumber T> void put(Writer<Border> &to, const T &value) {
  uint64_t word = 0;
  if constexpr (std::is_floating_point_v<T>)
    word = std::bit_cast<uint64_t>(static_cast<double>(value));
  else
    word = static_cast<uint64_t>(value);
  to.append(&word, sizeof(word));
}

template <typename Border> void put(Writer<Border> &to, std::string_view text) { to.append(text.data(), text.size()); }

template <typename Border> void put(Writer<Border> &to, const View &block) {
  const Place place = to.border.lend(block);
  to.append(&place, sizeof(place));
}

template <typename Border, typename T> void put(Writer<Border> &to, const std::vector<T> &list) {
  for (const T &element : list)
    putSized(to, element);
}

template <typename Border, typename T> void put(Writer<Border> &to, const std::optional<T> &value) {
  if (value)
    put(to, *value);
}

template <typename Border> void put(Writer<Border> &to, const Status &status) {
  put(to, status.code());
  put(to, std::string_view(status.message()));
}

template <typename Border, typename T> void put(Writer<Border> &to, const Result<T> &result) {
  if (!result)
    return put(to, result.status());
  put(to, StatusCode::Ok);
  put(to, *result);
}

/// Whether a member has the value that a reader assumes for a field that is not there.
template <typename T> bool isDefault(const T &value, const T &unset) {
  if constexpr (kIsFunction<T> || kIsOptional<T>)
    return !value;
  else if constexpr (kIsList<T>)
    return value.empty();
  else
    return value == unset;
}

template <typename Border, HasFields T> void put(Writer<Border> &to, const T &value) {
  static const T kUnset{};
  const auto putField = [&](const auto &field) {
    using Member = std::remove_cvref_t<decltype(value.*field.member)>;
    if constexpr (!kIsFunction<Member> || Border::kHasCalls)
      if (!isDefault(value.*field.member, kUnset.*field.member)) {
        putSized(to, field.name);
        putSized(to, value.*field.member);
      }
  };
  std::apply([&](const auto &...fields) { (putField(fields), ...); }, kFields<T>);
}

/// Takes the first element of a list.
inline Result<View> takeSized(View &bytes) {
  uint32_t size = 0;
  if (bytes.size() < sizeof(size))
    return dataLoss("ends inside a length");
  std::memcpy(&size, bytes.data(), sizeof(size));
  bytes = bytes.subspan(sizeof(size));
  if (bytes.size() < size)
    return dataLoss("has " + std::to_string(bytes.size()) + " bytes of " + std::to_string(size));
  const View taken = bytes.first(size);
  bytes = bytes.subspan(size);
  return taken;
}

inline std::string_view textOf(View bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }

template <typename Border, IsNumber T> Status get(const Reader<Border> &, View bytes, T &value) {
  uint64_t word = 0;
  if (bytes.size() != sizeof(word))
    return dataLoss("has " + std::to_string(bytes.size()) + " bytes, must be a number");
  std::memcpy(&word, bytes.data(), sizeof(word));
  if constexpr (std::is_floating_point_v<T>)
    value = static_cast<T>(std::bit_cast<double>(word));
  else
    value = static_cast<T>(word);
  bool isValid = true;
  if constexpr (std::is_enum_v<T>)
    isValid = word <= static_cast<uint64_t>(kLast<T>);
  else if constexpr (std::is_integral_v<T>)
    isValid = static_cast<uint64_t>(value) == word;
  return isValid ? Status::ok() : dataLoss("is " + std::to_string(word));
}

template <typename Border> Status get(const Reader<Border> &, View bytes, std::string &text) {
  text = textOf(bytes);
  return Status::ok();
}

/// Points into the message.
template <typename Border> Status get(const Reader<Border> &, View bytes, std::string_view &text) {
  text = textOf(bytes);
  return Status::ok();
}

template <typename Border> Status get(const Reader<Border> &from, View bytes, View &block) {
  Place place;
  if (bytes.size() != sizeof(place))
    return dataLoss("has " + std::to_string(bytes.size()) + " bytes, must be a place in the data");
  std::memcpy(&place, bytes.data(), sizeof(place));
  AVOCET_ASSIGN_OR_RETURN(block, from.border.find(place));
  return Status::ok();
}

template <typename Border, typename T> Status get(const Reader<Border> &from, View bytes, std::vector<T> &list) {
  while (!bytes.empty()) {
    if (list.size() == kMostElements)
      return dataLoss("has more than " + std::to_string(kMostElements) + " elements");
    AVOCET_ASSIGN_OR_RETURN(const View element, takeSized(bytes));
    AVOCET_RETURN_IF_ERROR(get(from, element, list.emplace_back()));
  }
  return Status::ok();
}

template <typename Border, typename T> Status get(const Reader<Border> &from, View bytes, std::optional<T> &value) {
  return get(from, bytes, value.emplace());
}

template <typename Border> Status get(const Reader<Border> &from, View bytes, Status &status) {
  StatusCode code = StatusCode::Ok;
  AVOCET_RETURN_IF_ERROR(get(from, bytes.first(std::min(bytes.size(), sizeof(uint64_t))), code));
  if (code != StatusCode::Ok)
    status = Status(code, std::string(textOf(bytes.subspan(sizeof(uint64_t)))));
  return Status::ok();
}

template <typename Border, typename T> Status get(const Reader<Border> &from, View bytes, Result<T> &result) {
  Status status;
  AVOCET_RETURN_IF_ERROR(get(from, bytes, status));
  if (!status.isOk()) {
    result = std::move(status);
    return Status::ok();
  }
  T value{};
  AVOCET_RETURN_IF_ERROR(get(from, bytes.subspan(sizeof(uint64_t)), value));
  result = std::move(value);
  return Status::ok();
}

/// Reads the field of this name, if the struct has it.
template <typename Border, HasFields T>
Status getField(const Reader<Border> &from, std::string_view name, View bytes, T &value) {
  Status status = from.unknown == Unknown::Skip ? Status::ok() : unsupported("is not known");
  const auto read = [&](const auto &field) {
    using Member = std::remove_cvref_t<decltype(value.*field.member)>;
    if constexpr (!kIsFunction<Member> || Border::kHasCalls)
      if (field.name == name)
        status = get(from, bytes, value.*field.member);
  };
  std::apply([&](const auto &...fields) { (read(fields), ...); }, kFields<T>);
  return std::move(status).withContext(name);
}

template <typename Border, HasFields T> Status get(const Reader<Border> &from, View bytes, T &value) {
  while (!bytes.empty()) {
    AVOCET_ASSIGN_OR_RETURN(const View name, takeSized(bytes));
    AVOCET_ASSIGN_OR_RETURN(const View field, takeSized(bytes));
    AVOCET_RETURN_IF_ERROR(getField(from, textOf(name), field, value));
  }
  return Status::ok();
}

} // namespace avocet::compiler::message

#endif // AVOCET_COMPILER_MESSAGE_H
