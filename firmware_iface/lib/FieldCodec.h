//===- FieldCodec.h - Fields of commands as words ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writing and reading reflected structs field by field, as Codec.h describes. The codecs of command streams and control
// programs share it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_FIELDCODEC_H
#define AVOCET_FIRMWARE_IFACE_LIB_FIELDCODEC_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Reflection.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::firmware {

/// Layout of a header word: operation code in the low bits, length in words above.
inline constexpr uint32_t kCodeBits = 8;
inline constexpr uint32_t kCodeMask = (1u << kCodeBits) - 1;
inline constexpr size_t kMaxDepth = 4; ///< nesting of fields: list, entry, field, and one spare

/// A struct that a command may lack. On the wire a word of 0 stands for its defaults; a 1 precedes other fields.
template <typename T>
concept OptionalPart = Reflected<T> && requires(const T &part) { part.isPresent(); };

/// Appends the words of each field.
class FieldWriter {
public:
  explicit FieldWriter(std::vector<uint32_t> &words) : words_(words) {}

  void operator()(const char *, uint32_t value) { words_.push_back(value); }
  void operator()(const char *, int32_t value) { words_.push_back(static_cast<uint32_t>(value)); }
  void operator()(const char *, uint64_t value) {
    words_.push_back(static_cast<uint32_t>(value));
    words_.push_back(static_cast<uint32_t>(value >> 32));
  }
  void operator()(const char *, SramAddress value) { words_.push_back(value.offset); }
  template <WireEnum E> void operator()(const char *, E value) { words_.push_back(static_cast<uint32_t>(value)); }
  template <Reflected T> void operator()(const char *, const T &value) { T::visitFields(value, *this); }
  template <OptionalPart T> void operator()(const char *, const T &value) {
    words_.push_back(value == T{} ? 0 : 1);
    if (value != T{})
      T::visitFields(value, *this);
  }
  template <WireList L> void operator()(const char *name, const L &list) {
    words_.push_back(static_cast<uint32_t>(list.size()));
    for (const auto &element : list)
      (*this)(name, element);
  }

private:
  std::vector<uint32_t> &words_;
};

/// Reads the fields of one command in order. The first error is kept and stops all later reads. Keeps the path to the
/// current field for the message.
class FieldReader {
public:
  FieldReader(std::span<const uint32_t> words, size_t position, size_t end, std::string_view operation)
      : words_(words), position_(position), end_(end), operation_(operation) {}

  void operator()(const char *name, uint32_t &value) {
    Scope scope(*this, name);
    next(value);
  }
  void operator()(const char *name, int32_t &value) {
    Scope scope(*this, name);
    if (uint32_t word; next(word))
      value = static_cast<int32_t>(word);
  }
  void operator()(const char *name, uint64_t &value) {
    Scope scope(*this, name);
    if (uint32_t low, high; next(low) && next(high))
      value = uint64_t{high} << 32 | low;
  }
  void operator()(const char *name, SramAddress &value) { (*this)(name, value.offset); }
  template <WireEnum E> void operator()(const char *name, E &value) {
    Scope scope(*this, name);
    uint32_t word;
    if (!next(word))
      return;
    size_t count = valueNames(value).size();
    if (word >= count)
      return fail(position_ - 1, fmt::format("is {}, must be 0 to {}", word, count - 1));
    value = static_cast<E>(word);
  }
  template <Reflected T> void operator()(const char *name, T &value) {
    Scope scope(*this, name);
    T::visitFields(value, *this);
  }
  template <OptionalPart T> void operator()(const char *name, T &value) {
    Scope scope(*this, name);
    uint32_t present;
    if (!next(present) || present == 0)
      return;
    const size_t first = position_ - 1;
    if (present != 1)
      return fail(first, fmt::format("begins with {}, must begin with 0 or 1", present));
    T::visitFields(value, *this);
    if (status_.isOk() && value == T{})
      fail(first, "has all fields at their defaults, must be absent then");
  }
  template <WireList L> void operator()(const char *name, L &list) {
    Scope scope(*this, name);
    uint32_t count;
    if (!next(count))
      return;
    constexpr uint32_t kLimit = kMaxListLength<typename L::value_type>;
    if (count > kLimit)
      return fail(position_ - 1, fmt::format("has {} entries, at most {} are allowed", count, kLimit));
    for (uint32_t i = 0; i < count && status_.isOk(); ++i)
      (*this)("entry", list.emplace_back());
  }

  /// Ok if all fields were present and no words are left.
  Status finish() {
    if (status_.isOk() && position_ != end_)
      fail(position_, fmt::format("must end here, but its length includes {} more words", end_ - position_));
    return status_;
  }

private:
  class Scope {
  public:
    Scope(FieldReader &reader, const char *name) : reader_(reader) { reader.path_[reader.depth_++] = name; }
    ~Scope() { --reader_.depth_; }

  private:
    FieldReader &reader_;
  };

  bool next(uint32_t &value) {
    if (!status_.isOk())
      return false;
    if (position_ == end_) {
      fail(position_, "is beyond the end of the command");
      return false;
    }
    value = words_[position_++];
    return true;
  }

  void fail(size_t word, std::string_view rule) {
    std::string path(operation_);
    for (const char *part : std::span(path_).first(depth_))
      path.append(".").append(part);
    status_ = dataLoss(fmt::format("word {}: {} {}", word, path, rule));
  }

  std::span<const uint32_t> words_;
  size_t position_;
  size_t end_;
  std::string_view operation_;
  std::array<const char *, kMaxDepth> path_;
  size_t depth_ = 0;
  Status status_;
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_FIELDCODEC_H
