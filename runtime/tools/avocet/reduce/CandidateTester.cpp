//===- CandidateTester.cpp - Candidates of a reduction -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateTester.h"

#include "avocet/base/Checksum.h"
#include "avocet/base/File.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

namespace avocet::tool {
namespace {

constexpr size_t kMaxLines = 8; ///< of the command's output, in messages

/// The last lines of a file, indented.
std::string tailOf(const std::string &path) {
  const Result<Bytes> bytes = readFile(path);
  if (!bytes || bytes->empty())
    return "\n  (the command printed nothing)";
  std::string_view text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  while (!text.empty() && text.back() == '\n')
    text.remove_suffix(1);
  std::string tail;
  for (size_t lines = 0; lines < kMaxLines && !text.empty(); ++lines) {
    const size_t end = text.rfind('\n');
    const std::string_view line = end == std::string_view::npos ? text : text.substr(end + 1);
    tail = fmt::format("\n  {}{}", line, tail);
    text = end == std::string_view::npos ? std::string_view() : text.substr(0, end);
  }
  return tail;
}

std::pair<uint64_t, size_t> keyOf(const Bytes &bytes) { return {Fnv1a().add(bytes).value(), bytes.size()}; }

/// What to do about the end of a command on the original.
std::string adviceFor(const CommandEnd &end) {
  if (end.how == CommandEnd::How::TimeLimit)
    return "a longer time is set with --time-limit";
  if (end.how == CommandEnd::How::Exit && (end.number == 126 || end.number == 127))
    return "by this code the shell reports that it cannot start a program";
  return "another code is set with --exit; the command runs in the current directory";
}

} // namespace

/// The state that the threads of firstInteresting() share.
struct CandidateTester::Search {
  size_t count;
  const Make &make;
  std::mutex mutex; ///< guards what follows
  size_t next = 0;
  size_t best;
  Status failure = {};
};

Result<std::unique_ptr<CandidateTester>> CandidateTester::create(TestCommand command, std::string extension,
                                                                 uint32_t jobs) {
  AVOCET_ASSIGN_OR_RETURN(ScratchDirectory directory, ScratchDirectory::make());
  return std::unique_ptr<CandidateTester>(
      new CandidateTester(std::move(command), std::move(extension), jobs, std::move(directory)));
}

Status CandidateTester::requireInteresting(std::span<const uint8_t> bytes, const std::string &what) {
  const std::string log = directory_.path() + "/log";
  AVOCET_ASSIGN_OR_RETURN(const CommandEnd end, runOn(bytes, log));
  if (end.how == CommandEnd::How::Interrupted)
    return Status(StatusCode::Aborted, "interrupted");
  if (command_.isInteresting(end))
    return Status::ok();
  return failedPrecondition(fmt::format("the command '{}' {} for {}, but {} is needed to begin ({}). Its output:{}",
                                        command_.text(), end.text(), what, command_.wanted(), adviceFor(end),
                                        tailOf(log)));
}

Result<std::optional<size_t>> CandidateTester::firstInteresting(size_t count, const Make &make) {
  Search search{count, make, {}, 0, count, {}};
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(jobs_, count); ++i)
    threads.emplace_back([this, &search] { work(search); });
  work(search);
  for (std::thread &thread : threads)
    thread.join();
  AVOCET_RETURN_IF_ERROR(search.failure);
  if (InterruptScope::isInterrupted())
    return Status(StatusCode::Aborted, "interrupted");
  return search.best < count ? std::optional<size_t>(search.best) : std::nullopt;
}

/// Indices are given out in order, and each one that was given out is finished. So all below the result were run.
void CandidateTester::work(Search &search) {
  for (;;) {
    size_t index = 0;
    {
      std::lock_guard lock(search.mutex);
      if (search.next >= search.best || !search.failure.isOk() || InterruptScope::isInterrupted())
        return;
      index = search.next++;
    }
    const std::optional<Bytes> candidate = search.make(index);
    if (!candidate || isKnown(*candidate))
      continue;
    const Result<bool> isInteresting = judge(*candidate);
    std::lock_guard lock(search.mutex);
    if (!isInteresting)
      search.failure = isInteresting.status();
    else if (*isInteresting)
      search.best = std::min(search.best, index);
  }
}

Result<bool> CandidateTester::judge(const Bytes &bytes) {
  AVOCET_ASSIGN_OR_RETURN(const CommandEnd end, runOn(bytes, ""));
  const bool isInteresting = command_.isInteresting(end);
  std::lock_guard lock(mutex_);
  ++tried_;
  if (!isInteresting)
    rejected_.insert(keyOf(bytes));
  if (afterEach)
    afterEach(tried_);
  return isInteresting;
}

Result<CommandEnd> CandidateTester::runOn(std::span<const uint8_t> bytes, const std::string &log) {
  std::string path;
  {
    std::lock_guard lock(mutex_);
    path = fmt::format("{}/candidate{}{}", directory_.path(), files_++, extension_);
  }
  AVOCET_RETURN_IF_ERROR(writeFile(path, bytes));
  Result<CommandEnd> end = command_.run(path, log);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return end;
}

bool CandidateTester::isKnown(const Bytes &bytes) {
  const auto key = keyOf(bytes);
  std::lock_guard lock(mutex_);
  return rejected_.contains(key);
}

} // namespace avocet::tool
