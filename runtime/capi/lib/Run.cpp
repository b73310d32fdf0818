//===- Run.cpp - A model on a device --------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "Models.h"
#include "avocet/documents/RunJson.h"
#include "avocet/documents/RunTrace.h"
#include "avocet/runtime/StateValues.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace avocet::capi {

Result<std::shared_ptr<Run>> Run::create(const Model &model, const Device &device, const Options &options) {
  std::shared_ptr<Run> run(new Run);
  run->loaded_ = model.loaded;
  run->source_ = model.source;
  if (model.loaded.divided && device.kind != Device::Kind::Backend)
    return unsupported("device '" + device.name +
                       "' runs whole networks, and the host computes operators of this one; choose sim or kernel");
  AVOCET_RETURN_IF_ERROR(device.kind == Device::Kind::Backend ? run->open(model, device, options)
                                                              : run->openRemote(model, device, options));
  run->copiedInputs_.resize(run->session_->numInputs());
  run->copiedOutputs_.resize(run->session_->numOutputs());
  return run;
}

Status Run::open(const Model &model, const Device &device, const Options &options) {
  session::LocalOptions local = options.local;
  local.backend = device.part;
  local.profile = local.profile && local.timing;
  AVOCET_ASSIGN_OR_RETURN(auto session, session::openHere(model.loaded, local));
  properties_ = session->device();
  session_ = std::move(session);
  return Status::ok();
}

Run::~Run() { close(); }

Tensor Run::tensor(AvocetRole role, size_t index) {
  return {tensorView(model(), role, index), loaded_.artefacts.model, weak_from_this(), role, index};
}

Status Run::acquire() {
  std::lock_guard lock(mutex_);
  if (isClosed_)
    return failedPrecondition("the run is being destroyed");
  if (isBusy_)
    return failedPrecondition("the run executes; wait for its end, or make another run of the model");
  isBusy_ = true;
  return Status::ok();
}

void Run::release(const Status &status) {
  std::lock_guard lock(mutex_);
  isBusy_ = false;
  count_ += status.isOk() ? 1 : 0;
  changed_.notify_all();
}

void *Run::data(AvocetRole role, size_t index) {
  std::lock_guard lock(mutex_);
  if (isBusy_)
    return nullptr;
  if (role == AVOCET_STATE)
    return session_->states() ? session_->states()->bytes(index).data() : nullptr;
  const Copies &copies = role == AVOCET_INPUT ? copiedInputs_ : copiedOutputs_;
  if (!copies[index].empty())
    return copies[index].data();
  if (role == AVOCET_INPUT)
    return session_->input(index).data();
  return const_cast<uint8_t *>(session_->output(index).data()); // NOLINT: memory of the run, or of the caller
}

Status Run::bind(AvocetRole role, size_t index, std::span<uint8_t> memory) {
  if (role == AVOCET_STATE)
    return unsupported("states are in the run's own memory; write to avocetTensorData()");
  AVOCET_RETURN_IF_ERROR(acquire());
  const NoExecution guard(*this);
  const auto place = [&](std::span<uint8_t> bytes) {
    return role == AVOCET_INPUT ? session_->bindInput(index, bytes) : session_->bindOutput(index, bytes);
  };
  std::span<uint8_t> &copy = (role == AVOCET_INPUT ? copiedInputs_ : copiedOutputs_)[index];
  Status status = place(memory);
  const bool isCopied = status.code() == StatusCode::Unsupported;
  if (isCopied)
    status = place({});
  if (status.isOk())
    copy = isCopied ? memory : std::span<uint8_t>();
  return status;
}

Status Run::runOnce() try {
  for (size_t i = 0; i < copiedInputs_.size(); ++i)
    if (const std::span<uint8_t> from = copiedInputs_[i]; !from.empty()) {
      std::memcpy(session_->input(i).data(), from.data(), from.size());
      copiedBytes_ += from.size();
    }
  AVOCET_ASSIGN_OR_RETURN(session::RunRecord record, session_->run());
  for (size_t i = 0; i < copiedOutputs_.size(); ++i)
    if (const std::span<uint8_t> to = copiedOutputs_[i]; !to.empty()) {
      std::memcpy(to.data(), session_->output(i).data(), to.size());
      copiedBytes_ += to.size();
    }
  if (count_ != 0) // reports have the shortest
    record.takeShorterTimes(record_);
  if (servedReport_)
    servedReport_->note(record);
  record_ = std::move(record);
  return Status::ok();
} catch (const std::exception &error) {
  return internalError(error.what());
}

