import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { launcher } from '../../../support/run-cli.ts';
import { oneOfMany } from '../../../support/temporary-directory.ts';

/** A script that fails, and so has something to log. */
const fail = (HF_LOGDIR: string): Promise<string> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HF_LOGDIR, HF_PROVIDER_NAME: 'muster' };
    execFile(launcher, ['hostfactory', 'requestMachines', '-f', '/nowhere/input.json'], { env }, (_, __, err) =>
      resolve(err),
    );
  });

test('a script logs into the directory of its scheduler, and follows no link that has the name of its log', async (t) => {
  const directory = oneOfMany('muster-log-');
  const name = `muster-provider.log.${hostname()}`;
  t.is(await fail(directory), '');
  t.regex(readFileSync(join(directory, name), 'utf8'), /Invalid input file/);
  const other = oneOfMany('muster-log-');
  const precious = join(other, 'precious');
  writeFileSync(precious, 'precious');
  symlinkSync(precious, join(other, name));
  t.regex(await fail(other), /Invalid input file/, 'it is told all the same');
  t.is(readFileSync(precious, 'utf8'), 'precious');
});
