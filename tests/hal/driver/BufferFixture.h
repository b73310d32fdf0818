//===- BufferFixture.h - Buffers of the driver in tests -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_BUFFERFIXTURE_H
#define AVOCET_TESTS_HAL_DRIVER_BUFFERFIXTURE_H

#include "DeviceFixture.h"

#include <algorithm>

namespace avocet::hal::testing {

/// output = input0 + input1, four floats each.
class BufferFixture : public DeviceFixture {
protected:
  static constexpr uint32_t kExtent = 4;
  static constexpr uint64_t kBytes = kExtent * sizeof(float);
  using Dimensions = std::vector<uint32_t>;

  void SetUp() override {
    DeviceFixture::SetUp();
    model_ = prepare(addModel({kExtent}));
    ASSERT_NE(model_, nullptr);
    std::ranges::fill(pool_.as<float>(), 1.f);
  }

  BufferRole role(uint32_t index) const { return {model_, index, 1}; }

  std::shared_ptr<IBuffer> allocate(const std::vector<BufferRole> &inputs, const std::vector<BufferRole> &outputs,
                                    const Dimensions &dimensions = {}) {
    Result<std::shared_ptr<IBuffer>> buffer = device_->allocate(dimensions, inputs, outputs);
    EXPECT_TRUE(buffer.isOk()) << buffer.error().message;
    return buffer ? *buffer : nullptr;
  }
  /// For both inputs and the output.
  std::shared_ptr<IBuffer> allocateState() { return allocate({role(0), role(1)}, {role(0)}); }

  static RequestArgument whole(uint32_t pool, uint64_t bytes, Dimensions dimensions = {}) {
    return {false, {pool, 0, bytes, 0}, std::move(dimensions)};
  }
  /// Pools 0, 1, 2: input 0, input 1, output. A null buffer: client's memory.
  Request requestOf(const std::shared_ptr<IBuffer> &input, const std::shared_ptr<IBuffer> &output) const {
    Request request;
    request.inputs = {whole(0, input ? 0 : kBytes), whole(1, kBytes)};
    request.outputs = {whole(2, output ? 0 : kBytes)};
    request.pools = {poolOf(input, pool_), one_.memory(), poolOf(output, result_)};
    return request;
  }
  static RequestPool poolOf(const std::shared_ptr<IBuffer> &buffer, const TestPool &pool) {
    return buffer ? RequestPool(buffer->token()) : RequestPool(pool.memory());
  }
  ErrorStatus statusOf(const Request &request) { return model_->execute(request, {}).status; }

  std::vector<float> read(IBuffer &buffer, uint32_t extent = kExtent) {
    TestPool pool(extent * sizeof(float));
    Outcome copied = buffer.copyTo(pool.memory());
    EXPECT_TRUE(copied.isOk()) << copied.error().message;
    return {pool.as<float>().begin(), pool.as<float>().end()};
  }
  bool isInitialized(IBuffer &buffer) {
    TestPool pool(kBytes);
    return buffer.copyTo(pool.memory()).isOk();
  }

  std::shared_ptr<IPreparedModel> model_;
  TestPool pool_{kBytes}, result_{kBytes};
  TestPool one_ = [] {
    TestPool pool(kBytes);
    std::ranges::fill(pool.as<float>(), 1.f);
    return pool;
  }();
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_BUFFERFIXTURE_H
