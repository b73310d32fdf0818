//===- FileHook.h - File changes between system calls -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces pread() and pwrite() of the test program, so that a test can change a file between the read and the use of
// its bytes. A thread that rewrites the file all the time does so at that moment only by chance.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CACHE_FILEHOOK_H
#define AVOCET_TESTS_CACHE_FILEHOOK_H

#include "avocet/base/File.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace avocet::test {

/// During its lifetime `action` runs after each positional read (or write) of the file through any descriptor, on the
/// thread that made the call. Reads and writes of the action itself trigger nothing. Only one object at a time.
class FileHook {
public:
  enum class Call { Read, Write };
  FileHook(const FileDescriptor &file, Call call, std::function<void()> action);
  ~FileHook();
  FileHook(const FileHook &) = delete;
  FileHook &operator=(const FileHook &) = delete;

  /// Number of runs of the action.
  size_t runs() const;

  struct State;

private:
  const std::unique_ptr<State> state_;
};

} // namespace avocet::test

#endif // AVOCET_TESTS_CACHE_FILEHOOK_H
