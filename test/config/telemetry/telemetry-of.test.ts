import test from 'ava';
import type { Finding } from '../../../core/contract/findings.ts';
import { telemetryOf, telemetrySecrets } from '../../../config/telemetry/telemetry-of.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

function read(env: Record<string, string>) {
  const findings: Finding[] = [];
  const settings = telemetryOf(env, findings);
  return { settings, warned: findings.map(({ file, message }) => `${file}: ${message}`), findings };
}

const standard = { parent_based: true, ratio: 1 };
const cases: readonly [string, Record<string, string>, object | undefined][] = [
  ['no variable turns nothing on', {}, undefined],
  ['a service name alone turns nothing on', { OTEL_SERVICE_NAME: 'x' }, undefined],
  ['an empty endpoint counts as unset', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, undefined],
  [
    'an endpoint turns both signals on',
    endpoint,
    { traces: { protocol: 'http/protobuf', sampler: standard }, metrics: { protocol: 'http/protobuf' } },
  ],
  ['OTEL_SDK_DISABLED turns everything off', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  [
    'the endpoint of one signal turns that one on',
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:4318/v1/metrics' },
    { metrics: { protocol: 'http/protobuf' } },
  ],
  [
    'an exporter `none` turns its signal off',
    { ...endpoint, OTEL_METRICS_EXPORTER: 'none' },
    { traces: { protocol: 'http/protobuf', sampler: standard } },
  ],
  [
    'the protocol of a signal precedes the common one',
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
    { traces: { protocol: 'http/protobuf', sampler: standard }, metrics: { protocol: 'http/json' } },
  ],
  [
    'a sampler by ratio',
    {
      ...endpoint,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_METRICS_EXPORTER: 'none',
    },
    { traces: { protocol: 'http/protobuf', sampler: { parent_based: false, ratio: 0.25 } } },
  ],
];

for (const [what, env, expected] of cases)
  test(what, (t) => {
    const { settings, warned } = read(env);
    t.deepEqual(settings, expected === undefined ? undefined : ({ ...expected, variables: env } as typeof settings));
    t.deepEqual(warned, []);
  });

const warnings: readonly [Record<string, string>, RegExp, string[]][] = [
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /_PROTOCOL: 'grpc' is not supported; muster speaks http/, []],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, /_ENDPOINT: must be a URL like http:/, []],
  [
    { ...endpoint, OTEL_TRACES_SAMPLER: 'always' },
    /parentbased_always_on is used, because 'always'/,
    ['metrics', 'traces'],
  ],
  [
    { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10%' },
    /_ARG: must be a number from 0 to 1/,
    ['metrics', 'traces'],
  ],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }, /'zipkin' is not known/, ['metrics']],
];

for (const [env, message, on] of warnings)
  test(`a variable that cannot be honored is a warning, never an error: ${JSON.stringify(env)}`, (t) => {
    const { settings, warned, findings } = read(env);
    t.true(findings.every(({ level }) => level === 'warning'));
    t.true(warned.every((each) => each.startsWith('environment variable OTEL_')));
    t.regex(warned.join('\n'), message);
    t.deepEqual(
      Object.keys(settings ?? { variables: {} })
        .filter((name) => name !== 'variables')
        .toSorted(),
      on,
    );
  });

test('the values of headers and the credentials of an endpoint are secrets', (t) => {
  const { settings } = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:pass-word@collector.example:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token-one,x-key=token-two',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=token-three',
  });
  const secrets = settings ? telemetrySecrets(settings) : [];
  for (const secret of ['Bearer token-one', 'token-one', 'token-two', 'token-three', 'user', 'pass-word'])
    t.true(secrets.includes(secret), secret);
});
