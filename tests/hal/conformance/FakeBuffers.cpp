//===- FakeBuffers.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeBuffers.h"

#include "avocet/base/File.h"

#include <algorithm>

namespace avocet::hal::conformance {
namespace {

Mapping mapMemory(const Memory &memory) {
  const auto &ashmem = std::get<Ashmem>(memory.handle);
  return Mapping::map(ashmem.fd->get(), ashmem.size, Mapping::Access::ReadWrite).value();
}

class FakeBuffer final : public IBuffer {
public:
  FakeBuffer(BufferToken token, std::shared_ptr<FakeBuffers::Content> content, bool givesWrongBytes)
      : token_(token), content_(std::move(content)), givesWrongBytes_(givesWrongBytes) {}

  BufferToken token() const override { return token_; }

  Outcome copyTo(const SharedMemory &memory) override {
    if (!*content_)
      return generalFailure("uninitialized");
    Mapping mapping = mapMemory(*memory);
    const size_t size = std::min((*content_)->size(), mapping.bytes().size());
    std::copy_n((*content_)->begin(), size, mapping.bytes().begin());
    mapping.bytes()[0] ^= givesWrongBytes_ ? 1 : 0;
    return success();
  }

  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &) override {
    Mapping mapping = mapMemory(*memory);
    *content_ = std::vector<uint8_t>(mapping.bytes().begin(), mapping.bytes().end());
    return success();
  }

private:
  BufferToken token_;
  std::shared_ptr<FakeBuffers::Content> content_;
  bool givesWrongBytes_;
};

} // namespace

std::shared_ptr<IBuffer> FakeBuffers::allocate() {
  const BufferToken token{static_cast<uint32_t>(contents_.size() + 1)};
  auto content = std::make_shared<Content>();
  if (startFull_)
    content->emplace(1);
  contents_[token] = content;
  return std::make_shared<FakeBuffer>(token, std::move(content), giveWrongBytes_);
}

FakeRegion::FakeRegion(FakeBuffers &buffers, const Request &request, const RequestArgument &argument)
    : location_(argument.location) {
  const RequestPool &pool = request.pools[location_.poolIndex];
  if (const auto *token = std::get_if<BufferToken>(&pool))
    content_ = &buffers.at(*token);
  else
    mapping_ = mapMemory(*std::get<SharedMemory>(pool));
}

std::span<uint8_t> FakeRegion::bytes() {
  return content_ ? std::span<uint8_t>(**content_) : mapping_.bytes().subspan(location_.offset, location_.length);
}

void FakeRegion::grow(size_t size) {
  if (content_)
    content_->emplace(size);
}

} // namespace avocet::hal::conformance
