/*===- avocet.h - Compiles and runs networks on Avocet devices ----*- C -*-===//
 *
 * Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * The C interface of libavocet.so.0:
 *
 *   network (a file) --compile--> model --create a run on a device--> run --execute--> outputs, report
 *
 * Stability. Functions, constants and their meaning stay as long as the library is called libavocet.so.0; functions,
 * options and constants are added (runtime/capi/Stability.md). The comment of a function names the release that has it
 * first. There are no structs in this interface.
 *
 * Handles. Each object has a handle, which its Destroy function gives back. Destroy functions accept NULL. A handle
 * that was destroyed, is NULL or belongs to an object of another kind is refused with AVOCET_INVALID_ARGUMENT;
 * functions that return a value then return 0, NULL or "". A model does not need its network any more, a run neither
 * its model nor its device. Options and their call-backs are used during the call only, except operators
 * (avocetOptionsSetOperator()).
 *
 * Errors. A function that can fail returns NULL, or an error that the caller destroys. It then has changed nothing, and
 * its results are NULL or 0. No function ends the process or lets an exception pass.
 *
 * Threads. All functions may be called from any thread. One run executes once at a time: what needs it idle is refused
 * with AVOCET_FAILED_PRECONDITION while it executes. Calls for different objects do not wait for each other, except
 * that back ends share the processor.
 *
 * Memory. Texts and arrays that functions return belong to the object and live as long as it does, if nothing else is
 * said. Texts are UTF-8 and end with a zero byte. Tensors are dense, row-major and little-endian.
 *
 *===----------------------------------------------------------------------===*/

#ifndef AVOCET_AVOCET_H
#define AVOCET_AVOCET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define AVOCET_API __attribute__((visibility("default")))
#else
#define AVOCET_API
#endif

/* Counts the additions to this interface. */
#define AVOCET_API_VERSION 3

typedef struct AvocetError AvocetError;
typedef struct AvocetOptions AvocetOptions;
typedef struct AvocetNetwork AvocetNetwork;
typedef struct AvocetModel AvocetModel;
typedef struct AvocetDevice AvocetDevice;
typedef struct AvocetRun AvocetRun;
typedef struct AvocetTensor AvocetTensor;
typedef struct AvocetReport AvocetReport;
typedef struct AvocetCall AvocetCall;

/* Release of the library, such as "0.1.0 (0123456789ab)". Since 0.1. */
AVOCET_API const char *avocetVersion(void);

/* AVOCET_API_VERSION of the library; at least that of the header that a program was built with. Since 0.1. */
AVOCET_API uint32_t avocetApiVersion(void);

/*===--- Errors ------------------------------------------------------------===*/

typedef int32_t AvocetCode;
enum {
  AVOCET_OK = 0,
  AVOCET_INVALID_ARGUMENT = 1,    /* the caller's value breaks a rule of this header */
  AVOCET_NOT_FOUND = 2,           /* a file, target, device, tensor or library does not exist */
  AVOCET_DATA_LOSS = 3,           /* a file is truncated, corrupt or of another version */
  AVOCET_UNSUPPORTED = 4,         /* valid, but this target, device or build cannot do it; see the reasons */
  AVOCET_RESOURCE_EXHAUSTED = 5,  /* memory, descriptors or a quota ran out */
  AVOCET_FAILED_PRECONDITION = 6, /* the object is not in the state that the call needs */
  AVOCET_DEADLINE_EXCEEDED = 7,   /* a time limit passed first */
  AVOCET_ABORTED = 8,             /* cancelled, or refused by a service */
  AVOCET_DEVICE_FAULT = 9,        /* the device ended the run with a fault */
  AVOCET_DEVICE_LOST = 10,        /* the device is gone */
  AVOCET_INTERNAL = 11            /* an error of Avocet itself */
};

