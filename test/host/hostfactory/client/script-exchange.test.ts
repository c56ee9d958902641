import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { exchange } from '../../../../host/hostfactory/client/script-exchange.ts';

const sent = { script: 'getRequestStatus', body: '{"input":{}}', key: 'script-1' };
const output = JSON.stringify({ message: 'Grüße' });
const head = (length: number, ...more: readonly string[]) =>
  ['HTTP/1.1 200 OK', 'Content-Type: application/json', `Content-Length: ${length}`, ...more, '', ''].join('\r\n');

/** What a script makes of a server that answers so. */
async function answerTo(t: ExecutionContext, answer: (socket: Socket) => void) {
  const directory = await mkdtemp(join(tmpdir(), 'muster-exchange-'));
  const socket_path = join(directory, 's');
  let asked = '';
  const server = createServer((socket) =>
    socket.once('data', (data) => ((asked = String(data)), answer(socket))),
  ).listen(socket_path);
  await once(server, 'listening');
  t.teardown(async () => (server.close(), rm(directory, { recursive: true })));
  await writeFile(join(directory, 'server.json'), JSON.stringify({ socket_path, host: '127.0.0.1', port: 1 }));
  let answered = await exchange(directory, sent);
  // On a busy machine this process may not get to its own connection in time.
  for (let i = 0; i < 5 && String(answered).startsWith('no connection'); i++)
    answered = await exchange(directory, sent);
  return { answer: answered, asked: () => asked };
}

test('the body of an answer is printed as it is, with the exit code of its header, in however many pieces it comes', async (t) => {
  const bytes = Buffer.from(head(Buffer.byteLength(output), 'X-Exit-Code: 0') + output);
  const { answer, asked } = await answerTo(t, (socket) => {
    socket.write(bytes.subarray(0, 20));
    setTimeout(() => socket.write(bytes.subarray(20, -6)), 20);
    setTimeout(() => socket.end(bytes.subarray(-6)), 40);
  });
  t.deepEqual(answer, { exit_code: 0, output });
  t.regex(
    asked(),
    /^POST \/api\/v1\/hostfactory\/getRequestStatus HTTP\/1\.1\r\n.*\r\nidempotency-key: script-1\r\n/s,
  );
});

test('an answer that broke off is none: the call is sent again, never half an answer printed', async (t) => {
  const whole = head(Buffer.byteLength(output), 'x-exit-code: 0') + output;
  for (const part of [whole.slice(0, -3), whole.slice(0, 40), ''])
    t.regex(
      String((await answerTo(t, (socket) => socket.end(part))).answer),
      /^(the answer is incomplete|ECONNRESET)$/,
    );
});

test('what was refused before a script’s own code is one message, and so is what is no muster server', async (t) => {
  const refused = JSON.stringify({ detail: 'Too many calls.' });
  const { answer } = await answerTo(t, (socket) => socket.end(head(refused.length) + refused));
  t.deepEqual(answer, { exit_code: 1, output: '{"message":"Too many calls."}' });
  const other = await answerTo(t, (socket) => socket.end(`${head(5)}hello`));
  t.like(other.answer, { exit_code: 1, output: '{"message":"The answer does not come from a muster server."}' });
});

test('the port of a killed server is not called: it may now belong to the server of another provider', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-exchange-'));
  let asked = 0;
  const other = createServer((socket) =>
    socket.once('data', () => ((asked += 1), socket.end(head(2, 'x-exit-code: 0') + '{}'))),
  ).listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(async () => (other.close(), rm(directory, { recursive: true })));
  const { port } = other.address() as { readonly port: number };
  const put = (pid: number, started_at: string) =>
    writeFile(
      join(directory, 'server.json'),
      JSON.stringify({ pid, started_at, socket_path: null, host: '127.0.0.1', port, version: '0' }),
    );
  await put(2 ** 22 + 1, new Date().toISOString());
  t.is(await exchange(directory, sent), 'none runs');
  await put(process.pid, new Date(Date.now() - 3_600_000).toISOString());
  t.is(await exchange(directory, sent), 'none runs', 'nor when another process has its number');
  t.is(asked, 0);
  await put(process.pid, new Date().toISOString());
  t.deepEqual(await exchange(directory, sent), { exit_code: 0, output: '{}' });
});

test('without a listening server the script reports the reason', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-exchange-'));
  t.teardown(() => rm(directory, { recursive: true }));
  t.is(await exchange(directory, sent), 'none runs');
  await writeFile(
    join(directory, 'server.json'),
    JSON.stringify({ socket_path: join(directory, 's'), host: '127.0.0.1', port: 1 }),
  );
  t.is(await exchange(directory, sent), 'none runs');
  await writeFile(join(directory, 's'), '');
  t.is(await exchange(directory, sent), 'ECONNREFUSED');
});

test('no server is called that another user could have named', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-exchange-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const socket_path = join(directory, 's');
  let asked = false;
  const server = createServer((socket) => ((asked = true), socket.destroy())).listen(socket_path);
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const file = join(directory, 'server.json');
  await writeFile(file, JSON.stringify({ socket_path, host: '127.0.0.1', port: 1 }));
  await chmod(file, 0o666);
  await t.throwsAsync(exchange(directory, sent), { message: /server\.json is not used: other users can write to it/ });
  t.false(asked);
});
