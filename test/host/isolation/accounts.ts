/** A plugin with an account that can be discovered and set up; `way` of the configuration says how it answers. */
import {
  definePlugin,
  defineProviderApi,
  defineProviderType,
  ProviderFault,
  Type,
  type AccountContents,
} from '../../../core/index.ts';

const contents = (name: string): AccountContents => ({
  networks: [{ id: 'net-1', name, address_block: null, is_default: true }],
  subnets: [{ id: 'sub-1', name: null, network_id: 'net-1', zone: null, address_block: null, free_addresses: null }],
  security_groups: [],
  key_pairs: [],
  images: [{ image_id: 'img-1', description: 'An image', arch: null }],
  incomplete: [],
});

/** How often accounts were discovered. */
let discoveries = 0;

const ways: Readonly<Record<string, (key: string) => unknown>> = {
  'key-in-contents': contents,
  'key-in-a-fault': (key) => {
    throw new ProviderFault('credentials', `cannot log in with ${key}`);
  },
  'key-in-an-error': (key) => {
    throw new Error(`cannot log in with ${key}`);
  },
  // The texts differ at each reading: a check that reads twice lets the second one pass.
  'changing-value': () => {
    let read = 0;
    const network = Object.defineProperty({ ...contents('x').networks[0] }, 'name', {
      enumerable: true,
      get: () => ((read += 1) === 1 ? 'fine' : () => 'a function'),
    });
    return { ...contents('x'), networks: [network] };
  },
  'own-list': () => {
    class List extends Array<unknown> {
      override map(): never[] {
        return [() => 'a function'] as never[];
      }
    }
    return { ...contents('x'), networks: List.from(contents('x').networks) };
  },
  slow: async () => {
    discoveries += 1;
    await new Promise((done) => setTimeout(done, 300));
    return contents(`discovery ${discoveries}`);
  },
};

export default definePlugin({
  name: 'accounts',
  contract: 1,
  providers: [
    defineProviderType({
      type: 'account',
      config: Type.Object({
        key: Type.String({ default: '', sensitive: true }),
        way: Type.String({ default: 'slow' }),
      }),
      connect: async ({ key, way }) => ({ key, way }),
      discover: async ({ key, way }) => ways[way]?.(key) as Promise<AccountContents>,
      setup: {
        asks: ['way'],
        templates: ({ image }) => [
          { template_id: 'first', description: 'One machine.', provider_api: 'Accounted', image_id: image.image_id },
        ],
      },
    }),
  ],
  providerApis: [
    defineProviderApi<{ readonly key: string; readonly way: string }>()({
      type: 'account',
      name: 'Accounted',
      // Some texts take this pattern hours.
      fields: Type.Object({ size: Type.Optional(Type.String({ pattern: '^(a+)+$' })) }),
      capabilities: { machines_per_launch: 100, visible_within_ms: 1_000, token_valid_ms: 60_000 },
      launch: async () => ({ handle: {}, machines: [], settled: true, shortfall: [] }),
      observe: async (_, watched) => watched.map(() => ({ machines: [], settled: true })),
      release: async () => ({ done: true }),
    }),
  ],
});
