//===- ConformanceSubjects.cpp - The back ends that the conformance suite runs on --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "avocet/runtime/SimBackend.h"

namespace avocet::runtime::test {
namespace {

const char *const kNullDoesNothing = "the null back end completes every job without looking at it";

const std::map<std::string, std::string> kNullExceptions = {
    {"CopiesInputToOutput", kNullDoesNothing},          {"JobsOfAContextEndInOrder", kNullDoesNothing},
    {"FaultsOutsideARegion", kNullDoesNothing},         {"FaultsOnAddressesThatAreNotMapped", kNullDoesNothing},
    {"FaultsOnAWriteToReadOnly", kNullDoesNothing},     {"FaultsOnADeadlock", kNullDoesNothing},
    {"FaultsOnAnotherTarget", kNullDoesNothing},        {"ContextsCannotAccessEachOther", kNullDoesNothing},
    {"JobReadsImportedMemory", kNullDoesNothing},       {"ResetKeepsBuffersAndMappings", kNullDoesNothing},
    {"RepeatedJobTakesSameCycles", kNullDoesNothing},   {"JobReadsImportedMemoryFromOffset", kNullDoesNothing},
    {"DependenciesOnFailedJobsFail", kNullDoesNothing}, {"LateJobEndsWithDeadlineMissed", kNullDoesNothing}};

} // namespace

std::vector<Subject> conformanceSubjects() {
  return {{"null", "null", kNullExceptions},
          {"sim", "sim", {}},
          {"recorderOfSim", "recorder:%F,sim", {}},
          {"recorderOfNull", "recorder:%F,null", kNullExceptions}};
}

void registerConformanceBackends() { registerSimBackend(); }

} // namespace avocet::runtime::test
