//===- FileHook.h - What happens to a file between two system calls -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces pread() and pwrite() of the test program, so that a test can change a file at the one moment that matters:
// after it was read and before it is used. A thread that rewrites the file all the time hits that moment by chance
// only.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CACHE_FILEHOOK_H
#define AVOCET_TESTS_CACHE_FILEHOOK_H

#include "avocet/base/File.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace avocet::test {

/// While it lives, `action` runs after each positional read (or write) of the file, whatever descriptor was used, on
/// the thread that made the call. What the action itself reads and writes triggers nothing. One at a time.
class FileHook {
public:
  enum class Call { Read, Write };
  FileHook(const FileDescriptor &file, Call call, std::function<void()> action);
  ~FileHook();
  FileHook(const FileHook &) = delete;
  FileHook &operator=(const FileHook &) = delete;

  /// How often the action ran.
  size_t runs() const;

  struct State;

private:
  const std::unique_ptr<State> state_;
};

} // namespace avocet::test

#endif // AVOCET_TESTS_CACHE_FILEHOOK_H