/* A part of a reason. Numbers are decimal; a part that does not apply is "". */
typedef int32_t AvocetReasonField;
enum {
  AVOCET_REASON_OPERATOR = 0, /* kind in the file, such as "CONV_2D" */
  AVOCET_REASON_NUMBER = 1,   /* of the operator in the first subgraph of a .tflite file */
  AVOCET_REASON_TENSOR = 2,   /* that the operator makes */
  AVOCET_REASON_LOCATION = 3, /* file and place */
  AVOCET_REASON_OPERAND = 4,  /* operand or attribute that breaks the rule */
  AVOCET_REASON_RULE = 5,     /* what is required */
  AVOCET_REASON_VALUE = 6,    /* what was found */
  AVOCET_REASON_LIMIT = 7,    /* what is accepted */
  AVOCET_REASON_ADVICE = 8    /* what to do */
};

/* AVOCET_OK for NULL. Since 0.1. */
AVOCET_API AvocetCode avocetErrorCode(const AvocetError *error);

/* One sentence for the user: what was refused, what is accepted, what to do. "" for NULL. Since 0.1. */
AVOCET_API const char *avocetErrorMessage(const AvocetError *error);

/* Why a network was refused: one reason for each operator and rule. Since 0.1. */
AVOCET_API size_t avocetErrorReasonCount(const AvocetError *error);

/* A part of a reason; NULL if there is no such reason or field. Since 0.1. */
AVOCET_API const char *avocetErrorReason(const AvocetError *error, size_t index, AvocetReasonField field);

/* All that the compiler said, as `avocet compile --diagnostics json` prints it (diagnostics.schema.json). "" for an
 * error that did not come from the compiler. Since 0.1. */
AVOCET_API const char *avocetErrorJson(const AvocetError *error);

/* Since 0.1. */
AVOCET_API void avocetErrorDestroy(AvocetError *error);

/*===--- Options -----------------------------------------------------------===*/

/* Called on the calling thread: what is done now, as one line of text. If the work has steps, `total` is their number
 * and `done` of them have ended; otherwise `total` is 0. It must not call functions of this library. */
typedef void (*AvocetProgress)(void *user, const char *what, uint32_t done, uint32_t total);

/* Polled on the calling thread at least every few milliseconds while the compiler runs. Not 0: the call ends with
 * AVOCET_ABORTED. */
typedef int32_t (*AvocetCancelled)(void *user);

/* An empty set of options, for which all have their defaults. Everywhere NULL stands for that, too. Since 0.1. */
AVOCET_API AvocetError *avocetOptionsCreate(AvocetOptions **options);

/* Sets an option, or adds a value to one that may be repeated. A function uses those that concern it and ignores the
 * others, so that one object can serve all calls. avocetOptionName() lists them. AVOCET_NOT_FOUND: no such name;
 * AVOCET_INVALID_ARGUMENT: the value says what is accepted. Since 0.1. */
AVOCET_API AvocetError *avocetOptionsSet(AvocetOptions *options, const char *name, const char *value);

/* NULL turns it off. Since 0.1. */
AVOCET_API AvocetError *avocetOptionsSetProgress(AvocetOptions *options, AvocetProgress progress, void *user);

/* NULL turns it off. Since 0.1. */
AVOCET_API AvocetError *avocetOptionsSetCancelled(AvocetOptions *options, AvocetCancelled cancelled, void *user);

/* Names of all options, in order; NULL from the first index without one. They live as long as the library. Since 0.1.
 */
AVOCET_API const char *avocetOptionName(size_t index);

/* What the option does, its values and its default. Since 0.1. */
AVOCET_API const char *avocetOptionHelp(size_t index);

/* Since 0.1. */
AVOCET_API void avocetOptionsDestroy(AvocetOptions *options);

/*===--- Networks ----------------------------------------------------------===*/

/* Opens a network: a file of any front end (.tflite, .onnx, .tosa, MLIR), or a directory of artefacts. The file is read
 * when it is compiled. Since 0.1. */
AVOCET_API AvocetError *avocetNetworkOpen(const char *path, AvocetNetwork **network);

/* The same for the bytes of a file. They are not copied, and must not change before the network is destroyed. `name`
 * names them in messages. Since 0.1. */
