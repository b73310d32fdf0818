//===- Loop.h - A tiny model that runs repeatedly ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_SERVICE_LOOP_H
#define AVOCET_TESTS_BENCH_SERVICE_LOOP_H

#include "BenchSupport.h"

namespace avocet::hal::bench {

/// Input and output in one pool each, bound once.
struct Loop {
  BenchPool input, output;
  std::shared_ptr<IExecution> execution;
  Loop(IDevice &device, uint32_t elements) : input(elements * 4), output(elements * 4) {
    auto prepared = need(device.prepareModel(sumModel(elements), {}));
    Request request;
    request.inputs = {{false, {0, 0, elements * 4, 0}, {}}};
    request.outputs = {{false, {1, 0, elements * 4, 0}, {}}};
    request.pools = {input.memory(), output.memory()};
    execution = need(prepared->createReusableExecution(request, {}));
    needOk(execution->compute({}));
  }
};

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_SERVICE_LOOP_H
