import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { fastify } from 'fastify';
import type { Broker } from '../../../host/compose.ts';
import { PathTable } from '../../../host/rest/routes/path-table.ts';
import { bindPage } from '../../../host/rest/ui/bind-page.ts';

const directory = mkdtempSync(join(tmpdir(), 'muster-page-'));
test.after.always(() => rmSync(directory, { recursive: true, force: true }));
writeFileSync(join(directory, 'index.html'), '<html data-page="on" src="{{up}}main.js"></html>');
writeFileSync(join(directory, 'main-AB12.js'), 'start()');
writeFileSync(join(directory, 'LICENSES.txt'), 'MIT');

function server(page: 'on' | 'read_only' | 'off', from = directory) {
  const app = fastify();
  bindPage(app, new PathTable(), { configuration: { server: { page } } } as Broker, from);
  return app;
}

test('a browser that asks for / is sent to the page; other callers are not', async (t) => {
  const app = server('on');
  const browser = await app.inject({ url: '/', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  t.deepEqual([browser.statusCode, browser.headers['location']], [302, 'ui/']);
  t.is((await app.inject({ url: '/', headers: { accept: '*/*' } })).statusCode, 404);
  t.is((await app.inject('/ui')).headers['location'], 'ui/');
});

test('every address of the page has the document, which is checked at each load', async (t) => {
  const app = server('on');
  for (const [url, up] of [
    ['/ui/', './'],
    ['/ui/requests', './'],
    ['/ui/requests/req-1.2', '../'],
    ['/ui/templates/a%2Fb?x=/1/2', '../'],
    ['/ui/a/b/c/d/e/f', '../../../../../'],
  ] as const) {
    const { statusCode, headers, body } = await app.inject(url);
    t.deepEqual([statusCode, body], [200, `<html data-page="on" src="${up}main.js"></html>`], url);
    t.is(headers['cache-control'], 'no-cache');
  }
});

test('the policy of the page allows no inline script, no inline style and no other origin', async (t) => {
  const policy = String((await server('on').inject('/ui/')).headers['content-security-policy']);
  t.notRegex(policy, /unsafe|https?:|\*/);
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"])
    t.true(policy.includes(part), part);
});

test('script and style have names of their own and are kept forever, compressed where the caller can', async (t) => {
  const app = server('on');
  const plain = await app.inject('/ui/main-AB12.js');
  t.deepEqual([plain.body, plain.headers['content-type']], ['start()', 'text/javascript; charset=utf-8']);
  t.is(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  const packed = await app.inject({ url: '/ui/main-AB12.js', headers: { 'accept-encoding': 'gzip, br' } });
  t.is(gunzipSync(packed.rawPayload).toString(), 'start()');
  // A name of another build is not answered with the document, and no other file is served.
  t.is((await app.inject('/ui/main-CD34.js')).statusCode, 404);
  for (const url of ['/ui/LICENSES.txt', '/ui/..%2fpackage.json', '/ui/../package.json'])
    t.notRegex((await app.inject(url)).body, /MIT|version/, url);
});

test('read_only is told to the page; off serves nothing', async (t) => {
  t.is((await server('read_only').inject('/ui/')).body, '<html data-page="read_only" src="./main.js"></html>');
  const off = server('off');
  t.is((await off.inject('/ui/')).statusCode, 404);
  t.is((await off.inject({ url: '/', headers: { accept: 'text/html' } })).statusCode, 404);
});

test('an installation without the page says so, and shows the page as soon as it is made', async (t) => {
  const empty = mkdtempSync(join(tmpdir(), 'muster-page-'));
  t.teardown(() => rmSync(empty, { recursive: true, force: true }));
  const app = server('on', empty);
  const { statusCode, body } = await app.inject('/ui/');
  t.is(statusCode, 503);
  t.regex(body, /no page[^]*rolldown[^]*scripts\/bundle-page\.ts/);
  writeFileSync(join(empty, 'index.html'), 'made');
  t.is((await app.inject('/ui/')).body, 'made');
});
