import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asNobody, testAsNobody } from '../../support/as-nobody.ts';

const exporter = pathToFileURL(join(import.meta.dirname, '../../../host/telemetry/exporter.ts')).href;
const program = `
const { Exporter } = await import(${JSON.stringify(exporter)});
const log = { error: (about) => console.log('ERROR', about.err.message), warn() {}, info() {}, debug() {} };
const settings = { variables: {}, traces: { protocol: 'http/json' } };
const exporter = new Exporter({ settings, resource: {}, log, families: async () => [] });
await new Promise((resolve) => setTimeout(resolve, 5_000));
await exporter.close();
console.log('END');
`;

// As root the kernel allows every priority.
testAsNobody('a server with a low priority of its own exports its telemetry', async (t) => {
  const args = ['-n', '15', process.execPath, '--eval', `void (async () => {${program}})()`];
  const { code, out, err } = await asNobody('nice', args, { cwd: '/' });
  t.is(code, 0, err);
  t.is(out, 'END\n');
});
