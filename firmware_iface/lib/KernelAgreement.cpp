//===- KernelAgreement.cpp - Checks the kernel driver's structs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel driver is C and has its own declarations of what it shares with the device. This file holds no code: it
// fails to compile if the two differ.
//
//===----------------------------------------------------------------------===//

#include "../kmod/avocet_fw.h"
#include "../kmod/avocet_ivshmem_layout.h"

#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "avocet/firmware_iface/Registers.h"
#include "avocet/firmware_iface/Version.h"

namespace avocet::firmware {
namespace {

template <typename E> constexpr bool same(E value, uint32_t number) { return static_cast<uint32_t>(value) == number; }

static_assert(kInterfaceMajor == AVOCET_FW_INTERFACE_MAJOR && kInterfaceMinor == AVOCET_FW_INTERFACE_MINOR);
static_assert(kEncodingVersion == AVOCET_FW_ENCODING_VERSION);

static_assert(same(Register::Magic, AVOCET_REG_MAGIC) && same(Register::Control, AVOCET_REG_CONTROL));
static_assert(same(Register::InterfaceVersion, AVOCET_REG_INTERFACE_VERSION));
static_assert(same(Register::EncodingVersion, AVOCET_REG_ENCODING_VERSION));
static_assert(same(Register::Status, AVOCET_REG_STATUS));
static_assert(same(Register::InterruptStatus, AVOCET_REG_INTERRUPT_STATUS));
static_assert(same(Register::InterruptEnable, AVOCET_REG_INTERRUPT_ENABLE));
static_assert(same(Register::InterruptClear, AVOCET_REG_INTERRUPT_CLEAR));
static_assert(same(Register::MailboxInLow, AVOCET_REG_MAILBOX_IN_LOW));
static_assert(same(Register::MailboxInHigh, AVOCET_REG_MAILBOX_IN_HIGH));
static_assert(same(Register::MailboxOutLow, AVOCET_REG_MAILBOX_OUT_LOW));
static_assert(same(Register::MailboxOutHigh, AVOCET_REG_MAILBOX_OUT_HIGH));
static_assert(same(Register::MailboxBell, AVOCET_REG_MAILBOX_BELL) && same(Register::RingBell, AVOCET_REG_RING_BELL));
static_assert(same(Register::CycleCountLow, AVOCET_REG_CYCLE_COUNT_LOW));
static_assert(same(Register::CycleCountHigh, AVOCET_REG_CYCLE_COUNT_HIGH));
static_assert(kDeviceMagic == AVOCET_DEVICE_MAGIC && kRegisterPageBytes == AVOCET_REG_BYTES);
static_assert(AVOCET_REG_CYCLE_COUNT_HIGH / 4 < AVOCET_IVSHMEM_REGISTERS);
static_assert(control::kRun == AVOCET_CONTROL_RUN && control::kReset == AVOCET_CONTROL_RESET);
static_assert(interrupt::kMailbox == AVOCET_INTERRUPT_MAILBOX);
static_assert(interrupt::kCompletion == AVOCET_INTERRUPT_COMPLETION);
static_assert(interrupt::kError == AVOCET_INTERRUPT_ERROR);

static_assert(same(MailboxState::Empty, AVOCET_MAILBOX_EMPTY) && same(MailboxState::Full, AVOCET_MAILBOX_FULL));
static_assert(same(MessageKind::Hello, AVOCET_MESSAGE_HELLO));
static_assert(same(MessageKind::CreateContext, AVOCET_MESSAGE_CREATE_CONTEXT));
static_assert(same(MessageKind::DestroyContext, AVOCET_MESSAGE_DESTROY_CONTEXT));
static_assert(same(MessageKind::Map, AVOCET_MESSAGE_MAP) && same(MessageKind::Unmap, AVOCET_MESSAGE_UNMAP));
static_assert(same(MessageKind::CreateRing, AVOCET_MESSAGE_CREATE_RING));
static_assert(same(MessageKind::DestroyRing, AVOCET_MESSAGE_DESTROY_RING));
static_assert(same(MessageKind::Cancel, AVOCET_MESSAGE_CANCEL));
static_assert(same(ReplyCode::Ok, AVOCET_REPLY_OK) && same(ReplyCode::NoSuchJob, AVOCET_REPLY_NO_SUCH_JOB));
static_assert(same(ReplyCode::OutOfContexts, AVOCET_REPLY_OUT_OF_CONTEXTS));
static_assert(same(ReplyCode::OutOfMappings, AVOCET_REPLY_OUT_OF_MAPPINGS));

static_assert(sizeof(Mailbox) == sizeof(avocet_fw_message) &&
              offsetof(Mailbox, body) == offsetof(avocet_fw_message, body));
static_assert(sizeof(HelloRequest) == sizeof(avocet_fw_hello));
static_assert(sizeof(HelloReply) == sizeof(avocet_fw_hello_reply));
static_assert(offsetof(HelloReply, maxRegions) == offsetof(avocet_fw_hello_reply, max_regions));
static_assert(offsetof(HelloReply, targetName) == offsetof(avocet_fw_hello_reply, target_name));
static_assert(sizeof(Reply) == sizeof(avocet_fw_reply) && sizeof(ContextRequest) == sizeof(avocet_fw_context));
static_assert(sizeof(MapRequest) == sizeof(avocet_fw_map));
static_assert(offsetof(MapRequest, systemAddress) == offsetof(avocet_fw_map, system_address));
static_assert(sizeof(RingRequest) == sizeof(avocet_fw_ring) && sizeof(CancelRequest) == sizeof(avocet_fw_cancel));
static_assert(offsetof(RingRequest, address) == offsetof(avocet_fw_ring, address));

static_assert(kRingMagic == AVOCET_RING_MAGIC && kMaxJobStreams == AVOCET_MAX_JOB_STREAMS);
static_assert(kMaxRegions == AVOCET_MAX_REGIONS && kMaxPriority == AVOCET_MAX_PRIORITY);
static_assert(kMaxSections == AVOCET_MAX_SECTIONS && kMaxStreams == AVOCET_ENGINE_DMA + AVOCET_MAX_DMA_CHANNELS);
static_assert(kTableAlignment == AVOCET_TABLE_ALIGNMENT);
static_assert(sizeof(RingHeader) == sizeof(avocet_fw_ring_header));
static_assert(offsetof(RingHeader, tail) == offsetof(avocet_fw_ring_header, tail));
static_assert(offsetof(RingHeader, head) == offsetof(avocet_fw_ring_header, head));
static_assert(sizeof(JobDescriptor) == sizeof(avocet_fw_job));
static_assert(offsetof(JobDescriptor, streamTable) == offsetof(avocet_fw_job, stream_table));
static_assert(offsetof(JobDescriptor, completion) == offsetof(avocet_fw_job, completion));
static_assert(offsetof(JobDescriptor, dependencyTable) == offsetof(avocet_fw_job, dependency_table));
static_assert(sizeof(CompletionRecord) == sizeof(avocet_fw_completion));
static_assert(offsetof(CompletionRecord, faultAddress) == offsetof(avocet_fw_completion, fault_address));
static_assert(offsetof(CompletionRecord, arrivalCycle) == offsetof(avocet_fw_completion, arrival_cycle));
static_assert(offsetof(CompletionRecord, indexExtent) == offsetof(avocet_fw_completion, index_extent));
static_assert(offsetof(CompletionRecord, indexLayer) == offsetof(avocet_fw_completion, index_layer));
static_assert(offsetof(CompletionRecord, index) == offsetof(avocet_fw_completion, index));

static_assert(same(FaultCode::None, AVOCET_FAULT_NONE) && same(FaultCode::Cancelled, AVOCET_FAULT_CANCELLED));
static_assert(same(FaultCode::DeadlineMissed, AVOCET_FAULT_DEADLINE_MISSED));
static_assert(same(FaultCode::DeviceReset, AVOCET_FAULT_DEVICE_RESET));
static_assert(same(FaultCode::HardwareError, AVOCET_FAULT_HARDWARE_ERROR));
static_assert(same(FaultCode::DependencyFailed, AVOCET_FAULT_DEPENDENCY_FAILED));

} // namespace
} // namespace avocet::firmware
