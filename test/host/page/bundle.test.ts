import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { bundlePage } from '../../../scripts/bundle-page.ts';

const mostScript = 120 * 1_024;

test('the script of the page is small, asks no other host, and is one that the document names', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'muster-bundle-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  t.true(await bundlePage(directory));
  const names = readdirSync(directory);
  const html = readFileSync(join(directory, 'index.html'), 'utf8');
  for (const name of names.filter((each) => /\.(js|css)$/.test(each))) t.true(html.includes(`"{{up}}${name}"`), name);
  const scripts = names.filter((name) => name.endsWith('.js')).map((name) => readFileSync(join(directory, name)));
  const size = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0);
  t.true(size > 5_000 && size <= mostScript, `${size} bytes`);
  const urls = scripts.flatMap((script) => script.toString().match(/https?:\/\/[\w./-]+/g) ?? []);
  t.deepEqual(
    [...new Set(urls)].filter((url) => !url.startsWith('http://www.w3.org/')),
    [],
  );
  t.deepEqual(
    names.filter((name) => name.startsWith('.')),
    [],
  );
});