AVOCET_API AvocetError *avocetNetworkCreate(const void *bytes, size_t size, const char *name, AvocetNetwork **network);

/* Whether the target can run each operator: NULL, or AVOCET_UNSUPPORTED with a reason for each refusal. Other errors
 * mean that the question could not be answered. Since 0.1. */
AVOCET_API AvocetError *avocetNetworkCheck(const AvocetNetwork *network, const AvocetOptions *options);

/* Compiles the network, or loads the artefacts. AVOCET_UNSUPPORTED has reasons. Since 0.1. */
AVOCET_API AvocetError *avocetNetworkCompile(const AvocetNetwork *network, const AvocetOptions *options,
                                             AvocetModel **model);

/* What `avocet explain --json` prints (explain.schema.json), also for a network that the target refuses. It compiles
 * and simulates the network, and by default targets like this one. Since 0.1. */
AVOCET_API AvocetError *avocetNetworkExplain(const AvocetNetwork *network, const AvocetOptions *options,
                                             AvocetReport **report);

/* What `avocet report --data` writes (report.schema.json). It compiles the network several times and simulates it.
 * Since 0.1. */
AVOCET_API AvocetError *avocetNetworkReport(const AvocetNetwork *network, const AvocetOptions *options,
                                            AvocetReport **report);

/* Since 0.1. */
AVOCET_API void avocetNetworkDestroy(AvocetNetwork *network);

/*===--- Tensors -----------------------------------------------------------===*/

/* What a tensor is for a network. States are its variables: they keep their values from run to run. */
typedef int32_t AvocetRole;
enum { AVOCET_INPUT = 0, AVOCET_OUTPUT = 1, AVOCET_STATE = 2 };

/* Types of elements. Values of bool are bytes, 0 or 1. */
typedef int32_t AvocetType;
enum {
  AVOCET_INT8 = 0,
  AVOCET_UINT8 = 1,
  AVOCET_INT16 = 2,
  AVOCET_INT32 = 3,
  AVOCET_INT64 = 4,
  AVOCET_FLOAT16 = 5,
  AVOCET_FLOAT32 = 6,
  AVOCET_BOOL = 7,
  AVOCET_UINT16 = 8,
  AVOCET_BFLOAT16 = 9
};

/* Tensors belong to the model or run that they were asked from, and live as long as it does. */

/* Name in the network's file. Since 0.1. */
AVOCET_API const char *avocetTensorName(const AvocetTensor *tensor);

/* Since 0.1. */
AVOCET_API AvocetType avocetTensorType(const AvocetTensor *tensor);

/* Number of axes; 0 for a scalar. Since 0.1. */
AVOCET_API size_t avocetTensorRank(const AvocetTensor *tensor);

/* Extents, outermost first; avocetTensorRank() many. Since 0.1. */
AVOCET_API const int32_t *avocetTensorShape(const AvocetTensor *tensor);

/* Size of the data. Since 0.1. */
AVOCET_API size_t avocetTensorBytes(const AvocetTensor *tensor);

/* Quantization: real value = scale * (stored value - zero point). No scale: not quantized; one: for the tensor; more:
 * one for each index on avocetTensorAxis(). Since 0.1. */
AVOCET_API size_t avocetTensorScaleCount(const AvocetTensor *tensor);

/* avocetTensorScaleCount() many. Since 0.1. */
AVOCET_API const float *avocetTensorScales(const AvocetTensor *tensor);

/* avocetTensorScaleCount() many. Since 0.1. */
AVOCET_API const int32_t *avocetTensorZeroPoints(const AvocetTensor *tensor);

/* The axis with a scale for each index. Since 0.1. */
AVOCET_API int32_t avocetTensorAxis(const AvocetTensor *tensor);

/* Data of a tensor of a run, or of a call of an operator. Those of a run stay at their place until avocetTensorBind():
 * the caller's memory or the run's own. Inputs and states may be written and keep their bytes between runs. Outputs are
 * those of the last run. NULL for a tensor of a model, and while the run executes: then the data must not be touched.
 * The place of a state may change with each run. Since 0.1. */
