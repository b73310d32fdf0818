//===- Peer.cpp - The same network in TensorFlow Lite -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

#include <cstring>
#include <random>
#include <utility>

namespace avocet::bench {

using namespace application;

Result<Peer> Peer::create(const TfliteApi &api, const std::string &model, bool useXnnpack) {
  Peer peer(api);
  peer.model_ = api.modelCreateFromFile(model.c_str());
  if (!peer.model_)
    return Status(StatusCode::DataLoss, "TensorFlow Lite cannot load " + model);
  peer.options_ = api.optionsCreate();
  api.setNumThreads(peer.options_, 1);
  if (useXnnpack) {
    const XnnpackOptions options{1, kXnnpackSigned | kXnnpackUnsigned, nullptr};
    peer.delegate_ = api.xnnpackCreate(&options);
    if (!peer.delegate_)
      return Status(StatusCode::Unsupported, "there is no XNNPACK delegate");
    api.addDelegate(peer.options_, peer.delegate_);
  }
  peer.interpreter_ = api.interpreterCreate(peer.model_, peer.options_);
  if (!peer.interpreter_ || api.allocateTensors(peer.interpreter_) != 0)
    return Status(StatusCode::Unsupported, "TensorFlow Lite refuses " + model);
  peer.fillInputs();
  return peer;
}

Peer::Peer(Peer &&other) noexcept
    : api_(other.api_), model_(std::exchange(other.model_, nullptr)), options_(std::exchange(other.options_, nullptr)),
      delegate_(std::exchange(other.delegate_, nullptr)), interpreter_(std::exchange(other.interpreter_, nullptr)) {}

Peer::~Peer() {
  if (interpreter_)
    api_.interpreterDelete(interpreter_);
  if (delegate_)
    api_.xnnpackDelete(delegate_);
  if (options_)
    api_.optionsDelete(options_);
  if (model_)
    api_.modelDelete(model_);
}

void Peer::fillInputs() {
  constexpr int32_t kFloat32 = 1; // TfLiteType
  std::mt19937 random(1);
  for (int32_t i = 0; i < api_.inputCount(interpreter_); ++i) {
    TfTensor *tensor = api_.inputTensor(interpreter_, i);
    auto *bytes = static_cast<uint8_t *>(api_.data(tensor));
    const size_t size = api_.byteSize(tensor);
    for (size_t at = 0; at < size; ++at)
      bytes[at] = static_cast<uint8_t>(random());
    if (api_.tensorType(tensor) != kFloat32)
      continue;
    for (size_t at = 0; at + sizeof(float) <= size; at += sizeof(float)) {
      const float value = static_cast<float>(bytes[at]) / 256;
      std::memcpy(bytes + at, &value, sizeof(value));
    }
  }
}

Status Peer::run() const {
  return api_.invoke(interpreter_) == 0 ? Status::ok() : Status(StatusCode::Internal, "TensorFlow Lite failed");
}

} // namespace avocet::bench
