//===- ServiceMetrics.cpp - Totals of a service for Prometheus ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceMetrics.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace avocet::tool {
namespace {

using hal::DeviceTotals;
using hal::ServiceTotals;

enum class Kind { Gauge, Counter };

/// A metric, its meaning, and where its value is. Values in nanoseconds are written in seconds.
template <typename Totals> struct Metric {
  const char *name;
  const char *help;
  Kind kind;
  uint64_t Totals::*value;
  const char *labels = ""; ///< "part=\"driver\""; entries with the name of the one before add samples to it
  bool isNanoseconds = false;
};

constexpr Metric<ServiceTotals> kServiceMetrics[] = {
    {"avocet_connections", "Connections now, with the one that asks.", Kind::Gauge, &ServiceTotals::clientsNow},
    {"avocet_connections_total", "Connections ever.", Kind::Counter, &ServiceTotals::clientsEver},
    {"avocet_calls_total", "Calls of all clients.", Kind::Counter, &ServiceTotals::callsEver},
    {"avocet_objects", "Prepared models, executions, buffers and bursts of all clients.", Kind::Gauge,
     &ServiceTotals::objectsNow},
    {"avocet_bursts", "Bursts of all clients.", Kind::Gauge, &ServiceTotals::burstsNow},
    {"avocet_descriptors", "Descriptors that clients sent and that are in use.", Kind::Gauge,
     &ServiceTotals::descriptorsNow},
    {"avocet_execution_seconds_total",
     "Time of executions by the host's clock since the first query, in the driver and waiting for the device.",
     Kind::Counter, &ServiceTotals::driverNanoseconds, "part=\"driver\"", true},
    {"avocet_execution_seconds_total", "", Kind::Counter, &ServiceTotals::deviceNanoseconds, "part=\"device\"", true},
    {"avocet_device_clock_seconds_total", "Time of jobs by the devices' clocks since the first query.", Kind::Counter,
     &ServiceTotals::simulatedNanoseconds, "", true},
    {"avocet_compiler_errors_total", "Compilations that ended with an error of the compiler itself.", Kind::Counter,
     &ServiceTotals::compilerErrors},
};

constexpr Metric<DeviceTotals> kDeviceMetrics[] = {
    {"avocet_device_clients", "Clients of the device.", Kind::Gauge, &DeviceTotals::clients},
    {"avocet_device_prepared_models", "Prepared models.", Kind::Gauge, &DeviceTotals::preparedModels},
    {"avocet_device_buffers", "Buffers that the driver allocated.", Kind::Gauge, &DeviceTotals::buffers},
    {"avocet_device_running_executions", "Executions that have not ended.", Kind::Gauge, &DeviceTotals::executions},
    {"avocet_device_memory_bytes", "Memory that clients are charged for.", Kind::Gauge, &DeviceTotals::memoryBytes},
    {"avocet_device_copied_bytes_total", "Bytes that the host copied between clients' and the driver's memory.",
     Kind::Counter, &DeviceTotals::hostBytesCopied},
    {"avocet_device_executions_total", "Executions that have ended.", Kind::Counter, &DeviceTotals::executionsEver},
    {"avocet_device_failed_executions_total", "Of these, executions that have failed.", Kind::Counter,
     &DeviceTotals::executionsFailed},
    {"avocet_device_compiler_runs_total", "Compilations and support queries of the compiler.", Kind::Counter,
     &DeviceTotals::compilerRuns},
    {"avocet_device_compiler_seconds_total", "Time of compilations and support queries.", Kind::Counter,
     &DeviceTotals::compilerNanoseconds, "", true},
    {"avocet_device_cache_lookups_total", "Preparations that looked in the driver's cache or the client's cache files.",
     Kind::Counter, &DeviceTotals::cacheHits, "result=\"hit\""},
    {"avocet_device_cache_lookups_total", "", Kind::Counter, &DeviceTotals::cacheMisses, "result=\"miss\""},
};

std::string valueText(uint64_t value, bool isNanoseconds) {
  constexpr uint64_t kSecond = 1'000'000'000;
  return isNanoseconds ? fmt::format("{}.{:09}", value / kSecond, value % kSecond) : fmt::to_string(value);
}

/// A label's value with the format's escapes.
std::string labelValue(std::string_view text) {
  std::string result = "\"";
  for (const char c : text)
    if (c == '\n')
      result += "\\n";
    else
      result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return result + '"';
}

void addHead(std::string &text, const char *name, const char *help, Kind kind) {
  text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, kind == Kind::Gauge ? "gauge" : "counter");
}

void addSample(std::string &text, const char *name, std::string_view labels, std::string_view value) {
  text += labels.empty() ? fmt::format("{} {}\n", name, value) : fmt::format("{}{{{}}} {}\n", name, labels, value);
}

void addService(std::string &text, const ServiceTotals &totals) {
  std::string_view last;
  for (const Metric<ServiceTotals> &metric : kServiceMetrics) {
    if (metric.name != last)
      addHead(text, metric.name, metric.help, metric.kind);
    last = metric.name;
    addSample(text, metric.name, metric.labels, valueText(totals.*metric.value, metric.isNanoseconds));
  }
}

/// Of all codes, so that a rate exists before the first error.
void addErrors(std::string &text, const ServiceTotals &totals) {
  constexpr const char *kName = "avocet_call_errors_total";
  addHead(text, kName, "Answers with an error, by its code.", Kind::Counter);
  for (size_t code = 1; code < totals.callErrors.size(); ++code)
    addSample(text, kName, fmt::format("code=\"{}\"", toString(static_cast<hal::ErrorStatus>(code))),
              fmt::to_string(totals.callErrors[code]));
}

/// All samples of a metric follow one another.
void addDevices(std::string &text, const ServiceTotals &totals) {
  std::string_view last;
  for (const Metric<DeviceTotals> &metric : kDeviceMetrics) {
    if (metric.name != last)
      addHead(text, metric.name, metric.help, metric.kind);
    last = metric.name;
    for (const DeviceTotals &device : totals.devices) {
      std::string labels = "device=" + labelValue(device.device);
      if (*metric.labels != '\0')
        labels += fmt::format(",{}", metric.labels);
      addSample(text, metric.name, labels, valueText(device.*metric.value, metric.isNanoseconds));
    }
  }
}

/// The devices share one set of workers, and each has the figures of the whole set.
void addCompiler(std::string &text, const ServiceTotals &totals) {
  uint64_t crashes = 0, restarts = 0;
  for (const DeviceTotals &device : totals.devices) {
    crashes = std::max(crashes, device.compilerCrashes);
    restarts = std::max(restarts, device.compilerRestarts);
  }
  addHead(text, "avocet_compiler_crashes_total", "Compilations whose process ended without an answer.", Kind::Counter);
  addSample(text, "avocet_compiler_crashes_total", "", fmt::to_string(crashes));
  addHead(text, "avocet_compiler_restarts_total", "Restarts of the process that compilations are forked from.",
          Kind::Counter);
  addSample(text, "avocet_compiler_restarts_total", "", fmt::to_string(restarts));
}

} // namespace

std::string metricsText(const ServiceTotals &totals) {
  std::string text;
  addService(text, totals);
  addErrors(text, totals);
  addDevices(text, totals);
  addCompiler(text, totals);
  return text;
}

} // namespace avocet::tool
