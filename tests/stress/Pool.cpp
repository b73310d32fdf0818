//===- Pool.cpp -----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include <algorithm>

namespace avocet::stress {

using namespace hal;

namespace {

Error exhausted(const Status &status) { return error(ErrorStatus::ResourceExhaustedTransient, status.message()); }

} // namespace

hal::Result<Pool> Pool::make(uint64_t size) {
  auto file = createMemoryFile("stress", size);
  if (!file)
    return exhausted(file.status());
  auto mapping = Mapping::map(file->get(), size, Mapping::Access::ReadWrite);
  if (!mapping)
    return exhausted(mapping.status());
  Pool pool;
  pool.size_ = size;
  pool.mapping_ = std::move(*mapping);
  auto handle = std::make_shared<const FileDescriptor>(std::move(*file));
  pool.memory_ = std::make_shared<const Memory>(Memory{Ashmem{std::move(handle), size}});
  return pool;
}

int Pool::descriptor() const { return std::get<Ashmem>(memory_->handle).fd->get(); }
void Pool::fill(std::span<const uint8_t> bytes) { std::ranges::copy(bytes, mapping_.bytes().begin()); }
void Pool::clear() { std::ranges::fill(mapping_.bytes(), uint8_t(0xa7)); }
std::vector<uint8_t> Pool::copy() const { return {mapping_.bytes().begin(), mapping_.bytes().end()}; }

Request requestOf(const Pool &input, const Pool &output) {
  Request request;
  request.inputs = {{false, {0, 0, input.size(), 0}, {}}};
  request.outputs = {{false, {1, 0, output.size(), 0}, {}}};
  request.pools = {input.memory(), output.memory()};
  return request;
}

} // namespace avocet::stress
