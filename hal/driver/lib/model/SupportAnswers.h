//===- SupportAnswers.h - Answers about support that are kept ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's answers to getSupportedOperations(), kept across processes in the driver's own folder. With them, a
// model that is prepared from cache files needs no compiler, whose library takes milliseconds to load. Driver version
// and target are in the cache's generation, and each entry has a keyed hash: a damaged or foreign file is no answer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORTANSWERS_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORTANSWERS_H

#include "avocet/cache/BlobCache.h"
#include "avocet/hal/types/Interfaces.h"
#include "model/ConstantPools.h"

#include <optional>

namespace avocet::hal {

/// Size limit of all answers in one folder.
inline constexpr uint64_t kSupportAnswerBytes = uint64_t{8} << 20;

/// A hash of all that the compiler sees of a question: the description of the model, and the constants that are not
/// read as zeros. Clients cannot construct collisions, and so prepare no wrong answer for others.
cache::BlobKey supportKey(const cache::BlobCache &answers, std::span<const uint8_t> description,
                          const ConstantPools &pools);

/// Empty: no answer is kept, or it has another number of operations.
std::optional<SupportedOperations> findAnswer(cache::BlobCache &answers, const cache::BlobKey &key,
                                              size_t numOperations);

/// A failure is logged.
void keepAnswer(cache::BlobCache &answers, const cache::BlobKey &key, const SupportedOperations &answer);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORTANSWERS_H
