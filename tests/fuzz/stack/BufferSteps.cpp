//===- BufferSteps.cpp - Buffers of the driver -------------------------------- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include "Require.h"

#include <algorithm>

namespace avocet::fuzz {

using hal::ErrorStatus;
using hal::testing::TestPool;

/// For inputs and outputs of one model, or of several with the same extent. A condition is not a vector.
void World::allocateBuffer() {
  constexpr size_t kMaxBuffers = 5;
  const std::shared_ptr<Prepared> model = any(models_);
  if (model == nullptr || buffers_.size() >= kMaxBuffers)
    return;
  auto cell = std::make_shared<Cell>();
  cell->identifier = static_cast<int64_t>(nextNumber_++);
  cell->connection = model->connection;
  std::vector<hal::BufferRole> inputs, outputs;
  const uint32_t kind = bytes_.below(4); // 0: input, 1: output, else both
  for (const auto &other : models_) {
    const bool isAlike = other->graph->length == model->graph->length && other->connection == model->connection;
    if (other != model && (!isAlike || bytes_.oneIn(3)))
      continue;
    for (uint32_t i = 0; i < other->graph->numInputs() && kind != 1; ++i)
      if (!other->graph->isCondition(i) && cell->roles.insert({other->number, false, i}).second)
        inputs.push_back({other->model, i, 1});
    if (kind != 0 && cell->roles.insert({other->number, true, 0}).second)
      outputs.push_back({other->model, 0, 0.5f});
    cell->fixedExtent = other->graph->isOpen ? cell->fixedExtent : other->graph->length;
  }
  std::vector<uint32_t> dimensions;
  if (cell->fixedExtent == 0 && bytes_.oneIn(3))
    dimensions = {cell->fixedExtent = model->graph->length};
  auto allocated = device(cell->connection).allocate(dimensions, inputs, outputs);
  expect("allocate", allocated, {ErrorStatus::None});
  cell->buffer = *allocated;
  buffers_.push_back(std::move(cell));
}

std::shared_ptr<Cell> World::settledBuffer() {
  const std::shared_ptr<Cell> cell = any(buffers_);
  if (cell == nullptr || std::ranges::any_of(cell->users, [](const auto &user) { return user->isBlocked(); }))
    return nullptr;
  while (!cell->users.empty())
    settle(cell->users.back());
  return std::ranges::find(buffers_, cell) == buffers_.end() ? nullptr : cell;
}

void World::copyIn() {
  const std::shared_ptr<Cell> cell = settledBuffer();
  if (cell == nullptr)
    return;
  static constexpr uint32_t kExtents[] = {1, 2, 3, 8, 40};
  const uint32_t extent = cell->fixedExtent != 0 ? cell->fixedExtent : bytes_.pick(kExtents);
  const bool isTooLarge = bytes_.oneIn(16);
  Cell source;
  source.pool.emplace((extent + isTooLarge) * sizeof(float));
  fill(source, extent);
  const bool isNamed = cell->fixedExtent == 0 || bytes_.oneIn(2);
  const hal::Outcome copied =
      cell->buffer->copyFrom(source.pool->memory(), isNamed ? std::vector<uint32_t>{extent} : std::vector<uint32_t>());
  if (isTooLarge)
    return expect("copyFrom of too much", copied, {ErrorStatus::InvalidArgument});
  expect("copyFrom", copied, {ErrorStatus::None});
  cell->value = source.value;
}

void World::copyOut() {
  const std::shared_ptr<Cell> cell = settledBuffer();
  if (cell == nullptr)
    return;
  const Value &value = *cell->value;
  TestPool target(std::max(value.extent, 1u) * sizeof(float));
  const hal::Outcome copied = cell->buffer->copyTo(target.memory());
  Statuses allowed = {ErrorStatus::None};
  if (value.state == Value::State::Lost)
    allowed = {ErrorStatus::GeneralFailure};
  else if (value.state == Value::State::Doubtful)
    allowed = {ErrorStatus::None, ErrorStatus::GeneralFailure, ErrorStatus::InvalidArgument};
  expect("copyTo", copied, allowed);
  if (copied && value.state == Value::State::Known)
    require(std::ranges::equal(target.as<float>(), value.numbers), "copyTo: wrong numbers");
}

} // namespace avocet::fuzz
