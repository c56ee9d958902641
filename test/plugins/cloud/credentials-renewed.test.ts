import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stage } from './support.ts';

// What a program outside does with a credentials file: it puts other keys in before the old ones end.
const keysOf = (name: string): string => `[default]\naws_access_key_id = ${name}\naws_secret_access_key = s\n`;

/** The SDK keeps credentials by this computer's clock. */
function minuteLater(t: ExecutionContext): void {
  const real = Date.now;
  Date.now = () => real() + 61_000;
  t.teardown(() => void (Date.now = real));
}

const ways: readonly (readonly [what: string, config: (file: string) => object])[] = [
  ['a credential_file', (file) => ({ credential_file: file })],
  [
    'a profile',
    (file) => {
      process.env['AWS_SHARED_CREDENTIALS_FILE'] = file;
      return { profile: 'default' };
    },
  ],
  [
    'the usual credentials file',
    (file) => {
      process.env['AWS_SHARED_CREDENTIALS_FILE'] = file;
      return {};
    },
  ],
];

for (const [what, config] of ways) {
  test.serial(`other keys in ${what} are used a minute later, without a new start`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'muster-credentials-'));
    t.teardown(() => rm(directory, { recursive: true }));
    const file = join(directory, 'credentials');
    await writeFile(file, keysOf('AKIAOLD'));
    process.env['AWS_CONFIG_FILE'] = join(directory, 'none');
    const { session, call, simulator, close } = await stage({
      access_key_id: null,
      secret_access_key: null,
      ...config(file),
    });
    t.teardown(close);
    const ask = () => session.read((ec2) => new ec2.DescribeAvailabilityZonesCommand({}), call);
    simulator.setKnobs({ auth: { known_keys: ['AKIAOLD'] } });
    await ask();
    simulator.setKnobs({ auth: { known_keys: ['AKIANEW'] } });
    await writeFile(file, keysOf('AKIANEW'));
    minuteLater(t);
    await ask();
    t.pass();
  });
}
