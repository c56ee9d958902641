import { definePlugin } from '../../../../core/index.ts';

/** A plugin that tells its password in everything that goes wrong. */
interface Config {
  readonly password: string;
}

const login = (password: string) => `cannot log in at db://broker:${password}@10.0.0.9 with '${password}'`;
const unused = () => Promise.reject(new Error('not reached'));

const views = Object.fromEntries(
  ['requested', 'returned', 'status', 'listed', 'templates', 'reclaims'].map((view) => [
    view,
    { schema: {}, render: () => null },
  ]),
);

export default definePlugin({
  name: 'leaky',
  contract: 1,
  schedulers: [{ name: 'leaky', ...views }],
  providers: [
    {
      type: 'leaky',
      config: {
        type: 'object',
        properties: { password: { type: 'string', sensitive: true } },
        required: ['password'],
        additionalProperties: true,
      },
      connect: ({ password }: Config) => ({ password }),
      check: ({ password }: Config) =>
        Promise.reject(new Error(login(password), { cause: new Error(login(password)) })),
    },
  ],
  providerApis: [
    {
      type: 'leaky',
      name: 'Leaky',
      fields: { type: 'object', properties: {} },
      capabilities: {
        supports_spot: false,
        supports_on_demand: true,
        supported_fleet_types: [],
        max_instances: 10,
        machines_per_launch: 10,
        offers_per_launch: 'many',
        visible_within_ms: 0,
        token_valid_ms: 3_600_000,
        late_release_ms: 0,
        price_types: ['ondemand'],
      },
      launch: ({ password }: Config) =>
        Promise.reject(
          Object.assign(new Error(login(password)), {
            [Symbol.for('muster.fault')]: true,
            kind: 'credentials',
            code: 'LOGIN',
            cause: login(password),
          }),
        ),
      observe: unused,
      release: unused,
    },
  ],
} as unknown as Parameters<typeof definePlugin>[0]);
