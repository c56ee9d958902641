import { cpSync, globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Copies the files that the sources read and tsc does not emit: data in JSON, SQL, certificates. */
const root = join(import.meta.dirname, '..');
for (const file of globSync('{core,config,plugins,host}/**/*.{json,sql,pem}', {
  cwd: root,
  exclude: (path) => path.startsWith('config/examples') || path.startsWith('host/page'),
})) {
  cpSync(join(root, file), join(root, 'dist', file));
}

/** The script of the page /redoc, which is a development dependency, and its licences. */
const bundle = join(
  dirname(createRequire(import.meta.url).resolve('redoc/package.json')),
  'bundles/redoc.standalone.js',
);
for (const end of ['', '.LICENSE.txt'])
  cpSync(`${bundle}${end}`, join(root, `dist/host/rest/docs/redoc.standalone.js${end}`));
