import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { serveBroker } from './serve.ts';

interface Answer {
  readonly status: number | undefined;
  readonly body: any;
}

const hosts = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `ip-10-0-${i}` }));

function post(where: object, script: string, input: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    request({ ...where, method: 'POST', path: `/api/v1/hostfactory/${script}`, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.once('end', () => resolve({ status: answer.statusCode, body: JSON.parse(text) }));
    })
      .on('error', reject)
      .end(JSON.stringify({ input }));
  });
}

test("a scheduler's scripts name a hundred thousand hosts over the socket, which is the owner's; over the port a body is bounded as every other", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-bodies-'));
  const socketPath = join(directory, 'a.sock');
  const server = await serveBroker({}, { socket_path: socketPath });
  t.teardown(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });
  const all = await post({ socketPath }, 'requestReturnMachines', { machines: hosts(60_000) });
  t.like(all, { status: 200, body: { message: 'No Active VM.' } });
  const more = await post({ socketPath }, 'getReturnRequests', { machines: hosts(100_001) });
  t.is(more.body.message, 'There are more than 100000 machines in the input file.');
  const port = { host: '127.0.0.1', port: server.port };
  t.is(
    (await post(port, 'requestReturnMachines', { machines: hosts(26_000) })).body.detail,
    'The body has more than 15000 fields or 50000 entries.',
  );
  t.is((await post(port, 'requestReturnMachines', { machines: [{ name: 'x'.repeat(1024 * 1024) }] })).status, 413);
});
