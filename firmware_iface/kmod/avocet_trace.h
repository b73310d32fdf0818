/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception */
/* Tracepoints of jobs, in /sys/kernel/tracing/events/avocet. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM avocet

#if !defined(AVOCET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define AVOCET_TRACE_H

#include <linux/tracepoint.h>

#include "avocet_drv.h"

DECLARE_EVENT_CLASS(avocet_job,
	TP_PROTO(const struct avocet_job *job),
	TP_ARGS(job),
	TP_STRUCT__entry(
		__field(int, accel)
		__field(u64, client)
		__field(u32, context)
		__field(u64, job)
		__field(u32, priority)
		__field(u64, user_data)
	),
	TP_fast_assign(
		__entry->accel = job->context->avocet->drm.accel->index;
		__entry->client = job->context->file->client;
		__entry->context = job->context->id;
		__entry->job = job->number;
		__entry->priority = job->fw.priority;
		__entry->user_data = job->fw.user_data;
	),
	TP_printk("accel=%d client=%llu context=%u job=%llu priority=%u user_data=%llu",
		  __entry->accel, __entry->client, __entry->context, __entry->job,
		  __entry->priority, __entry->user_data)
);

/* SUBMIT has taken the job. */
DEFINE_EVENT(avocet_job, avocet_job_queue,
	TP_PROTO(const struct avocet_job *job),
	TP_ARGS(job)
);

/* The job is in its ring: its fences have signaled. */
DEFINE_EVENT(avocet_job, avocet_job_run,
	TP_PROTO(const struct avocet_job *job),
	TP_ARGS(job)
);

/* The job has ended, on the device or before. */
TRACE_EVENT(avocet_job_end,
	TP_PROTO(const struct avocet_job *job, const struct avocet_fw_completion *outcome),
	TP_ARGS(job, outcome),
	TP_STRUCT__entry(
		__field(int, accel)
		__field(u64, client)
		__field(u32, context)
		__field(u64, job)
		__field(u32, fault)
		__field(u64, cycles)
		__field(u64, start_cycle)
		__field(u64, end_cycle)
	),
	TP_fast_assign(
		__entry->accel = job->context->avocet->drm.accel->index;
		__entry->client = job->context->file->client;
		__entry->context = job->context->id;
		__entry->job = job->number;
		__entry->fault = outcome->fault_code;
		__entry->cycles = outcome->counters.cycles;
		__entry->start_cycle = outcome->start_cycle;
		__entry->end_cycle = outcome->end_cycle;
	),
	TP_printk("accel=%d client=%llu context=%u job=%llu fault=%u cycles=%llu start=%llu end=%llu",
		  __entry->accel, __entry->client, __entry->context, __entry->job, __entry->fault,
		  __entry->cycles, __entry->start_cycle, __entry->end_cycle)
);

#endif /* AVOCET_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE avocet_trace
#include <trace/define_trace.h>
