import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Broker } from '../../../host/compose.ts';
import { reloadChangedTemplates } from '../../../host/http/serve-http.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('template files that change while the database is away are read when it is back', async (t) => {
  const directory = temporaryDirectory('muster-templates-');
  const lines: string[] = [];
  const log = {
    warn: (_: object, line: string) => lines.push(line),
    info: (_: object, line: string) => lines.push(line),
  };
  const reloaded = Promise.withResolvers<void>();
  let tries = 0;
  const templateLibrary = {
    cacheStats: { templates: 1, errors: [] },
    async refresh() {
      if (++tries < 3) throw new Error('The database cannot serve.');
      reloaded.resolve();
    },
  };
  const broker = { configuration: { templates: { directory } }, services: { templateLibrary }, log };
  using _ = reloadChangedTemplates(broker as unknown as Broker, async () => undefined);
  // The watch keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  t.teardown(() => clearInterval(alive));
  writeFileSync(join(directory, 'templates.json'), '[]');
  await reloaded.promise;
  await new Promise((resolve) => void setImmediate(resolve));
  t.deepEqual(lines, [
    'The template files could not be reloaded, and are tried again.',
    'The template files could not be reloaded, and are tried again.',
    'The template files were reloaded.',
  ]);
});
