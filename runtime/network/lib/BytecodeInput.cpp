//===- BytecodeInput.cpp - MLIR bytecode from files *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/network/BytecodeInput.h"

#include "avocet/base/File.h"
#include "avocet/hal/worker/CompileWorkers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unistd.h>

namespace avocet::network {
namespace {

using compiler::CompileRequest;
using compiler::CompileResult;
using compiler::failedAnswer;
using compiler::ModelRequest;

constexpr std::array<uint8_t, 4> kMagic = {'M', 'L', 0xEF, 'R'};

/// Address space of the worker: the compiler's library, and constants as text with copies.
constexpr uint64_t kBaseMemoryBytes = uint64_t{2} << 30, kMemoryPerByte = 16;

/// False for a file that cannot be read, too: the compiler reports it.
bool isBytecode(const ModelRequest &request) {
  std::array<uint8_t, kMagic.size()> start = {};
  if (!request.modelBytes.empty()) {
    std::copy_n(request.modelBytes.begin(), std::min(request.modelBytes.size(), start.size()), start.begin());
    return start == kMagic;
  }
  const Result<FileDescriptor> file = openForReading(request.modelPath);
  return file && ::pread(file->get(), start.data(), start.size(), 0) == static_cast<ssize_t>(start.size()) &&
         start == kMagic;
}

hal::WorkerOptions workerOptions(const ModelRequest &request) {
  hal::WorkerOptions options;
  options.targets = {request.target};
  options.idleWorkers = options.busyWorkers = 1;
  options.memoryBytes = kBaseMemoryBytes + kMemoryPerByte * request.modelBytes.size();
  options.timeLimit = kBytecodeTime;
  return options;
}

/// The worker ended, or was ended at a limit, without a verdict.
bool hasNoVerdict(StatusCode code) {
  return code == StatusCode::Internal || code == StatusCode::DeadlineExceeded || code == StatusCode::ResourceExhausted;
}

/// The module as text in CompileResult::ir.
CompileResult readInWorker(const ModelRequest &request, const std::string &startAt) {
  const auto workers = hal::CompileWorkers::start(workerOptions(request));
  if (!workers)
    return failedAnswer<CompileResult>(
        workers.status().withContext(request.modelPath + ": MLIR bytecode is read by a separate program"));
  CompileRequest reading;
  reading.modelPath = request.modelPath;
  reading.modelBytes = request.modelBytes;
  reading.format = compiler::InputFormat::Bytecode;
  reading.target = request.target;
  reading.prefersTargetOfModule = request.prefersTargetOfModule;
  reading.startAt = startAt;
  reading.stopAfter = compiler::kParseStep;
  reading.cancelled = request.cancelled;
  CompileResult text = (*workers)->compile(reading);
  if (hasNoVerdict(text.status.code()))
    text.status =
        dataLoss(fmt::format("{}: is no valid MLIR bytecode: its reader was ended ({}); write the file again, or "
                             "write MLIR text (without --bytecode)",
                             request.modelPath, text.status.message()));
  return text;
}

/// Asks with text in the place of bytecode.
template <typename Request, typename Ask>
auto askWithText(Request request, const std::string &startAt, const Ask &ask) -> decltype(ask(request)) {
  using Answer = decltype(ask(request));
  if (request.format == compiler::InputFormat::Bytecode || !isBytecode(request))
    return ask(request);
  std::vector<uint8_t> bytes;
  if (request.modelBytes.empty()) {
    Result<std::vector<uint8_t>> read = readFile(request.modelPath);
    if (!read)
      return failedAnswer<Answer>(read.status());
    bytes = std::move(*read);
    request.modelBytes = bytes;
  }
  const CompileResult text = readInWorker(request, startAt);
  if (!text.status.isOk()) {
    Answer failed;
    static_cast<compiler::Verdict &>(failed) = text;
    return failed;
  }
  request.modelBytes = text.ir;
  request.format = compiler::InputFormat::Mlir;
  return ask(request);
}

} // namespace

CompileResult compileFile(const compiler::LoadedCompiler &compiler, CompileRequest request) {
  const std::string startAt = request.startAt;
  return askWithText(std::move(request), startAt, [&](const CompileRequest &each) { return compiler.compile(each); });
}

compiler::Verdict judgeFile(const compiler::LoadedCompiler &compiler, compiler::JudgeRequest request) {
  return askWithText(std::move(request), "", [&](const compiler::JudgeRequest &each) { return compiler.judge(each); });
}

compiler::DivideResult divideFile(const compiler::LoadedCompiler &compiler, compiler::DivideRequest request) {
  return askWithText(std::move(request), "",
                     [&](const compiler::DivideRequest &each) { return compiler.divide(each); });
}

} // namespace avocet::network
