import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import { localExecutor } from '../../../host/sdk/local-executor.ts';
import { makePlace, startBroker } from '../../support/boot-broker.ts';
import { serveBroker } from './serve.ts';

const entries = (files: readonly string[]) =>
  files.map((credential_file, i) => ({ name: `p${i}`, type: 'cloud', config: { credential_file } }));

function validate(where: object, providers: unknown): Promise<any> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    request({ ...where, method: 'POST', path: '/api/v1/providers/validate', headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.once('end', () => resolve(JSON.parse(text)));
    })
      .on('error', reject)
      .end(JSON.stringify({ providers }));
  });
}

test('a caller gets the same answer whether a file of the host exists or not; the owner gets the true reason', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-files-'));
  const there = join(directory, 'credentials');
  await writeFile(there, '');
  const socketPath = join(directory, 'a.sock');
  const server = await serveBroker({}, { socket_path: socketPath });
  t.teardown(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });
  const providers = entries([there, `${there}-not`]);
  const { providers: told } = await validate({ host: '127.0.0.1', port: server.port }, providers);
  t.is(told[0].errors[0].replace(there, ''), told[1].errors[0].replace(`${there}-not`, ''));
  t.regex(told[0].errors[0], /^FILE_NOT_FOUND: /);
  const { providers: overSocket } = await validate({ socketPath }, providers);
  const operation = operations.find(({ name }) => name === 'validate_provider_configuration');
  const { providers: inProcess } = (await localExecutor(server.broker)(operation as never, { providers }, {})) as any;
  for (const [first, second] of [overSocket, inProcess]) {
    t.deepEqual(first.errors, []);
    t.deepEqual(second.errors, [`FILE_NOT_FOUND: credential_file ${there}-not does not exist`]);
  }
});

test('links in the directory of the configuration reveal nothing about their targets to callers', async (t) => {
  const place = await makePlace();
  const { directory } = place;
  await writeFile(join(directory, 'there'), '');
  await mkdir(join(directory, 'folder'));
  await symlink('/', join(directory, 'root'));
  await symlink('/', join(directory, 'folder/root'));
  await symlink('/etc/passwd', join(directory, 'file'));
  await symlink('/etc/not-there', join(directory, 'dangling'));
  const server = await startBroker({ place });
  t.teardown(async () => (await server.stop(), place.close()));
  const { port } = new URL(server.url);
  const { providers } = await validate(
    { host: '127.0.0.1', port },
    entries([
      'root/etc/passwd',
      'root/etc/not-there',
      'folder/root/etc/passwd',
      'folder/root/etc/not-there',
      'file',
      'dangling',
      'there',
      'gone',
    ]),
  );
  const said = providers.map(({ errors }: any) => (errors[0] ?? '').replace(/credential_file \S+/, '…'));
  t.is(new Set(said.slice(0, 6)).size, 1, said.join('\n'));
  t.regex(said[0], /callers cannot ask about other files/);
  t.deepEqual(said.slice(6), ['', 'FILE_NOT_FOUND: … does not exist'], 'of what lies there itself they are told');
});

test('what is longer than a path may be is not looked for, nor repeated', async (t) => {
  const server = await serveBroker();
  t.teardown(() => server.close());
  const { providers } = await validate(
    { host: '127.0.0.1', port: server.port },
    entries(['a/'.repeat(400_000), 'a'.repeat(4_097)]),
  );
  for (const { errors } of providers)
    t.deepEqual(errors, ['FILE_NOT_FOUND: credential_file is longer than the 4096 characters of a path']);
});
