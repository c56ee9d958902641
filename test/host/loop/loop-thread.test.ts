import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../core/contract/clock.ts';
import { silentLog } from '../../../core/contract/log.ts';
import { LoopThread, type LoopThreadOptions } from '../../../host/loop/loop-thread.ts';
import { until } from '../../support/boot-broker.ts';

/** A thread whose body is `body`; `refreshed` hears `[its number]` when it is ready. */
function threadOf(t: ExecutionContext, body: string, options: Partial<LoopThreadOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'muster-thread-'));
  const file = join(directory, 'body.mjs');
  const head = `import { parentPort, workerData } from 'node:worker_threads'; const thread = workerData.broker.thread;`;
  const ready = `parentPort.postMessage({ event: 'ready' }); parentPort.postMessage({ event: 'refreshed', request_ids: [String(thread)], at: thread });`;
  writeFileSync(file, `${head}\n${ready}\n${body}`);
  const heard: number[] = [];
  const data = {
    configuration: {},
    plugins_from: directory,
    broker: { broker_id: 'b', thread: 1 },
  } as never;
  const thread = new LoopThread({
    data,
    log: silentLog,
    file: pathToFileURL(file),
    refreshed: (_, at) => void heard.push(at),
    ...options,
  });
  t.teardown(async () => {
    await thread.stop();
    rmSync(directory, { recursive: true });
  });
  return { thread, heard };
}

const listen = `parentPort.on('message', (m) => { if (m.do === 'ping') parentPort.postMessage({ event: 'pong' }); if (m.do === 'stop') process.exit(0); });`;

test('why a thread fails is said without secrets, also by an error whose message is lost on its way', async (t) => {
  const failing = async (body: string, mask?: (text: string) => string) => {
    const { thread } = threadOf(t, `${listen} setTimeout(() => { ${body} }, 20);`, mask ? { mask } : {});
    let trouble: string | undefined;
    await until(async () => (trouble = await thread.trouble()) !== undefined && trouble.includes('failed'));
    return trouble;
  };
  const mask = (text: string) => text.replaceAll('hunter2', '***');
  t.is(
    await failing(`throw new Error('login with hunter2 refused');`, mask),
    'The loop thread failed: login with *** refused',
  );
  t.regex((await failing('parentPort.postMessage(() => 1);')) ?? '', /^The loop thread failed: .*could not be cloned/);
});

test('a thread that crashes is replaced, under the next number', async (t) => {
  const { thread, heard } = threadOf(
    t,
    `${listen} if (thread === 1) setTimeout(() => { throw new Error('broken'); }, 20);`,
  );
  await until(async () => heard.includes(2));
  t.is(await thread.trouble(), undefined);
});

test('a thread that hangs is replaced', async (t) => {
  const { thread, heard } = threadOf(t, `${listen} if (thread === 1) setTimeout(() => { for (;;); }, 20);`, {
    ping_ms: 50,
  });
  await until(async () => heard.includes(2) && (await thread.trouble()) === undefined);
  t.deepEqual(heard, [1, 2]);
});

test('a thread that ends while it is found out where it hangs is charged once, before the next one begins', async (t) => {
  // It ends while its stack is awaited, as a thread without memory does in code that no debugger can stop.
  const body = `
    const { SharedCallTracking } = await import(${JSON.stringify(new URL('../../../host/loop/diagnosis/shared-call-tracking.ts', import.meta.url).href)});
    parentPort.postMessage({ event: 'names', names: ['east'] });
    parentPort.postMessage({ event: 'refreshed', request_ids: workerData.quarantine.map(({ name, ms }) => name + ' ' + Math.ceil(ms / 10_000)), at: thread });
    parentPort.on('message', ({ do: what }) => {
      if (what === 'stop') process.exit(0);
      if (what === 'ping' && thread > 1) parentPort.postMessage({ event: 'pong' });
      if (what !== 'ping' || thread > 1) return;
      new SharedCallTracking(workerData.call_memory, ['east']).pure('east', () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
        process.exit(1);
      });
    });`;
  const quarantines: string[] = [];
  const told: string[] = [];
  const hear = (_: object, message: string) => void told.push(message);
  const { thread, heard } = threadOf(t, body, {
    ping_ms: 25,
    readStack: () => systemClock.sleep(1_500).then(() => undefined),
    log: { ...silentLog, error: hear, warn: hear },
    refreshed: (names, at) => {
      heard.push(at);
      if (at === 2) quarantines.push(...names.filter((name) => name !== '2'));
    },
  });
  await until(async () => heard.filter((at) => at === 2).length === 2 && (await thread.trouble()) === undefined);
  // Longer than the stack of the first thread is awaited.
  await new Promise((resolve) => void setTimeout(resolve, 1_800));
  t.deepEqual(quarantines, ['east 6']);
  t.is(told.filter((message) => message.startsWith('east is not called for 60 s')).length, 1);
  t.is(told.filter((message) => /is not called/.test(message)).length, 1);
});

test('a thread that fails again and again is tried ever more rarely, and says why it does not run', async (t) => {
  const { thread, heard } = threadOf(t, `throw new Error('no such storage');`);
  await until(async () => heard.length >= 2);
  await new Promise((resolve) => void setTimeout(resolve, 300));
  t.is(heard.length, 2);
  t.regex((await thread.trouble()) ?? '', /no such storage/);
});

test('the obstacle of a loop that answers is reported, and read again before the next report', async (t) => {
  const hindered = `let pings = 0; parentPort.on('message', (m) => {
    if (m.do === 'ping') parentPort.postMessage({ event: 'pong', ...(++pings < 3 ? { trouble: 'The disk is full.' } : {}) });
    if (m.do === 'stop') process.exit(0); });`;
  // One ping by itself, and no other for as long as this takes.
  const { thread } = threadOf(t, hindered, { ping_ms: 2_000 });
  await until(async () => (await thread.trouble()) === 'The disk is full.');
  t.is(await thread.trouble(), undefined);
});

test('stop is heard once and waits for the end', async (t) => {
  const { thread, heard } = threadOf(t, listen);
  await until(async () => heard.includes(1));
  await Promise.all([thread.stop(), thread.stop()]);
  t.is(await thread.trouble(), 'The loop has stopped.');
});

test('budgets that replace those of the configuration are told to the thread, and to the one that replaces it', async (t) => {
  const tell = `const say = (budgets) => parentPort.postMessage({ event: 'refreshed', request_ids: [], at: budgets.length * 10 + thread });`;
  const body = `${tell} if (workerData.budgets) say(workerData.budgets);
    parentPort.on('message', (m) => { if (m.do === 'budgets') { say(m.budgets); if (thread === 1) setTimeout(() => process.exit(1), 20); } if (m.do === 'stop') process.exit(0); });`;
  const { thread, heard } = threadOf(t, body);
  const budget = { name: 'all', scope: {}, max_machines: 1 };
  thread.useBudgets([budget, budget]);
  await until(async () => heard.includes(22));
  t.deepEqual(heard.toSorted(), [1, 2, 21, 22]);
});
