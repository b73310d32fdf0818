//===- SchemaVersions.h - Versions of the JSON outputs ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each JSON output names the version of its form, which schemas/NAME.schema.json describes. A version grows when a key
// loses its meaning, its type or its place; new keys leave it as it is, so that readers must ignore keys that they do
// not know.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_SCHEMAVERSIONS_H
#define AVOCET_DOCUMENTS_SCHEMAVERSIONS_H

#include <cstdint>

namespace avocet::documents {

inline constexpr const char *kSchemaVersionKey = "schemaVersion";

inline constexpr uint32_t kRunSchema = 2;         ///< run --report json
inline constexpr uint32_t kThroughSchema = 1;     ///< run --through ... --report json
inline constexpr uint32_t kDiagnosticsSchema = 1; ///< compile and run --diagnostics json
inline constexpr uint32_t kConformanceSchema = 1; ///< conformance --json
inline constexpr uint32_t kDevicesSchema = 1;     ///< devices --json
inline constexpr uint32_t kDoctorSchema = 1;      ///< doctor --json
inline constexpr uint32_t kInspectSchema = 1;     ///< inspect --json
inline constexpr uint32_t kTargetsSchema = 1;     ///< targets --json
inline constexpr uint32_t kPlacesSchema = 1;      ///< avocetDeviceList() of the C library
inline constexpr uint32_t kRandomSchema = 1;      ///< random --json
inline constexpr uint32_t kBenchmarkSchema = 1;   ///< benchmark --json
inline constexpr uint32_t kRemarksSchema = 1;     ///< compile --remarks
inline constexpr uint32_t kExplainSchema = 1;     ///< explain --json
inline constexpr uint32_t kHintsSchema = 1;       ///< explain --print-hints, and --hints of other commands
inline constexpr uint32_t kWhereSchema = 1;       ///< where --json

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_SCHEMAVERSIONS_H
