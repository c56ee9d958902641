import test from 'ava';
import { gzipSync } from 'node:zlib';
import { serveBroker, type Served } from './serve.ts';
import { talk } from './wire.ts';

let server: Served;
test.before(async () => {
  server = await serveBroker();
});
test.after.always(() => server.close());

const host = 'Host: localhost\r\n';
const json = 'Content-Type: application/json\r\n';
const get = `GET /livez HTTP/1.1\r\n${host}`;
const post = `POST /api/v1/templates/validate HTTP/1.1\r\n${host}${json}`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const end = '2\r\n{}\r\n0\r\n\r\n';
/** Follows what is to be refused: were it answered, the server and a gateway would not agree on where a call ends. */
const smuggled = `GET /info HTTP/1.1\r\n${host}\r\n`;

const refused: readonly (readonly [what: string, bytes: string | Buffer, status: number])[] = [
  ['a length and chunks', `${post}Content-Length: 2\r\n${chunked}\r\n${end}${smuggled}`, 400],
  ['chunks and a length', `${post}${chunked}Content-Length: 5\r\n\r\n0\r\n\r\n${smuggled}`, 400],
  ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}${smuggled}`, 400],
  ['one length twice', `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${smuggled}`, 400],
  ['a list of lengths', `${post}Content-Length: 2, 2\r\n\r\n{}${smuggled}`, 400],
  ['a length with a sign', `${post}Content-Length: +2\r\n\r\n{}${smuggled}`, 400],
  ['a length below nothing', `${post}Content-Length: -2\r\n\r\n{}${smuggled}`, 400],
  ['a length in hexadecimal', `${post}Content-Length: 0x2\r\n\r\n{}${smuggled}`, 400],
  ['a length beyond all numbers', `${post}Content-Length: 18446744073709551618\r\n\r\n{}${smuggled}`, 400],
  ['an encoding that nobody knows', `${post}Transfer-Encoding: xchunked\r\n\r\n${end}${smuggled}`, 400],
  ['packed chunks', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n${end}${smuggled}`, 400],
  ['chunks before another encoding', `${post}Transfer-Encoding: chunked, identity\r\n\r\n${end}${smuggled}`, 400],
  ['two headers of encodings', `${post}${chunked}Transfer-Encoding: identity\r\n\r\n${end}${smuggled}`, 400],
  ['chunks twice', `${post}${chunked}${chunked}\r\n${end}${smuggled}`, 400],
  [
    'chunks in HTTP/1.0',
    `POST /api/v1/templates/validate HTTP/1.0\r\n${host}${json}${chunked}\r\n${end}${smuggled}`,
    400,
  ],
  ['a folded header', `${get}X-A: a\r\n b\r\n\r\n${smuggled}`, 400],
  ['a folded encoding', `${post}Transfer-Encoding:\r\n chunked\r\n\r\n${end}${smuggled}`, 400],
  ['lines that end in LF alone', `GET /livez HTTP/1.1\nHost: localhost\n\n${smuggled}`, 400],
  ['a CR within a header', `${get}X-A: a\rContent-Length: 5\r\n\r\n${smuggled}`, 400],
  ['a NUL within a header', `${get}X-A: a\0b\r\n\r\n${smuggled}`, 400],
  ['a space before the colon', `${post}Transfer-Encoding : chunked\r\n\r\n${end}${smuggled}`, 400],
  ['a header without a name', `${get}: a\r\n\r\n${smuggled}`, 400],
  ['a chunk longer than it says', `${post}${chunked}\r\n2\r\n{}X\r\n0\r\n\r\n${smuggled}`, 400],
  ['a chunk of a length below nothing', `${post}${chunked}\r\n-2\r\n{}\r\n0\r\n\r\n${smuggled}`, 400],
  ['a chunk beyond all numbers', `${post}${chunked}\r\n10000000000000002\r\n{}\r\n0\r\n\r\n${smuggled}`, 400],
  ['an extension of a chunk that ends in LF', `${post}${chunked}\r\n2;\n{}\r\n0\r\n\r\n${smuggled}`, 400],
  [
    'an extension of a chunk without end',
    `${post}${chunked}\r\n2;${'a'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n${smuggled}`,
    400,
  ],
  ['a length after the body', `${post}${chunked}\r\n2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n${smuggled}`, 400],
  ['HTTP/0.9', `GET /livez\r\n\r\n${smuggled}`, 505],
  ['HTTP/2.0 in the words of HTTP/1.1', `GET /livez HTTP/2.0\r\n${host}\r\n${smuggled}`, 505],
  ['no host', `GET /livez HTTP/1.1\r\n\r\n${smuggled}`, 400],
  ['two hosts', `${get}Host: elsewhere\r\n\r\n${smuggled}`, 400],
  ['an empty host', `GET /livez HTTP/1.1\r\nHost:\r\n\r\n${smuggled}`, 400],
  ['a host that is none', `GET /livez HTTP/1.1\r\nHost: localhost/../x\r\n\r\n${smuggled}`, 400],
  ['a space in the path', `GET /live z HTTP/1.1\r\n${host}\r\n${smuggled}`, 400],
  ['bytes in the path', Buffer.from(`GET /\xff\xfe HTTP/1.1\r\n${host}\r\n${smuggled}`, 'latin1'), 400],
  ['the start of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled}`, 400],
  ['the start of TLS', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['a method of nobody', `BREW /livez HTTP/1.1\r\n${host}\r\n${smuggled}`, 400],
  ['a host and a port as the target', `GET elsewhere:80 HTTP/1.1\r\n${host}\r\n${smuggled}`, 400],
  ['20 kB in one header', `${get}X-A: ${'a'.repeat(20_000)}\r\n\r\n${smuggled}`, 431],
  ['20 kB in the path', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n${smuggled}`, 431],
  ['201 headers', `${get}${'A:b\r\n'.repeat(200)}\r\n${smuggled}`, 431],
  ['3000 headers', `${get}${'A:\r\n'.repeat(3_000)}\r\n${smuggled}`, 431],
  ['20 kB after the body', `${post}${chunked}\r\n2\r\n{}\r\n0\r\n${'A: b\r\n'.repeat(4_000)}\r\n${smuggled}`, 431],
  ['two gigabytes of which none comes', `${post}Content-Length: 2000000000\r\n\r\n`, 413],
  [
    'two gigabytes of text',
    `POST /api/v1/templates/validate HTTP/1.1\r\n${host}Content-Type: text/plain\r\nContent-Length: 2000000000\r\n\r\n`,
    413,
  ],
  ['two gigabytes that are announced', `${post}Expect: 100-continue\r\nContent-Length: 2000000000\r\n\r\n`, 413],
  ['a body that is packed', `${post}Content-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n`, 415],
  ['packed chunks of a body', `${post}Content-Encoding: br\r\n${chunked}\r\n`, 415],
];

for (const [what, bytes, status] of refused) {
  test(`${what}: refused, and nothing more is read from that connection`, async (t) => {
    const { answers, closed } = await talk(server.port, bytes, 2);
    t.deepEqual(
      answers.map((answer) => answer.status),
      [status],
    );
    t.true(closed);
    t.is(typeof JSON.parse(answers[0]?.body ?? '').detail, 'string');
  });
}

const answered: readonly (readonly [what: string, bytes: string | Buffer, status: number])[] = [
  ['chunks with extensions', `${post}${chunked}\r\n2;a=b;c="d"\r\n{}\r\n0;e\r\n\r\n`, 200],
  ['chunks with a last header', `${post}${chunked}\r\n2\r\n{}\r\n0\r\nX-A: b\r\n\r\n`, 200],
  ['a target with its own host', `GET http://localhost/livez HTTP/1.1\r\n${host}\r\n`, 200],
  ['a body of a GET', `${get}${json}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`, 200],
  ['an expectation of nobody', `${get}Expect: miracles\r\n\r\n`, 200],
  ['200 headers', `${get}${'A:b\r\n'.repeat(199)}\r\n`, 200],
  ['the target *', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 404],
  ['TRACE', `TRACE /livez HTTP/1.1\r\n${host}Cookie: a=b\r\n\r\n`, 405],
  ['a path that leads out', `GET /docs/../../package.json HTTP/1.1\r\n${host}\r\n`, 404],
  ['an encoded path that leads out', `GET /docs/static/..%2f..%2f..%2fpackage.json HTTP/1.1\r\n${host}\r\n`, 404],
  ['an encoded backslash', `GET /docs/static/..%5c..%5cpackage.json HTTP/1.1\r\n${host}\r\n`, 403],
  ['a NUL in the path', `GET /livez%00 HTTP/1.1\r\n${host}\r\n`, 404],
  ['a path of two slashes', `GET //elsewhere/ HTTP/1.1\r\n${host}\r\n`, 404],
];

for (const [what, bytes, status] of answered) {
  test(`${what}: answered, and the next call on the connection is the one that comes next`, async (t) => {
    const next = Buffer.from(`GET /nothing HTTP/1.1\r\n${host}X-Request-Id: next\r\nConnection: close\r\n\r\n`);
    const { answers } = await talk(server.port, Buffer.concat([Buffer.from(bytes as string, 'latin1'), next]), 3);
    t.deepEqual(
      answers.map((answer) => answer.status),
      [status, 404],
    );
    t.regex(answers[1]?.head ?? '', /x-request-id: next/);
  });
}

const upgrades = [
  ['HTTP/2', `${get}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`],
  ['WebSocket, with a body', `${post}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\n{}`],
] as const;
for (const [what, bytes] of upgrades) {
  test(`an upgrade to ${what} is passed over, and the connection ends with the answer`, async (t) => {
    const { answers, closed } = await talk(server.port, `${bytes}${smuggled}`, 2);
    t.deepEqual(
      answers.map(({ status }) => status),
      [200],
    );
    t.true(closed);
  });
}

test('a call that came whole is answered before what is broken behind it', async (t) => {
  const { answers, closed } = await talk(
    server.port,
    `GET /nothing HTTP/1.1\r\n${host}\r\n${post}Content-Length: 1, 2\r\n\r\n`,
    2,
  );
  t.is(answers[0]?.status, 404);
  t.true(closed);
  // One that is answered later than it is read.
  const slow = await talk(server.port, `GET /readyz HTTP/1.1\r\n${host}\r\nnonsense\r\n\r\n`, 2);
  t.deepEqual(
    slow.answers.map(({ status }) => status),
    [200],
  );
  t.true(slow.closed);
});

test('CONNECT is closed without a word', async (t) => {
  t.deepEqual(await talk(server.port, `CONNECT elsewhere:80 HTTP/1.1\r\n${host}\r\n${smuggled}`), {
    answers: [],
    closed: true,
  });
});

test('of a body without a length at most one mebibyte is read', async (t) => {
  const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
  let sent = 0;
  const { answers, closed } = await new Promise<Awaited<ReturnType<typeof talk>>>((resolve, reject) => {
    // A caller that never ends: the bytes go on until the server has had enough.
    const endless = Buffer.concat([Buffer.from(`${post}${chunked}\r\n`), ...Array.from({ length: 640 }, () => chunk)]);
    sent = endless.length;
    talk(server.port, endless, 2).then(resolve, reject);
  });
  t.true(sent > 40_000_000);
  t.true(closed);
  // The end may come before the answer is read, where bytes are still on their way.
  t.true(answers.every(({ status }) => status === 413));
});

/** A body in chunks of one byte. */
const inCrumbs = (body: string) => `${chunked}\r\n${[...body].map((each) => `1\r\n${each}\r\n`).join('')}0\r\n\r\n`;

test('a body in thousands of tiny chunks is refused: each chunk costs hundreds of bytes', async (t) => {
  const some = await talk(server.port, `${post}${inCrumbs(`{"template_id":"a"${' '.repeat(700)}}`)}`);
  t.deepEqual(
    some.answers.map(({ status }) => status),
    [200],
  );
  t.false(some.closed);
  const { answers, closed } = await talk(server.port, `${post}${inCrumbs(' '.repeat(100_000))}`, 2);
  t.true(closed);
  t.true(answers.length <= 1 && answers.every(({ status }) => status === 400));
});

test('ten megabytes of nothing, packed into ten kilobytes, stay packed', async (t) => {
  const bomb = gzipSync(Buffer.alloc(10_000_000, 0x20));
  const bytes = Buffer.concat([
    Buffer.from(`${post}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`),
    bomb,
  ]);
  t.deepEqual(
    (await talk(server.port, bytes)).answers.map(({ status }) => status),
    [415],
  );
});

test('a hundred calls sent at once over one connection are answered in their order', async (t) => {
  const calls = Array.from(
    { length: 100 },
    (_, i) => `GET /nothing/${i} HTTP/1.1\r\n${host}X-Request-Id: ${i}\r\n\r\n`,
  );
  const { answers } = await talk(server.port, calls.join(''), 100);
  t.deepEqual(
    answers.map(({ head }) => Number(/x-request-id: (\d+)/.exec(head)?.[1])),
    calls.map((_, i) => i),
  );
});

test('a connection over which hundreds of calls are sent ahead is closed, and what others ask is answered meanwhile', async (t) => {
  const flood = talk(server.port, `GET /metrics HTTP/1.1\r\n${host}\r\n`.repeat(1_000), 1_000);
  const { answers } = await talk(server.port, `${get}\r\n`);
  t.is(answers[0]?.status, 200);
  const { closed, answers: had } = await flood;
  t.true(closed);
  t.true(had.length < 500, `${had.length} answers`);
});