Status Run::execute() {
  AVOCET_RETURN_IF_ERROR(acquire());
  Status status = runOnce();
  release(status);
  return status;
}

void Run::signal(bool isIdle) {
  uint64_t count = 1;
  if (event_.isValid())
    (void)!(isIdle ? ::write(event_.get(), &count, sizeof(count)) : ::read(event_.get(), &count, sizeof(count)));
}

Status Run::startWorker() try {
  std::lock_guard lock(mutex_);
  if (!worker_.joinable() && !isClosed_)
    worker_ = std::thread([self = shared_from_this()] { self->work(); });
  return Status::ok();
} catch (const std::system_error &error) {
  return resourceExhausted(std::string("no thread for a run can be started: ") + error.what());
}

Status Run::start(AvocetCompleted completed, void *user) {
  AVOCET_RETURN_IF_ERROR(startWorker());
  AVOCET_RETURN_IF_ERROR(acquire());
  std::lock_guard lock(mutex_);
  completed_ = completed;
  completedUser_ = user;
  signal(false);
  isStarted_ = wasStarted_ = true;
  changed_.notify_all();
  return Status::ok();
}

void Run::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return isStarted_ || isClosed_; });
    if (!isStarted_)
      return;
    isStarted_ = false;
    const AvocetCompleted completed = completed_;
    void *const user = completedUser_;
    lock.unlock();
    const Status status = runOnce();
    lock.lock();
    last_ = status;
    isBusy_ = false;
    count_ += status.isOk() ? 1 : 0;
    signal(true);
    changed_.notify_all();
    lock.unlock();
    if (completed)
      completed(user, static_cast<AvocetCode>(status.code()));
    lock.lock();
  }
}

Status Run::wait(std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  if (!wasStarted_)
    return failedPrecondition("no execution was started; call avocetRunStart()");
  const auto isIdle = [&] { return !isBusy_; };
  if (limit < std::chrono::nanoseconds::zero())
    changed_.wait(lock, isIdle);
  else if (!changed_.wait_for(lock, std::min(limit, std::chrono::nanoseconds(std::chrono::hours(24 * 365))), isIdle))
    return {StatusCode::DeadlineExceeded, "the run still executes"};
  return last_;
}

Result<int> Run::descriptor() {
  std::lock_guard lock(mutex_);
  if (!event_.isValid()) {
    event_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event_.isValid())
      return errnoStatus(errno, "cannot make a descriptor for a run");
    if (!isBusy_)
      signal(true);
  }
  return event_.get();
}

Status Run::reset() {
  AVOCET_RETURN_IF_ERROR(acquire());
  const NoExecution guard(*this);
  return session_->reset();
}

uint64_t Run::cycles() const {
  std::lock_guard lock(mutex_);
  return isBusy_ ? 0 : record_.outcome.counters.cycles;
}

uint64_t Run::copiedBytes() const {
  std::lock_guard lock(mutex_);
  return isBusy_ ? 0 : copiedBytes_;
}

void Run::close() {
  std::unique_lock lock(mutex_);
  isClosed_ = true;
  changed_.notify_all();
  if (isBusy_ && session_ && !isOnWorker()) {
    lock.unlock();
    (void)session_->cancel().isOk(); // without it the run takes its time
    lock.lock();
    changed_.wait(lock, [&] { return !isBusy_; });
  }
  std::thread worker = std::move(worker_);
  lock.unlock();
  if (!worker.joinable())
    return;
  if (worker.get_id() == std::this_thread::get_id())
    worker.detach(); // it ends after the call-back that destroys its run
  else
    worker.join();
}

} // namespace avocet::capi
