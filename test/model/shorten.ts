import type { Command, History } from './commands.ts';
import type { Rule, Violation } from './judge.ts';
import { plainSetup, type Setup } from './setup.ts';

/**
 * Takes away what a history needs not to break the same rule: commands, many at once as long as that goes, and
 * whatever differs from the plainest setup. fast-check could do it too, in more plays, and leaves commands that matter
 * not. /
 */
export async function shorten(
  history: History,
  rule: Rule,
  violationOf: (history: History) => Promise<Violation | undefined>,
): Promise<History> {
  const breaks = async (shorter: History): Promise<boolean> => (await violationOf(shorter))?.rule === rule;
  let best = history;
  for (let again = true; again; ) {
    again = false;
    for (const shorter of shorterOnes(best)) {
      if (!(await breaks(shorter))) continue;
      best = shorter;
      again = true;
      break;
    }
  }
  return best;
}

function* shorterOnes({ setup, commands }: History): Generator<History> {
  for (let many = Math.ceil(commands.length / 2); many > 0; many = many > 1 ? Math.ceil(many / 2) : 0)
    for (let i = commands.length - many; i > -many; i -= many)
      yield { setup, commands: commands.toSpliced(Math.max(0, i), many) };
  for (const [i, command] of commands.entries())
    for (const simpler of simplerOnes(command)) yield { setup, commands: commands.with(i, simpler) };
  for (const simpler of plainerOnes(setup)) yield { setup: simpler, commands };
}

function* simplerOnes(command: Command): Generator<Command> {
  if ('times' in command && command.times > 1) yield { ...command, times: 1 };
  if ('nth' in command && command.nth > 1) yield { ...command, nth: command.nth - 1 };
  if ('of' in command && typeof command.of === 'number' && command.of !== 0) yield { ...command, of: 0 };
  if ('from' in command && command.from !== 0) yield { ...command, from: 0 };
  if ('after' in command && command.after > 0) yield { ...command, after: command.after - 1 };
  if (command.do === 'request' && command.machines > 1)
    yield { ...command, machines: Math.ceil(command.machines / 2) };
}

function* plainerOnes(setup: Setup): Generator<Setup> {
  if (setup.instances.length > 1) yield { ...setup, instances: setup.instances.slice(0, -1) };
  if (setup.templates.length > 1) yield { ...setup, templates: setup.templates.slice(0, -1) };
  for (const key of ['api', 'sweep', 'lease_ms'] as const)
    if (JSON.stringify(setup[key]) !== JSON.stringify(plainSetup[key])) yield { ...setup, [key]: plainSetup[key] };
  for (const key of Object.keys(setup.api) as (keyof Setup['api'])[])
    if (setup.api[key] !== plainSetup.api[key]) yield { ...setup, api: { ...setup.api, [key]: plainSetup.api[key] } };
  const [plainInstance] = plainSetup.instances;
  const [plainTemplate] = plainSetup.templates;
  for (const [i, instance] of setup.instances.entries())
    if (plainInstance && JSON.stringify(instance) !== JSON.stringify(plainInstance))
      yield { ...setup, instances: setup.instances.with(i, plainInstance) };
  for (const [i, template] of setup.templates.entries())
    if (plainTemplate && JSON.stringify(template) !== JSON.stringify(plainTemplate))
      yield { ...setup, templates: setup.templates.with(i, plainTemplate) };
}
