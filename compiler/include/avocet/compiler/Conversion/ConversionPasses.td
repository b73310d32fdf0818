//===- ConversionPasses.td - Passes between dialects -------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each description has a command and the IR before and after it. tests/compiler/docs runs the command on the first and
// compares the output with the second. A closing brace and bracket have a space between them, since the two together
// end a description.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_TD
#define AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_TD

include "avocet/compiler/Support/PassKinds.td"

def ConvertTosaToNnPass : RequiredPass<"convert-tosa-to-nn", "::mlir::ModuleOp"> {
  let summary = "Convert a network of the TOSA dialect into the graph dialect";
  let description = [{
    Plain integers stay plain integers. An operation with zero points reads and makes quantized numbers of scale 1, which
    `nn.bitcast` joins with the others without cost. Shapes and zero points are constants; so are filters. The module's
    attribute `avocet.keeps_infinities` says that sums of floats keep infinities.

    A module without operations of TOSA is unchanged. Operations that the device cannot run are refused with a reason.

    Command: `avocet-opt --convert-tosa-to-nn`

    Before:

    ```mlir
    func.func @main(%a: tensor<2x3xi32>, %b: tensor<1x3xi32>) -> tensor<2x3xi32> {
      %0 = tosa.add %a, %b : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
      return %0 : tensor<2x3xi32>
    }
    ```

    After:

    ```mlir
    module attributes {avocet.keeps_infinities} {
      func.func @main(%arg0: tensor<2x3xi32>, %arg1: tensor<1x3xi32>) -> tensor<2x3xi32> {
        %0 = nn.add %arg0, %arg1 : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
        return %0 : tensor<2x3xi32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::quant::QuantDialect", "::avocet::compiler::nn::NnDialect"];
}

def ConvertNnToTosaPass : RequiredPass<"convert-nn-to-tosa", "::mlir::ModuleOp"> {
  let summary = "Convert a network of the graph dialect into the TOSA dialect";
  let description = [{
    The way out of this compiler. Quantized numbers become integers: an operation of TOSA has the zero points, and a
    `tosa.rescale` after it the multiplier, the shift and the rounding with which the device computes, so that each
    integer has the same bits. Functions of 8-bit numbers become tables.

    The network is that of an importer, before the phase `nn`. Operations that TOSA cannot express are refused with a
    reason.

    Command: `avocet-opt --convert-nn-to-tosa`

    Before:

    ```mlir
    func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
      %0 = nn.add %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
      return %0 : tensor<2x3xi32>
    }
    ```

    After:

    ```mlir
    module attributes {tosa.target_env = #tosa.target_env<specification_version = "1.0", level = none, profiles = [pro_int, pro_fp], extensions = [int16, int4, controlflow, variable, bf16, doubleround, inexactround, fft]>} {
      func.func @main(%arg0: tensor<2x3xi32>, %arg1: tensor<3xi32>) -> tensor<2x3xi32> {
        %0 = tosa.const_shape  {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
        %1 = tosa.reshape %arg1, %0 : (tensor<3xi32>, !tosa.shape<2>) -> tensor<1x3xi32>
        %2 = tosa.add %arg0, %1 : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
        return %2 : tensor<2x3xi32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tosa::TosaDialect"];
}

def OutlineControlFlowPass : RequiredPass<"nn-outline-control-flow", "::mlir::ModuleOp"> {
  let summary = "Cut a network at its branches and loops into sections and a control program";
  let description = [{
    Each straight-line run of operations becomes a function. Values that cross its border are stored in memory, at
    the places in the attributes of arguments and results. A network without branches and loops is unchanged.

    Command: `avocet-opt --nn-outline-control-flow`

    Before:

    ```mlir
    func.func @main(%c: tensor<1xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = nn.if %c : (tensor<1xi1>) -> tensor<4xf32> {
        %1 = nn.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        nn.yield %1 : tensor<4xf32>
      } else {
        nn.yield %x : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    module {
      cmd.control [
        jump_if_false {region = 1, target = 3},
        run,
        jump {target = 4},
        run {section = 1},
        end] {inputs = [{npu.network_type = tensor<1xi1>}, {npu.network_type = tensor<4xf32>} ], outputs = [{npu.network_type = tensor<4xf32>} ]}
      func.func @main_0(%arg0: tensor<4xf32> {npu.offset = 0 : i64, npu.region = 2 : i32}) -> (tensor<4xf32> {npu.offset = 0 : i64, npu.region = 3 : i32}) attributes {npu.constants_region = 4 : i32, npu.frame_bytes = 0 : i64} {
        %0 = nn.add %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
      func.func @main_1(%arg0: tensor<4xf32> {npu.offset = 0 : i64, npu.region = 2 : i32}) -> (tensor<4xf32> {npu.offset = 0 : i64, npu.region = 3 : i32}) attributes {npu.constants_region = 4 : i32, npu.frame_bytes = 0 : i64} {
        return %arg0 : tensor<4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::avocet::compiler::cmd::CmdDialect"];
}

def ConvertNnToNpuPass : RequiredPass<"convert-nn-to-npu", "::mlir::ModuleOp"> {
  let summary = "Place the operations of a network on the engines of the device";
  let description = [{
    Convolutions, pools and element-wise operations are placed on the MAC array, all others on the vector DSP.
    Scales become fixed-point multipliers, activations become clamps, weights are stored in the order in which the
    array reads them, functions of 8-bit values become tables, and reshapes become views.

    Every operation that the target cannot run is refused with a reason. The module is unchanged in this case.

    Command: `avocet-opt --convert-nn-to-npu="target=e256"`

    Before:

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5>
    func.func @main(%x: tensor<1x4x2x1x!x>) -> tensor<1x2x2x1x!x> {
      %0 = nn.max_pool_2d %x kernel [2, 1] stride [2, 1] : (tensor<1x4x2x1x!x>) -> tensor<1x2x2x1x!x>
      return %0 : tensor<1x2x2x1x!x>
    }
    ```

    After:

    ```mlir
    !perTensor = !quant.uniform<i8:f32, 5.000000e-01>
    module {
      func.func @main(%arg0: tensor<4x2x1xi8> {npu.network_type = tensor<1x4x2x1x!perTensor>}) -> (tensor<2x2x1xi8> {npu.network_type = tensor<1x2x2x1x!perTensor>}) attributes {npu.layers = [{computeCycles = 1 : i64, deviceCycles = 2 : i64, name = "", op = "MAX_POOL_2D", rooflineCycles = 1 : i64} ]} {
        %0 = npu.pool %arg0 {window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127}} layer 0 : tensor<4x2x1xi8> -> tensor<2x2x1xi8>
        return %0 : tensor<2x2x1xi8>
      }
    }
    ```
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"e256\"",
           "name of a shipped target, or path of a target file">
  ];
  let dependentDialects = ["::avocet::compiler::npu::NpuDialect",
                           "::mlir::func::FuncDialect"];
}

def CompressWeightsPass : OptionalPass<"compress-weights", "::mlir::ModuleOp"> {
  let summary = "Compress the weights of convolutions without loss";
  let description = [{
    The array decodes weights while it computes, so compressed weights save transfers and memory and cost no time. The
    coded form is that of `firmware_iface/WeightStream.h`: integers of 4 bits, or of any other distribution, take about
    their entropy; floats are integers times scales of blocks, if some scales make them to the bit and the target has
    `mac.scaledDecodeRate`. Filters stay plain where they would not become smaller.

    The bytes and bounds in the table of layers follow.

    Command: `avocet-opt --compress-weights="target=e256"`

    Before:

    ```mlir
    module {
      func.func @main(%arg0: tensor<1x1x16xi8> {npu.network_type = tensor<1x1x1x16xi8>}) -> (tensor<1x1x8xi8> {npu.network_type = tensor<1x1x1x8xi8>}) attributes {npu.layers = [{computeCycles = 16 : i64, macs = 128 : i64, name = "", op = "CONV_2D", rooflineCycles = 224 : i64, weightBytes = 224 : i64} ]} {
        %0 = npu.constant dense_resource<weights0> : tensor<128xi8> : tensor<128xi8>
        %1 = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
        %2 = npu.conv %arg0, %0, %1 {clamp = {min = -128, max = 127}} layer 0 : tensor<1x1x16xi8>, tensor<128xi8>, tensor<96xi8> -> tensor<1x1x8xi8>
        return %2 : tensor<1x1x8xi8>
      }
    }

    {-#
      dialect_resources: {
        builtin: {
          weights0: "0x100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001000200"
        }
      }
    #-}
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<1x1x16xi8> {npu.network_type = tensor<1x1x1x16xi8>}) -> (tensor<1x1x8xi8> {npu.network_type = tensor<1x1x1x8xi8>}) attributes {npu.layers = [{computeCycles = 16 : i64, macs = 128 : i64, name = "", op = "CONV_2D", rooflineCycles = 140 : i64, weightBytes = 140 : i64} ]} {
        %weights0_1 = npu.constant dense_resource<weights0_1> : tensor<44xi8> : tensor<44xi8>
        %0 = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
        %1 = npu.conv %arg0, %weights0_1, %0 {weightFormat = compressed, clamp = {min = -128, max = 127}} layer 0 : tensor<1x1x16xi8>, tensor<44xi8>, tensor<96xi8> -> tensor<1x1x8xi8>
        return %1 : tensor<1x1x8xi8>
      }
    }

    {-#
      dialect_resources: {
        builtin: {
          weights0_1: "0x100000000101000000000000000000000000000000000079380000000000000000000000000000003CB83CB80002FC26"
        }
      }
    #-}
    ```
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"e256\"",
           "name of a shipped target, or path of a target file">
  ];
  let dependentDialects = ["::avocet::compiler::npu::NpuDialect",
                           "::mlir::func::FuncDialect"];
}

def ConvertNpuToCmdPass : RequiredPass<"convert-npu-to-cmd", "::mlir::ModuleOp"> {
  let summary = "Split an allocated program into one command stream per engine";
  let description = [{
    Each operation of the program becomes its command with final addresses. Commands that would delay an urgent job
    for too long are split. Semaphores order commands of different engines that access the same bytes. Streams get
    yield points, at which the device can stop the job.

    The buffers become the memory plan, and the constants become the contents of the data cache. A network of
    several sections becomes one program with a control program.

    Command: `avocet-opt --convert-npu-to-cmd`

    Before:

    ```mlir
    module {
      npu.program @main attributes {constantsBytes = 0 : i64, inputs = [{type = tensor<4x2x1xi8>} ], layers = [{engine = "mac", inputBytes = 8 : i64, macs = 0 : i64, name = "pool", op = "MAX_POOL_2D", outputBytes = 4 : i64, rooflineCycles = 1 : i64, weightBytes = 0 : i64} ], outputs = [{type = tensor<2x2x1xi8>} ], predictedCycles = 478 : i64, scratchBytes = 0 : i64, sramBytes = 20 : i64, target = "e256"} {
        %r0 = npu.buffer sram 8 "r0" at 0
        %r1 = npu.buffer sram 4 "r1" at 16
        %in = npu.buffer input 8 "in" at 0
        %out = npu.buffer output 4 "out" at 0
        npu.dma %in, %r0 {runBytes = 8}
        npu.tile_pool %r0, %r1 {input = {4x2x1xi8}, output = {2x2x1xi8}, window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127}, block = {height = 2, width = 2}} layer 0
        npu.dma %r1, %out {runBytes = 4}
      }
    }
    ```

    After:

    ```mlir
    module {
      cmd.program @main attributes {header = {compilerVersion = "0.1.0", deviceCycles = 76 : i64, leastDramBytes = 12 : i64, modelName = "main", predictedCycles = 478 : i64, rooflineCycles = 12 : i64, sramPeakBytes = 20 : i64, targetFingerprint = 6674597563462159398 : i64, targetName = "e256"}, inputs = [{bytes = 8 : i64, shape = array<i32: 4, 2, 1>} ], layers = [{inputBytes = 8 : i64, name = "pool", operation = "MAX_POOL_2D", outputBytes = 4 : i64, rooflineCycles = 1 : i64} ], outputs = [{bytes = 4 : i64, shape = array<i32: 2, 2, 1>} ], plan = [
          {bytes = 8 : i64, lastStep = 1 : i64, name = "r0"},
          {address = 16 : i64, bytes = 4 : i64, firstStep = 1 : i64, lastStep = 2 : i64, name = "r1"},
          {bytes = 8 : i64, name = "in", region = 1 : i64},
          {bytes = 4 : i64, firstStep = 2 : i64, lastStep = 2 : i64, name = "out", region = 2 : i64} ], semaphores = 2 : i32, sources = []} {
        cmd.region input 0 bytes 8
        cmd.region output 0 bytes 4
        cmd.region constants 0 bytes 0
        cmd.stream mac 0 {
          cmd.wait {semaphore = 1, value = 1} layer 0
          cmd.pool {input = {4x2x1xi8}, output = {2x2x1xi8 at 16}, window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127}, block = {height = 2, width = 2}} layer 0
          cmd.signal layer 0
          cmd.end
        }
        cmd.stream dma 0 {
          cmd.dma {source = {region = 1}, runBytes = 8}
          cmd.signal {semaphore = 1}
          cmd.wait {value = 1}
          cmd.dma {source = {offset = 16}, destination = {region = 2}, runBytes = 4}
          cmd.end
        }
      }
    }
    ```
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "name of a shipped target, or path of a target file; the default is the target of the program">
  ];
  let dependentDialects = ["::avocet::compiler::cmd::CmdDialect"];
}

#endif // AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_TD
