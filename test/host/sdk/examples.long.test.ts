import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatWithOptions } from 'node:util';
import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import { exampleFiles, exampleParts } from '../../../scripts/pages/sdk/example-parts.ts';
import { bootBroker } from '../../support/boot-broker.ts';
import { makeSamplePlace } from './sample-broker.ts';

const root = join(import.meta.dirname, '../../..');

// As in a program that has installed the package; here that would be what was built last.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'muster' ? pathToFileURL(join(root, 'host/package/index.ts')).href : specifier, context),
});

test('every method has an example that calls it', (t) => {
  const parts = exampleParts();
  for (const { name } of operations) t.regex(parts.get(name) ?? '', new RegExp(`muster\\.${name}\\(`), name);
});

for (const file of exampleFiles()) {
  test.serial(`what the example ${basename(file)} says beside its lines is what comes of them`, async (t) => {
    const place = await makeSamplePlace();
    // One of them is a broker itself, on the same directory.
    const booted = await bootBroker({ place, loop: file.endsWith('in-process.ts') ? 'none' : 'inline' });
    await booted.app.listen({ port: 0 });
    const { log } = console;
    const [said, home] = [[] as string[], process.cwd()];
    t.teardown(async () => {
      console.log = log;
      process.chdir(home);
      await booted.close();
      await place.close();
    });
    console.log = (...values) => void said.push(formatWithOptions({ breakLength: Infinity }, ...values));
    process.env['MUSTER_URL'] = `http://127.0.0.1:${(booted.app.server.address() as AddressInfo).port}`;
    process.chdir(place.directory);
    await import(pathToFileURL(file).href);
    const promised = [...readFileSync(file, 'utf8').matchAll(/console\.log\(.*\);? \/\/ (.+)$/gm)].map(
      ([, text]) => text,
    );
    t.true(promised.length > 0);
    t.deepEqual(said, promised);
  });
}
