//===- SyntheticReport.h - Large data of a report for tests -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_TOOLS_AVOCET_REPORT_SYNTHETICREPORT_H
#define AVOCET_TESTS_RUNTIME_TOOLS_AVOCET_REPORT_SYNTHETICREPORT_H

#include <nlohmann/json.hpp>

#include <cstddef>

namespace avocet::tool::test {

/// Data that keeps report.schema.json: layers in sequence, each with its share of the commands on two engines.
nlohmann::ordered_json syntheticReport(size_t numLayers, size_t numCommands);

} // namespace avocet::tool::test

#endif // AVOCET_TESTS_RUNTIME_TOOLS_AVOCET_REPORT_SYNTHETICREPORT_H
