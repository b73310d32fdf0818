//===- TracedJob.cpp - A job with its commands -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TracedJob.h"

namespace avocet::tool {

TracedJob::TracedJob(const firmware::JobProfile &profile, const cache::ModelCache &model,
                     const firmware::Target &target)
    : profile_(profile), model_(model), target_(target), streams_(model) {}

const firmware::Command *TracedJob::commandOf(const firmware::CommandSpan &span) const {
  const auto place = streams_.placeOf(span, profile_);
  return place ? &streams_.command(*place) : nullptr;
}

} // namespace avocet::tool
