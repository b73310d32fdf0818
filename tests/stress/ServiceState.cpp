//===- ServiceState.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceState.h"

#include "Sanitizer.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace avocet::stress {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Prefix of the service's log line on SIGUSR1: "TIME avocetd info: counters NAME=NUMBER NAME=NUMBER ...".
constexpr std::string_view kMark = "avocetd info: counters ";

uint64_t countEntries(const std::filesystem::path &folder) {
  std::error_code error;
  uint64_t count = 0;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    ++count;
  return count;
}

void readStatus(const std::filesystem::path &folder, ServiceState &state) {
  std::ifstream file(folder / "status");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    uint64_t value = 0;
    words >> key >> value;
    if (key == "Threads:")
      state["threads"] = value;
    if (key == "VmRSS:")
      state["resident KiB"] = value;
  }
}

uint64_t countMappedFiles(const std::filesystem::path &folder) {
  std::ifstream file(folder / "maps");
  uint64_t count = 0;
  for (std::string line; std::getline(file, line);)
    count += line.find("/memfd:") != std::string::npos;
  return count;
}

std::string lastAnswer(const std::string &log, size_t &answers) {
  std::ifstream file(log);
  std::string last;
  answers = 0;
  for (std::string line; std::getline(file, line);)
    if (const size_t at = line.find(kMark); at != std::string::npos) {
      ++answers;
      last = line.substr(at + kMark.size());
    }
  return last;
}

ServiceState parseCounters(const std::string &text) {
  ServiceState state;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (const size_t equals = word.find('='); equals != std::string::npos)
      state["service: " + word.substr(0, equals)] = std::stoull(word.substr(equals + 1));
  return state;
}

/// Whether the figure is stable while the service is idle: totals grow, and the allocator returns memory at any time.
bool staysStill(const std::string &figure) { return figure != "resident KiB" && !figure.ends_with("Ever"); }

bool isSame(const ServiceState &a, const ServiceState &b) {
  for (const auto &[figure, value] : a)
    if (staysStill(figure) && (!b.contains(figure) || b.at(figure) != value))
      return false;
  return a.size() == b.size();
}

} // namespace

ServiceState readProcess(pid_t pid) {
  const std::filesystem::path folder = "/proc/" + std::to_string(pid);
  ServiceState state;
  readStatus(folder, state);
  if (!state.empty()) {
    state["descriptors"] = countEntries(folder / "fd");
    state["mapped memory files"] = countMappedFiles(folder);
  }
  return state;
}

ServiceState readCounters(pid_t pid, const std::string &log) {
  size_t before = 0, now = 0;
  (void)lastAnswer(log, before);
  (void)::kill(pid, SIGUSR1);
  for (const auto end = Clock::now() + 10s; Clock::now() < end; std::this_thread::sleep_for(2ms))
    if (const std::string answer = lastAnswer(log, now); now > before)
      return parseCounters(answer);
  return {};
}

ServiceState settle(pid_t pid, const std::string &log) {
  auto read = [&] {
    ServiceState state = readProcess(pid);
    state.merge(readCounters(pid, log));
    return state;
  };
  ServiceState last = read();
  int same = 0;
  for (const auto end = Clock::now() + 30s; same < 5 && Clock::now() < end;) {
    std::this_thread::sleep_for(100ms);
    ServiceState now = read();
    same = isSame(last, now) ? same + 1 : 0;
    last = std::move(now);
  }
  return last;
}

uint64_t allowance(const std::string &figure, uint64_t before) {
  constexpr uint64_t kSlackKib = 32 * 1024;
  if (figure.ends_with("Ever"))
    return UINT64_MAX;
  if (kHasSanitizer && figure == "resident KiB") // sanitizers keep freed memory
    return UINT64_MAX;
  return figure == "resident KiB" ? kSlackKib + before / 4 : 0;
}

} // namespace avocet::stress
