import { Type } from 'typebox';
import { definePlugin, defineService, serviceOperation } from '../../../../core/index.ts';

const Settings = Type.Object({ step: Type.Integer({ default: 1, minimum: 1 }) }, { additionalProperties: false });

const add = serviceOperation<{ step: number }>()({
  name: 'counter_add',
  kind: 'command',
  summary: 'Add the step to a counter.',
  input: Type.Object(
    { counter: Type.String({ minLength: 1, description: 'Its name.' }) },
    { additionalProperties: false },
  ),
  output: Type.Object({ value: Type.Integer() }),
  rest: { method: 'POST', path: '/counter/add' },
  cli: { command: 'counter add', args: ['counter'], example: 'muster counter add a' },
  async handle({ counter }, { settings, records }) {
    const present = await records.get(counter);
    const value = Number(present?.value ?? 0) + settings.step;
    await records.commit([{ key: counter, version: present?.version ?? 0, value }]);
    return { value };
  },
  text: ({ value }) => `${value}\n`,
  fails: ({ value }) => value > 5,
});

/** A service that counts: for tests of what services may do. */
const counter = defineService({
  name: 'counter',
  summary: 'Counters.',
  settings: Settings,
  operations: [
    add,
    serviceOperation<{ step: number }>()({
      name: 'counter_templates',
      kind: 'query',
      summary: 'The ids of all templates.',
      input: Type.Object({}, { additionalProperties: false }),
      output: Type.Object({ ids: Type.Array(Type.String()) }),
      async handle(_, { call }) {
        const { templates } = await call('list_templates', {});
        return { ids: templates.map(({ template_id }: { template_id: string }) => template_id) };
      },
    }),
  ],
  jobs: [
    {
      name: 'tick',
      every_ms: () => 100,
      async run({ records }) {
        const present = await records.get('ticks');
        const value = Number(present?.value ?? 0) + 1;
        await records.commit([{ key: 'ticks', version: present?.version ?? 0, value }]);
      },
    },
  ],
});

export default definePlugin({ name: 'counter', contract: 1, services: [counter] });
