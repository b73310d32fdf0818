//===- IrReduction.cpp - Reduction of IR -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IrReduction.h"

#include "Progress.h"
#include "avocet/base/File.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/StandardStreams.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

namespace files = std::filesystem;

Result<std::string> findProgram(const std::string &name) {
  std::string path = programBeside(name);
  std::error_code error;
  if (files::exists(path, error))
    return path;
  return notFound(
      fmt::format("IR is reduced by the program {0}, which is not at {1}; build the target {0}", name, path));
}

/// A tester as MLIR's reducer calls it: a program that ends with 1 for an interesting file. Each call adds a byte to
/// the file `tried`. avocet-reduce has verified the file.
std::string testerScript(const TestCommand &command, const std::string &tried) {
  const auto quoted = TestCommand::quoted;
  return fmt::format("#!/bin/sh\n"
                     "printf . >>{}\n"
                     "{} reduce \"$1\" --judge --test {} --exit {} --time-limit {} >/dev/null 2>&1 && exit 1\n"
                     "exit 0\n",
                     quoted(tried), quoted(programBeside("avocet")), quoted(command.text()), command.exitOption(),
                     command.seconds());
}

uint64_t sizeOf(const std::string &path) {
  std::error_code error;
  const uint64_t size = files::file_size(path, error);
  return error ? 0 : size;
}

Status writeProgram(const std::string &path, const std::string &text) {
  AVOCET_RETURN_IF_ERROR(writeFile(path, text));
  std::error_code error;
  files::permissions(path, files::perms::owner_all, error);
  return error ? errnoStatus(error.value(), "cannot make " + path + " a program") : Status::ok();
}

} // namespace

Status reduceIr(const IrReduction &reduction, const Bytes &original, CandidateTester &tester) {
  const auto start = std::chrono::steady_clock::now();
  AVOCET_ASSIGN_OR_RETURN(const std::string reducer, findProgram("avocet-reduce"));
  AVOCET_RETURN_IF_ERROR(tester.requireInteresting(original, reduction.model));
  const std::string script = tester.directory() + "/tester", tried = tester.directory() + "/tried",
                    result = tester.directory() + "/result.mlir", log = tester.directory() + "/reducer.log";
  AVOCET_RETURN_IF_ERROR(writeProgram(script, testerScript(reduction.command, tried)));
  AVOCET_ASSIGN_OR_RETURN(
      const TestCommand line,
      TestCommand::create(fmt::format("{} {{}} -o {} --mlir-print-debuginfo --avocet-reduce-module=test={}",
                                      TestCommand::quoted(reducer), result, script),
                          InterestingExit{}, TestCommand::kMostSeconds));
  Progress progress;
  AVOCET_ASSIGN_OR_RETURN(const CommandEnd end, line.run(reduction.model, log, [&] {
    progress.update(fmt::format("reducing {}: {} candidates tried", reduction.model, sizeOf(tried)));
  }));
  progress.clear();
  if (!line.isInteresting(end)) {
    const Result<Bytes> messages = readFile(log);
    return failedPrecondition(fmt::format("{}: avocet-reduce {}\n{}", reduction.model, end.text(),
                                          messages ? std::string(messages->begin(), messages->end()) : ""));
  }
  AVOCET_ASSIGN_OR_RETURN(const Bytes reduced, readFile(result));
  AVOCET_RETURN_IF_ERROR(tester.requireInteresting(reduced, "the reduced module"));
  AVOCET_RETURN_IF_ERROR(writeFile(reduction.output, reduced));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  printOut("{}: {} of {} bytes, {} candidates in {:.1f} s\n", reduction.output, reduced.size(), original.size(),
           sizeOf(tried), time.count());
  return Status::ok();
}

} // namespace avocet::tool
