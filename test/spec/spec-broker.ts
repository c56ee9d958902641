import { bootBroker, type BootedBroker, type BootOptions } from '../support/boot-broker.ts';

/**
 * A broker that carries nothing out and limits nobody, unless a test says so: most sentences of the specification need
 * no machine.
 */
export function specBroker(options: BootOptions = {}): Promise<BootedBroker> {
  const server = { rate_limit: { enabled: false } };
  return bootBroker({
    storage: 'memory',
    loop: 'none',
    ...options,
    configuration: { server, ...options.configuration },
  });
}

/** Providers of a place, with the endpoint of its simulated cloud left out: nothing is called. */
export const provider = (name: string, more: object = {}) => ({
  name,
  type: 'cloud',
  config: { endpoint_url: 'http://127.0.0.1:9', access_key_id: 'AKIATEST', secret_access_key: 'hidden' },
  ...more,
});

/**
 * What a value is made of: `{a: 1, b: ['x']}` → `{a: 'integer', b: ['string']}`. A list is told by its first entry.
 */
export function shape(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? [] : [shape(value[0])];
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shape(each)]));
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)) return 'time';
  return typeof value;
}

/** `template_id` → `templateId`. */
export const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
