//===- Steps.cpp - The steps of hostile clients -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include "script_generated.h"

#include <algorithm>
#include <array>
#include <sys/socket.h>

namespace avocet::fuzz {
namespace {

using fb::StepKind;

constexpr size_t kMaxSteps = 40;
/// Longer than the service takes to send a request or an answer, shorter than its own time-outs.
constexpr int kWaitMilliseconds = 10;

class Performance {
public:
  Performance(const FuzzedService &service, const Table &script)
      : path_(service.path()), descriptors_(tablesOf(script, fb::ServiceScript::VT_DESCRIPTORS)) {}

  void step(const Table &step) {
    using Perform = void (Performance::*)(const Table &);
    static constexpr Perform kSteps[] = {&Performance::call,       &Performance::send,       &Performance::settle,
                                         &Performance::signal,     &Performance::hangUp,     &Performance::write,
                                         &Performance::resize,     &Performance::writeQueue, &Performance::readQueue,
                                         &Performance::answerLink, &Performance::writeLink,  &Performance::disconnect};
    static_assert(std::size(kSteps) == static_cast<size_t>(StepKind::MAX) + 1);
    (this->*kSteps[numberOf(step, fb::Step::VT_KIND) % std::size(kSteps)])(step);
  }

  void settleAll() {
    for (std::optional<Peer> &peer : peers_)
      if (peer)
        peer->settle();
  }

private:
  Peer &peer(const Table &step) {
    std::optional<Peer> &peer = peers_[numberOf(step, fb::Step::VT_CONNECTION) % peers_.size()];
    if (!peer)
      peer.emplace(path_);
    return *peer;
  }
  static size_t indexOf(const Table &step) { return numberOf(step, fb::Step::VT_DESCRIPTOR); }

  void send(const Table &step) { peer(step).send(tableOf(step, fb::Step::VT_MESSAGE), descriptors_); }
  void settle(const Table &step) { peer(step).settle(); }
  void call(const Table &step) {
    send(step);
    settle(step);
  }
  void signal(const Table &step) { descriptors_.signal(indexOf(step)); }
  void hangUp(const Table &step) { descriptors_.hangUp(indexOf(step)); }
  void write(const Table &step) {
    descriptors_.write(indexOf(step), numberOf(step, fb::Step::VT_OFFSET), bytesOf(step, fb::Step::VT_BYTES));
  }
  void resize(const Table &step) { descriptors_.resize(indexOf(step), numberOf(step, fb::Step::VT_OFFSET)); }

  hal::ByteQueue *queue(const Table &step) {
    OpenDescriptor *opened = descriptors_.at(indexOf(step));
    return opened != nullptr ? opened->queue.get() : nullptr;
  }
  void writeQueue(const Table &step) {
    Bytes elements = bytesOf(step, fb::Step::VT_BYTES);
    elements.resize(elements.size() / DescriptorBox::kElementBytes * DescriptorBox::kElementBytes);
    if (hal::ByteQueue *queue = this->queue(step); queue != nullptr && !elements.empty())
      (void)queue->tryWrite(elements);
  }
  void readQueue(const Table &step) {
    hal::ByteQueue *queue = this->queue(step);
    if (queue == nullptr)
      return;
    Bytes element(DescriptorBox::kElementBytes);
    if (queue->read(element, std::chrono::milliseconds(kWaitMilliseconds)) != hal::QueueState::Ready)
      return;
    element.resize(queue->availableToRead() * DescriptorBox::kElementBytes);
    if (!element.empty())
      (void)queue->tryRead(element);
  }

  /// The socket's other end, on which the service requests the memories of a burst.
  int link(const Table &step) {
    OpenDescriptor *opened = descriptors_.at(indexOf(step));
    return opened != nullptr && opened->other.isValid() ? opened->other.get() : -1;
  }
  std::vector<hal::SharedHandle> handlesOf(const Table &step) {
    return packetOf(tableOf(step, fb::Step::VT_MESSAGE), descriptors_).handles;
  }
  void writeLink(const Table &step) {
    if (const Bytes &bytes = bytesOf(step, fb::Step::VT_BYTES); link(step) >= 0 && !bytes.empty())
      sendRaw(link(step), bytes, handlesOf(step));
  }
  void answerLink(const Table &step) {
    if (link(step) < 0 || !awaitReadable(link(step), kWaitMilliseconds))
      return;
    constexpr size_t kSequenceAt = 8; // in the header of either direction
    std::array<uint8_t, 512> question{};
    Bytes answer = bytesOf(step, fb::Step::VT_BYTES);
    const ssize_t got = ::recv(link(step), question.data(), question.size(), MSG_DONTWAIT);
    if (got < static_cast<ssize_t>(kSequenceAt + 4) || answer.size() < kSequenceAt + 4)
      return;
    std::copy_n(question.begin() + kSequenceAt, 4, answer.begin() + kSequenceAt);
    sendRaw(link(step), answer, handlesOf(step));
  }
  /// The next step of the same connection connects again.
  void disconnect(const Table &step) { peers_[numberOf(step, fb::Step::VT_CONNECTION) % peers_.size()].reset(); }

  const std::string path_;
  DescriptorBox descriptors_;
  std::array<std::optional<Peer>, 2> peers_;
};

} // namespace

void perform(const FuzzedService &service, const Table &script) {
  Performance performance(service, script);
  const Tables &steps = tablesOf(script, fb::ServiceScript::VT_STEPS);
  for (size_t i = 0; i < steps.size() && i < kMaxSteps; ++i)
    performance.step(*steps[i]);
  performance.settleAll();
}

} // namespace avocet::fuzz
