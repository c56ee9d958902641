/** Scheduler strategies that fail, each in its own way. */
import { definePlugin, Type, type SchedulerStrategy } from '../../../core/index.ts';

const view = (render: () => unknown) => ({ schema: Type.Any(), render });
const speechless = (): never => {
  throw new Error('lost for words');
};

const strategy = (name: string, render: () => unknown): SchedulerStrategy => ({
  name,
  requested: view(render),
  returned: view(render),
  status: view(render),
  listed: { ...view(render), entry: render, around: () => render() },
  templates: view(render),
  reclaims: view(render),
  recognizes: () => false,
});

export default definePlugin({
  name: 'failing-strategy',
  contract: 1,
  schedulers: [
    strategy('throwing', speechless),
    strategy('silent', () => undefined),
    strategy('no-json', () => ({ n: 1n })),
    strategy('promising', async () => ({ requests: [] })),
    strategy('rejecting', async () => speechless()),
    strategy('without-entries', () => ({ requests: [] })),
    {
      ...strategy('entries-twice', () => ({ a: 1 })),
      listed: {
        ...view(() => ({})),
        entry: () => ({}),
        around: (_, entries) => ({ requests: entries, again: entries }),
      },
    },
    {
      ...strategy('reading', speechless),
      recognizes: speechless,
      readTemplates: () => ({ layers: [], findings: [] }),
    },
  ],
});
