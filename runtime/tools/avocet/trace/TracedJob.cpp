//===- TracedJob.cpp - A job with its commands -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TracedJob.h"

#include "avocet/firmware_iface/Codec.h"

namespace avocet::tool {

TracedJob::TracedJob(const firmware::JobProfile &profile, const cache::ModelCache &model,
                     const firmware::Target &target)
    : profile_(profile), model_(model), target_(target) {
  if (!model.control().empty())
    return;
  for (size_t i = 0; i < model.numStreams(); ++i) {
    const cache::StreamView stream = model.stream(i);
    if (Result<std::vector<firmware::Command>> commands = firmware::decodeStream(stream.words))
      streams_[{stream.engine.kind, stream.engine.index}] = std::move(*commands);
  }
}

const firmware::Command *TracedJob::commandOf(const firmware::CommandSpan &span) const {
  const auto stream = streams_.find({span.engine.kind, span.engine.index});
  const bool isKnown = stream != streams_.end() && span.command < stream->second.size();
  return isKnown ? &stream->second[span.command] : nullptr;
}

} // namespace avocet::tool