AVOCET_API void *avocetTensorData(const AvocetTensor *tensor);

/* Lets an input or output of a run be in the caller's memory from now on; NULL: in the run's own memory. `bytes` must
 * be those of the tensor. The memory stays the caller's and must live until another is bound or the run is destroyed.
 * The simulator and the kernel driver use it in place if its address is a multiple of 16; everything else is copied
 * and counted (avocetRunCopiedBytes()). AVOCET_FAILED_PRECONDITION: the run executes. Since 0.1. */
AVOCET_API AvocetError *avocetTensorBind(AvocetTensor *tensor, void *memory, size_t bytes);

/* Fills an input of a run from a PNG or JPEG file. The options fit, colors, mean and scale say how pixels become
 * elements; what they leave open is as the metadata of the .tflite file say that the model was compiled from, else
 * 8-bit inputs use their whole range and others 0 to 1. Inputs have the shape 1 x height x width x channels or 1 x
 * channels x height x width with 1 or 3 channels. AVOCET_INVALID_ARGUMENT: the input has another shape, or the file
 * another format; AVOCET_FAILED_PRECONDITION: the run executes. Since 0.1. */
AVOCET_API AvocetError *avocetTensorReadImage(AvocetTensor *tensor, const char *path, const AvocetOptions *options);

/* The same for the bytes of a file, which are used during the call only. Since 0.1. */
AVOCET_API AvocetError *avocetTensorDecodeImage(AvocetTensor *tensor, const void *bytes, size_t size,
                                                const AvocetOptions *options);

/* The best classes of an output of a run after its last execution, the best first: {"classes": [{"label": 7, "name":
 * "seven", "score": 0.5}, ...]}, with the keys of run.schema.json. Scores are real numbers. The options labels and top
 * say what they are called and how many there are; labels are those of the metadata of the .tflite file by default,
 * else numbers. AVOCET_UNSUPPORTED: the output has more than one score for each class. Since 0.1. */
AVOCET_API AvocetError *avocetTensorClasses(const AvocetTensor *tensor, const AvocetOptions *options,
                                            AvocetReport **report);

/*===--- Operators of the application --------------------------------------===*/

/* Computes one operator that the target refuses: reads the inputs of the call, and writes every byte of its outputs.
 * The result is AVOCET_OK, or the code of the error that ends the execution, of which avocetCallSetMessage() gives the
 * text. Called on the thread that executes the run, once for each operator of the name and execution; by runs that
 * execute at the same time, at the same time. It may use the call and its tensors until it returns, with functions of
 * this header, and must not execute, bind or destroy the run. Inputs must not be written. Types, shapes and places of
 * all tensors are fixed before the call. */
typedef AvocetCode (*AvocetOperator)(void *user, AvocetCall *call);

/* Operators called `name` are computed by `compute`, if the option fallback is cpu and the target refuses them; NULL:
 * no longer. The name is the custom code in a .tflite file, and "domain::kind" in an .onnx file. Both must live as long
 * as the models that are compiled with these options, and their runs. Since 0.1. */
AVOCET_API AvocetError *avocetOptionsSetOperator(AvocetOptions *options, const char *name, AvocetOperator compute,
                                                 void *user);

/* The name of the operator. Since 0.1. */
AVOCET_API const char *avocetCallName(const AvocetCall *call);

/* Inputs and outputs; 0 for states. Since 0.1. */
AVOCET_API size_t avocetCallTensorCount(const AvocetCall *call, AvocetRole role);

/* Its data are at avocetTensorData(). The handle ends with the call. Since 0.1. */
AVOCET_API AvocetError *avocetCallTensor(const AvocetCall *call, AvocetRole role, size_t index, AvocetTensor **tensor);

/* The attributes: custom_options of a .tflite file; of an .onnx file a NodeProto that has only attributes. NULL and 0
 * if there are none. `size` may be NULL. Since 0.1. */
