//===- GuardedMain.cpp - Exceptions that reach main() ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/GuardedMain.h"

#include "avocet/base/StandardStreams.h"

#include <exception>
#include <new>
#include <string_view>

namespace avocet {
namespace {

std::string_view nameOf(int argc, char **argv) {
  const std::string_view path = argc > 0 ? argv[0] : "avocet";
  return path.substr(path.find_last_of('/') + 1);
}

/// Without printErr(), which allocates.
int fail(std::string_view program, std::string_view reason) noexcept {
  flushStandardOutput();
  for (std::string_view part : {program, std::string_view(": error: "), reason, std::string_view("\n")})
    writeStandardError(part);
  return kExitFailed;
}

} // namespace

int guardedMain(int argc, char **argv, int (*run)(int argc, char **argv)) noexcept {
  const std::string_view program = nameOf(argc, argv);
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    return fail(program, "out of memory");
  } catch (const std::exception &error) {
    return fail(program, error.what());
  } catch (...) {
    return fail(program, "an exception without a description");
  }
}

} // namespace avocet
