/**
 * What a program and the author of a plugin write against the package: it must compile with what the package declares
 * alone.
 */
import {
  BrokerError,
  createBroker,
  definePlugin,
  defineProviderType,
  isFault,
  ProviderFault,
  Type,
  type Store,
} from 'muster';
import { connect, NotFoundError, type BrokerClient } from 'muster/sdk';
import test from 'node:test';
import { testProvider, type Runner } from 'muster/plugin-testkit';

export const plugin = definePlugin({
  name: 'typed',
  contract: 1,
  providers: [
    defineProviderType({
      type: 'typed',
      config: Type.Object({ size: Type.Integer({ default: 3 }), name: Type.Optional(Type.String()) }),
      connect(config) {
        const size: number = config.size;
        // @ts-expect-error What may be left out may be missing.
        const name: string = config.name;
        return { size, name };
      },
    }),
  ],
});

export async function use(url: string): Promise<string> {
  await using client: BrokerClient = await connect({ url });
  const { request_id } = await client.create_request({ template_id: 'a', machine_count: 1 });
  const { status } = await client.waitFor(request_id);
  // @ts-expect-error There is no such field.
  await client.create_request({ template_id: 'a', machine_count: 1, colour: 'blue' });
  await using own = await createBroker();
  const { templates } = await own.listTemplates();
  return `${status} ${templates.length}`;
}

export const kind = (error: unknown): string =>
  isFault(error)
    ? error.kind
    : error instanceof NotFoundError
      ? error.entity_id
      : error instanceof BrokerError
        ? error.code
        : 'other';
export const fault = new ProviderFault('capacity', 'Full.', { retry_after_ms: 5 });
export const commit = (store: Store): Promise<void> => store.commit([]);
export const kit = (): void => testProvider({ test, plugin, open: () => ({ config: { size: 3 } }) });
export const runner: Runner = (_title, body) => void body(undefined);