AVOCET_API const void *avocetCallAttributes(const AvocetCall *call, size_t *size);

/* Why the operator cannot be computed, for the user. The text is copied. Since 0.1. */
AVOCET_API void avocetCallSetMessage(AvocetCall *call, const char *message);

/*===--- Targets -----------------------------------------------------------===*/

/* What `avocet targets --json` prints (targets.schema.json): the targets that the option target can name. Since 0.1. */
AVOCET_API AvocetError *avocetTargetList(AvocetReport **report);

/* The same for the target of the options target, target-text and target-change, with all figures by their keys and the
 * text of its target file. Since 0.1. */
AVOCET_API AvocetError *avocetTargetDescribe(const AvocetOptions *options, AvocetReport **report);

/*===--- Models ------------------------------------------------------------===*/

/* Loads artefacts that avocetModelSave() or `avocet compile` wrote. The compiler is not loaded. Since 0.1. */
AVOCET_API AvocetError *avocetModelOpen(const char *directory, const AvocetOptions *options, AvocetModel **model);

/* Writes the artefacts, and the target file if the target is not a shipped one. Readers of the directory find the old
 * or the new pair. AVOCET_UNSUPPORTED: the host computes operators of the model (option fallback). Since 0.1. */
AVOCET_API AvocetError *avocetModelSave(const AvocetModel *model, const char *directory);

/* Since 0.1. */
AVOCET_API const char *avocetModelName(const AvocetModel *model);

/* Name of the target. Since 0.1. */
AVOCET_API const char *avocetModelTarget(const AvocetModel *model);

/* Device cycles of one run that the compiler predicts; 0: not known. Since 0.1. */
AVOCET_API uint64_t avocetModelPredictedCycles(const AvocetModel *model);

/* Since 0.1. */
AVOCET_API size_t avocetModelTensorCount(const AvocetModel *model, AvocetRole role);

/* Since 0.1. */
AVOCET_API AvocetError *avocetModelTensor(const AvocetModel *model, AvocetRole role, size_t index,
                                          AvocetTensor **tensor);

/* By name. AVOCET_NOT_FOUND lists the names. Since 0.1. */
AVOCET_API AvocetError *avocetModelFindTensor(const AvocetModel *model, AvocetRole role, const char *name,
                                              AvocetTensor **tensor);

/* Since 0.1. */
AVOCET_API void avocetModelDestroy(AvocetModel *model);

/*===--- Devices -----------------------------------------------------------===*/

/* Names where runs execute:
 *   sim              the simulator, in this process
 *   kernel[:NODE]    a device of the kernel driver: the first, or /dev/accel/accelN
 *   cpu              the processor, without cycles; only models of .tflite and .onnx files
 *   service:NAME     a device of a driver service (see `avocet devices`); only models of .tflite and
 *                    .onnx files, with their own shapes
 *   null             computes nothing, for measurements of the software
 *   recorder:FILE    records all requests (see `avocet replay`)
 *   NAME, PATH       a back end in a library: of AVOCET_BACKENDS by its name, any by its path
 * (runtime/AddingABackEnd.md) NULL stands for the knob AVOCET_BACKEND, which is sim by default. AVOCET_NOT_FOUND: there
 * is no such device. Since 0.1. */
AVOCET_API AvocetError *avocetDeviceOpen(const char *name, const AvocetOptions *options, AvocetDevice **device);

/* The devices of this machine that can be opened (places.schema.json), those of the kernel driver with the reason for
 * which one cannot be used, and those of services at the option socket. A service that does not answer is named in
 * "left_out" and is no error. Asks services for at most some seconds. Since 0.1. */
AVOCET_API AvocetError *avocetDeviceList(const AvocetOptions *options, AvocetReport **report);

/* As it was opened. Since 0.1. */
AVOCET_API const char *avocetDeviceName(const AvocetDevice *device);

/* Since 0.1. */
AVOCET_API void avocetDeviceDestroy(AvocetDevice *device);

/*===--- Runs --------------------------------------------------------------===*/

