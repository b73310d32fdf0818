//===- MemoryActions.cpp - Buffers of the driver, and exhausted quotas ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Actions.h"
#include "Pool.h"

namespace avocet::stress {
namespace {

using namespace hal;

std::shared_ptr<IBuffer> allocate(Client &client, const Held &held, bool isInput) {
  const std::vector<BufferRole> role = {{held.prepared, 0, 1}};
  const std::vector<BufferRole> none;
  auto buffer = client.device().allocate({}, isInput ? role : none, isInput ? none : role);
  return client.judge("allocate", buffer) ? *buffer : nullptr;
}

/// A buffer that is output of one run and input of the next.
std::shared_ptr<IBuffer> allocateState(Client &client, const Held &held) {
  const std::vector<BufferRole> role = {{held.prepared, 0, 1}};
  auto buffer = client.device().allocate({}, role, role);
  return client.judge("allocate", buffer) ? *buffer : nullptr;
}

Request requestOf(const IBuffer &input, const IBuffer &output) {
  Request request;
  request.inputs = {{false, {0, 0, 0, 0}, {}}};
  request.outputs = {{false, {1, 0, 0, 0}, {}}};
  request.pools = {input.token(), output.token()};
  return request;
}

/// Passes a state through buffers, three times.
void handOver(Client &client) {
  const auto held = client.anyHeld();
  if (!held)
    return;
  const std::shared_ptr<IBuffer> buffers[] = {allocateState(client, *held), allocateState(client, *held)};
  auto pool = Pool::make(held->model->bytes());
  if (!buffers[0] || !buffers[1] || !pool)
    return;
  pool->fill(held->model->input);
  if (!client.judge("copyFrom", buffers[0]->copyFrom(pool->memory(), {})))
    return;
  for (size_t i = 0; i < kApplications; ++i) {
    const ExecutionOutcome outcome = held->prepared->execute(requestOf(*buffers[i % 2], *buffers[1 - i % 2]), {});
    if (!client.judge("execute in buffers", outcome.status, outcome.message))
      return;
  }
  pool->clear();
  if (client.judge("copyTo", buffers[kApplications % 2]->copyTo(pool->memory())))
    client.compare("buffers", *held->model, kApplications, pool->copy());
}

void uninitialized(Client &client) {
  const auto held = client.anyHeld();
  const auto buffer = held ? allocate(client, *held, false) : nullptr;
  auto pool = held ? Pool::make(held->model->bytes()) : Error{};
  if (!buffer || !pool)
    return;
  if (client.judge("copyTo of an uninitialized buffer", buffer->copyTo(pool->memory()), {ErrorStatus::GeneralFailure}))
    client.fail("an uninitialized buffer has content");
  client.haveEffect();
}

void manyModels(Client &client) {
  constexpr size_t kMost = 40;
  while (client.held().size() < kMost && client.prepare(client.anyModel())) {
  }
  if (client.isServiceGone())
    return;
  if (client.held().size() > 2)
    client.haveEffect();
  while (client.held().size() > 2)
    client.drop(client.held().size() - 1);
}

void manyBuffers(Client &client) {
  constexpr size_t kMost = 300;
  const auto held = client.anyHeld();
  std::vector<std::shared_ptr<IBuffer>> buffers;
  while (held && buffers.size() < kMost) {
    buffers.push_back(allocate(client, *held, client.random().oneIn(2)));
    if (!buffers.back())
      return; // refused: the quota is reached
    client.haveEffect();
  }
}

/// Pools far larger than a client's quota; they are sparse.
void largePool(Client &client) {
  const auto held = client.anyHeld();
  auto large = held ? Pool::make(uint64_t(1 + client.random().below(8)) << 30) : Error{};
  auto output = held ? Pool::make(held->model->bytes()) : Error{};
  if (!large || !output)
    return;
  large->fill(held->model->input);
  Request request = stress::requestOf(*large, *output);
  request.inputs[0].location.length = held->model->bytes();
  const ExecutionOutcome outcome = held->prepared->execute(request, {});
  if (outcome.status == ErrorStatus::ResourceExhaustedTransient ||
      outcome.status == ErrorStatus::ResourceExhaustedPersistent)
    client.haveEffect();
  if (client.judge("execute from a large pool", outcome.status, outcome.message))
    client.compare("execute from a large pool", *held->model, 1, output->copy());
}

constexpr Action kActions[] = {{"buffers", 6, handOver},
                               {"uninitialized", 1, uninitialized},
                               {"many models", 2, manyModels, false, true},
                               {"many buffers", 2, manyBuffers, false, true},
                               {"large pool", 2, largePool, false, true}};

} // namespace

std::span<const Action> memoryActions() { return kActions; }

} // namespace avocet::stress
