import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** Copies what the sources read beside themselves and tsc does not emit: data in JSON, SQL, certificates. */
const root = join(import.meta.dirname, '..');
for (const file of globSync('{core,config,plugins,host}/**/*.{json,sql,pem}', {
  cwd: root,
  exclude: (path) => path.startsWith('config/examples'),
})) {
  cpSync(join(root, file), join(root, 'dist', file));
}
