// SPDX-License-Identifier: MIT
// ONNX Runtime, for ./run bench models and paddle: node onnxruntime_peer.mjs FOLDER NAME runs FOLDER/NAME.onnx with
// the package in FOLDER/node_modules and answers the same lines as models_peer.py.
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const [folder, name] = process.argv.slice(2);
const ort = createRequire(path.join(path.resolve(folder), 'x.js'))('onnxruntime-node');

// Numbers in [0, 1) that depend on the name and the position alone; Values.hpp has the same.
function uniform(name, n) {
  let seed = 2166136261;
  for (const c of Buffer.from(name)) seed = Math.imul(seed ^ c, 16777619);
  return Float32Array.from({ length: n }, (_, i) => {
    let h = (Math.imul(i, 2654435761) + seed) >>> 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b) >>> 0;
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) >>> 0;
    h = (h ^ (h >>> 16)) >>> 0;
    return (h >>> 8) / (1 << 24);
  });
}

// bench_clock.py says why.
function now() {
  if (process.env.OPENIPU_BENCH_CLOCK !== 'processor') return Number(process.hrtime.bigint()) / 1e9;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function open(threads) {
  return ort.InferenceSession.create(path.join(folder, name + '.onnx'), {
    intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential', graphOptimizationLevel: 'all',
  });
}

const sessions = {};
let session = sessions[1] = await open(1);
const input = session.inputMetadata[0];
const values = uniform('x', input.shape.reduce((a, b) => a * b, 1));
const words = 30522; // of the only model that reads integers
const feeds = { [session.inputNames[0]]: input.type === 'int64'
  ? new ort.Tensor('int64', BigInt64Array.from(values, (v) => BigInt(Math.trunc(Math.fround(v * words)))), input.shape)
  : new ort.Tensor('float32', values, input.shape) };

async function answer(command, argument) {
  if (command === 'values') {
    const y = (await session.run(feeds))[session.outputNames[0]].data, step = Math.max(1, Math.trunc(y.length / 1000));
    return Array.from(y).filter((_, i) => i % step === 0).join(' ');
  }
  if (command === 'threads') {
    session = sessions[argument] ??= await open(Number(argument));
    return 'ok';
  }
  await session.run(feeds);
  const start = now();
  for (let i = 0; i < Number(argument); ++i) await session.run(feeds);
  return (now() - start) / Number(argument);
}

console.log('ready');
for await (const line of readline.createInterface({ input: process.stdin })) console.log(await answer(...line.split(' ')));
process.exit(0);
