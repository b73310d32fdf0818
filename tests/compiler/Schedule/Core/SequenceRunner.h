//===- SequenceRunner.h - Runs a schedule step by step ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a sequence with the kernels, one step after the other. Buffers have the addresses that the scheduler proposed,
// or new ones if it proposed none. Two plans of one problem must give the same outputs.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_SCHEDULE_CORE_SEQUENCERUNNER_H
#define AVOCET_TESTS_COMPILER_SCHEDULE_CORE_SEQUENCERUNNER_H

#include "Schedule/Core/Sequence.h"

#include <map>
#include <vector>

namespace avocet::compiler::schedule {

using Bytes = std::vector<uint8_t>;

/// The bytes of the network outputs by output number. `inputs` by input number, `constants` by index.
std::map<uint32_t, Bytes> runSequence(const Problem &problem, const Sequence &sequence,
                                      const std::vector<Bytes> &inputs, const std::vector<Bytes> &constants);

} // namespace avocet::compiler::schedule

#endif // AVOCET_TESTS_COMPILER_SCHEDULE_CORE_SEQUENCERUNNER_H
