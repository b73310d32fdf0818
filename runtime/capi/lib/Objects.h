//===- Objects.h - The objects of the C library -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CAPI_LIB_OBJECTS_H
#define AVOCET_RUNTIME_CAPI_LIB_OBJECTS_H

#include "Handles.h"
#include "avocet/avocet.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/firmware_iface/TargetEdit.h"
#include "avocet/network/ModelSource.h"
#include "avocet/session/LocalSession.h"
#include "avocet/session/Pictures.h"
#include "avocet/session/ServedOptions.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace avocet::capi {

struct Reason {
  std::string fields[AVOCET_REASON_ADVICE + 1];
};

struct Error {
  AvocetCode code = AVOCET_OK;
  std::string message;
  std::vector<Reason> reasons = {};
  std::string json = {};
};

/// What a target's text of an option becomes: a file, which the compiler and the runtime load by its path.
struct TargetText {
  ScratchDirectory folder;
  std::string path;
};

struct Options {
  network::ModelChoice choice; ///< without path and bytes
  std::shared_ptr<const TargetText> targetText;
  std::vector<firmware::TargetChange> targetChanges; ///< optionsOf() makes a target of them
  session::LocalOptions local;
  session::ServedOptions served;
  session::PictureChoice pictures;
  size_t top = 5;
  std::string layer;
  bool triesChanges = true;
  bool withIr = true;
  AvocetProgress progress = nullptr;
  void *progressUser = nullptr;
  AvocetCancelled cancelled = nullptr;
  void *cancelledUser = nullptr;
};

struct Network {
  std::string path;
  std::span<const uint8_t> bytes; ///< of the caller; empty: the file at `path`
};

struct Report {
  std::string text;
};

struct Device {
  enum class Kind { Backend, Cpu, Service };
  Kind kind = Kind::Backend;
  std::string name; ///< as opened
  std::string part; ///< of a back end its specification, of a service the name of its device
};

/// A description, and the run that has the data.
class Run;
struct Tensor {
  cache::OperandView view;
  std::shared_ptr<const void> owner; ///< of the view
  std::weak_ptr<Run> run;            ///< none: a model's, or a call's
  AvocetRole role = AVOCET_INPUT;
  size_t index = 0;
  void *data = nullptr; ///< of a call
};

using ErrorTable = HandleTable<AvocetError, Error, HandleKind::Error>;
using OptionsTable = HandleTable<AvocetOptions, Options, HandleKind::Options>;
using NetworkTable = HandleTable<AvocetNetwork, const Network, HandleKind::Network>;
using ReportTable = HandleTable<AvocetReport, const Report, HandleKind::Report>;
using DeviceTable = HandleTable<AvocetDevice, const Device, HandleKind::Device>;
using TensorTable = HandleTable<AvocetTensor, const Tensor, HandleKind::Tensor>;

/// Tables live as long as the process: other threads may call while it exits.
template <typename Table> Table &table() {
  static Table &made = *new Table;
  return made;
}

/// Handles of tensors of one owner, made when they are first asked for and destroyed with it. Any thread.
class TensorHandles {
public:
  ~TensorHandles();
  /// `make` gives the tensor if there is no handle yet.
  template <typename Make> AvocetTensor *get(AvocetRole role, size_t index, const Make &make) {
    std::lock_guard lock(mutex_);
    for (const Entry &entry : entries_)
      if (entry.role == role && entry.index == index)
        return entry.handle;
    entries_.reserve(entries_.size() + 1);
    entries_.push_back({role, index, table<TensorTable>().add(std::make_shared<const Tensor>(make()))});
    return entries_.back().handle;
  }

private:
  struct Entry {
    AvocetRole role;
    size_t index;
    AvocetTensor *handle;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

/// The network that a model comes from.
struct Source {
  std::string path;
  std::vector<uint8_t> bytes; ///< of a file in memory, for devices that compile it themselves; else empty
  bool isOnnx = false;
};

struct Model {
  session::LoadedModel loaded;
  std::shared_ptr<const TargetText> targetText; ///< null: `loaded.target` has a name or a file of the user
  std::string target;                           ///< as cache and target files name it; empty: the artefacts' own
  std::shared_ptr<const Source> source;
  std::string name, targetName;
  TensorHandles tensors;
};
using ModelTable = HandleTable<AvocetModel, Model, HandleKind::Model>;

} // namespace avocet::capi

#endif // AVOCET_RUNTIME_CAPI_LIB_OBJECTS_H