/* Makes a model ready to run on a device, with memory for its tensors; NULL: the default device. Inputs are zeros,
 * states have their initial values. Since 0.1. */
AVOCET_API AvocetError *avocetRunCreate(const AvocetModel *model, const AvocetDevice *device,
                                        const AvocetOptions *options, AvocetRun **run);

/* Since 0.1. */
AVOCET_API AvocetError *avocetRunTensor(const AvocetRun *run, AvocetRole role, size_t index, AvocetTensor **tensor);

/* By name. AVOCET_NOT_FOUND lists the names. Since 0.1. */
AVOCET_API AvocetError *avocetRunFindTensor(const AvocetRun *run, AvocetRole role, const char *name,
                                            AvocetTensor **tensor);

/* Executes once and waits for the end. States advance. After an error outputs have any bytes. Since 0.1. */
AVOCET_API AvocetError *avocetRunExecute(AvocetRun *run);

/* Called once, on a thread of the library, at the end of a started execution; `code` is that of its error. It may call
 * all functions but avocetRunExecute(), avocetRunStart() and avocetRunWait() for this run. */
typedef void (*AvocetCompleted)(void *user, AvocetCode code);

/* Starts to execute once and returns. `completed` may be NULL. avocetRunWait() gives the error, and may return before
 * `completed` has; avocetRunDestroy() waits for it. Since 0.1. */
AVOCET_API AvocetError *avocetRunStart(AvocetRun *run, AvocetCompleted completed, void *user);

/* Waits for the end of the last started execution; its error, each time that it is asked. `nanoseconds` below 0:
 * without a limit. AVOCET_DEADLINE_EXCEEDED: it still executes. Since 0.1. */
AVOCET_API AvocetError *avocetRunWait(AvocetRun *run, int64_t nanoseconds);

/* A descriptor that polls readable while no started execution is on its way. It belongs to the run; do not read from
 * it. Since 0.1. */
AVOCET_API AvocetError *avocetRunDescriptor(AvocetRun *run, int *descriptor);

/* Asks a run that executes to end; it then ends with AVOCET_ABORTED, or completes. Does not wait.
 * AVOCET_UNSUPPORTED: the CPU and services do not cancel; use the option deadline. Since 0.1. */
AVOCET_API AvocetError *avocetRunCancel(AvocetRun *run);

/* Gives all states their initial values. Since 0.1. */
AVOCET_API AvocetError *avocetRunReset(AvocetRun *run);

/* Device cycles of the last run; 0 where the device does not count. Since 0.1. */
AVOCET_API uint64_t avocetRunCycles(const AvocetRun *run);

/* Bytes of inputs and outputs that this run has copied between the caller's memory and the device's so far. Since 0.1.
 */
AVOCET_API uint64_t avocetRunCopiedBytes(const AvocetRun *run);

/* What `avocet run --report json` prints (run.schema.json) about the last execution. Figures of layers need the option
 * profile. AVOCET_FAILED_PRECONDITION: there was none. Since 0.1. */
AVOCET_API AvocetError *avocetRunReport(const AvocetRun *run, AvocetReport **report);

/* What `avocet run --trace` writes, for Perfetto: the commands of the device in the last execution. Needs the option
 * profile. Since 0.1. */
AVOCET_API AvocetError *avocetRunTrace(const AvocetRun *run, AvocetReport **report);

/* Cancels what executes and waits for its end. Since 0.1. */
AVOCET_API void avocetRunDestroy(AvocetRun *run);

/*===--- Reports -----------------------------------------------------------===*/

/* A JSON document. Since 0.1. */
AVOCET_API const char *avocetReportText(const AvocetReport *report);

/* Bytes of the text without the zero at its end. Since 0.1. */
AVOCET_API size_t avocetReportSize(const AvocetReport *report);

/* Since 0.1. */
AVOCET_API void avocetReportDestroy(AvocetReport *report);

#ifdef __cplusplus
}
#endif

#endif /* AVOCET_AVOCET_H */
