import test from 'ava';
import { secretsOf } from '../../../host/process/secrets.ts';

test('of an address the password is a secret of the log: whole, as it is written and as it is sent, and with the name before it', (t) => {
  const secretsIn = (proxy_host: string) =>
    secretsOf({
      configuration: {
        providers: [{ type: 'cloud', config: { proxy_host } }],
        storage: { type: 'sqlite' },
        events: { sinks: [] },
      },
      plugins: [],
    } as unknown as Parameters<typeof secretsOf>[0]);
  t.deepEqual(secretsIn('http://me:pa%3Ass:word@host'), ['me:pa%3Ass:word', 'pa%3Ass:word', 'pa:ss:word']);
  t.deepEqual(secretsIn('http://token@host'), ['token']);
  t.deepEqual(secretsIn('http://me:100%@host'), ['me:100%', '100%']);
  t.deepEqual(secretsIn('http://host'), []);
});

test('what a storage marks as sensitive is a secret of the log too, and what sounds like it where no schema knows it', (t) => {
  const options = {
    type: 'object',
    properties: { key: { type: 'string', sensitive: true }, path: { type: 'string' } },
  };
  const loaded = {
    configuration: {
      providers: [],
      storage: { type: 'vault', key: 'opens it', path: 'a', password: 'hush' },
      events: { sinks: [] },
    },
    plugins: [{ storages: [{ type: 'vault', options }] }],
  };
  t.deepEqual(secretsOf(loaded as unknown as Parameters<typeof secretsOf>[0]), ['opens it', 'hush']);
});

test('what the type of an event sink marks as sensitive is a secret of the log', (t) => {
  const options = { type: 'object', properties: { url: { type: 'string', sensitive: true } } };
  const sinks = [
    { type: 'hook', name: 'ops', url: 'http://host/hidden' },
    { type: 'unknown', name: 'other', secret: 'hush' },
  ];
  const loaded = {
    configuration: { providers: [], storage: { type: 'memory' }, events: { sinks } },
    plugins: [{ eventSinkTypes: [{ type: 'hook', options }] }],
  };
  t.deepEqual(secretsOf(loaded as unknown as Parameters<typeof secretsOf>[0]), ['http://host/hidden', 'hush']);
});
