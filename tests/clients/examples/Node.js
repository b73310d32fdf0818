// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TensorFlow Lite in Node with Avocet's delegate: classifies one input.
//   scripts/clients node       # unpacks tfjs-tflite-node with its add-on to build/clients/node
//   NODE_PATH=build/clients/node/node_modules node Node.js build/release/lib/libavocet_delegate.so MODEL.tflite INPUT.bin
const fs = require('fs');
const tf = require('@tensorflow/tfjs-core');
require('@tensorflow/tfjs-backend-cpu'); // where tensors are before and after the inference
const {loadTFLiteModel} = require('tfjs-tflite-node');

async function main([library, modelFile, inputFile]) {
  // The package wants a whole ArrayBuffer, and small files share one in Node.
  const bytes = new Uint8Array(fs.readFileSync(modelFile)).buffer;
  const avocet = {name: 'avocet', tfliteVersion: '2.9', node: {path: library}, options: [['priority', 'high']]};
  const model = await loadTFLiteModel(bytes, {numThreads: 1, delegates: [avocet]});

  const values = new Uint8Array(fs.readFileSync(inputFile)).buffer;
  // The package passes whole numbers of 8 bits on as they are, signed or not.
  const input = Array.from(model.inputs[0].dtype === 'float32' ? new Float32Array(values) : new Int8Array(values));
  const scores = model.predict(tf.tensor(input, model.inputs[0].shape, model.inputs[0].dtype));
  console.log(`class ${(await tf.argMax(scores, -1).data())[0]}`);
}

main(process.argv.slice(2)).catch(error => {
  console.error(error.message);
  process.exitCode = 1;
});
