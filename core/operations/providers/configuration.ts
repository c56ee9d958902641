import { Type } from 'typebox';
import { operation } from '../operation.ts';

export const getConfiguration = operation('GetConfigurationQuery', {
  summary: 'Show the configuration that the broker uses, with the origin of each value. Secrets are masked.',
  input: Type.Object(
    {
      key: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'One section or value: `server`, `server.port`.' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    configuration: Type.Unknown({
      description: 'The whole configuration, or the value at `key`; null when there is none.',
    }),
    origins: Type.Record(Type.String(), Type.String(), {
      description: 'By JSON pointer: default, file, environment or command line.',
    }),
  }),
  cli: { command: 'config show', args: ['key'], example: 'muster config show server.port' },
  async handle({ key }, { configurationChecks }) {
    const { configuration: whole, origins } = configurationChecks.resolved();
    if (key === undefined) return { configuration: whole, origins: { ...origins } };
    const steps = key.split('.');
    const pointer = `/${steps.join('/')}`;
    const found = steps.reduce<unknown>(
      (at, step) => (at === null || typeof at !== 'object' ? undefined : own(at, step)),
      whole,
    );
    const below = Object.entries(origins).filter(([path]) => path === pointer || path.startsWith(`${pointer}/`));
    return { configuration: found ?? null, origins: Object.fromEntries(below) };
  },
});

const own = (at: object, step: string): unknown =>
  Object.hasOwn(at, step) ? (at as Record<string, unknown>)[step] : undefined;
