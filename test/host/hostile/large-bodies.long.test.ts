import test from 'ava';
import { serveBroker } from './serve.ts';
import { dial, talk } from './wire.ts';

const head = (length: number) =>
  `POST /api/v1/templates/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const body = (bytes: number) => `{"template_id":"${'x'.repeat(bytes - 18)}"}`;
const statusOf = (text: string) => Number(text.slice(9, 12));

test('the large pending bodies of one client are bounded together; small bodies and those of other clients continue', async (t) => {
  const server = await serveBroker();
  t.teardown(() => server.close());
  const all = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const { socket, ended } = await dial(server.port);
      // All but the last byte.
      socket.write(head(1_048_576) + body(1_048_576).slice(0, -1));
      return { socket, ended };
    }),
  );
  // The bound is 32 MiB: of sixty calls at least twenty-eight are told so, at once.
  const refused: string[] = [];
  for (const { ended } of all) void ended.then((text) => refused.push(text));
  await server.until(async () => refused.length >= 28);
  for (const text of refused) t.is(statusOf(text), 503, text.slice(0, 300));
  t.regex(refused[0] ?? '', /large bodies are in progress/);
  t.is((await talk(server.port, head(100) + body(100))).answers[0]?.status, 200, 'a small one');
  for (const { socket } of all) socket.destroy();
  await server.until(async () => (await talk(server.port, head(900_000) + body(900_000))).answers[0]?.status !== 503);
});

test('what was answered takes no room any more, whichever way it came', async (t) => {
  const server = await serveBroker();
  t.teardown(() => server.close());
  const headers = { 'content-type': 'application/json' };
  const call = { method: 'POST', url: '/api/v1/templates/validate', headers, payload: body(1_000_000) } as const;
  for (let i = 0; i < 40; i++) t.is((await server.app.inject(call)).statusCode, 200, String(i));
  for (let i = 0; i < 40; i++)
    t.is((await talk(server.port, head(1_000_000) + body(1_000_000))).answers[0]?.status, 200, String(i));
});

for (const [what, headOf] of [
  ['with its length', head],
  [
    'in chunks',
    (length: number) =>
      `POST /api/v1/templates/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n`,
  ],
] as const) {
  test(`bodies that are too large (${what}) occupy no budget after their refusal`, async (t) => {
    const server = await serveBroker();
    t.teardown(() => server.close());
    for (let i = 0; i < 40; i++) {
      const { answers } = await talk(server.port, `${headOf(3_000_000)}${body(3_000_000)}\r\n0\r\n\r\n`);
      t.is(answers[0]?.status, 413, String(i));
    }
    t.is((await talk(server.port, head(1_000_000) + body(1_000_000))).answers[0]?.status, 200);
  });
}
