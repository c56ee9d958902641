import { type Command, InvalidArgumentError, Option } from 'commander';
import { addExamples } from '../examples.ts';
import { port } from '../port.ts';
import type { SimulatorFlags } from './simulator-start.ts';

/** `muster simulator …` */
export function simulatorCommands(program: Command): void {
  const simulator = program.command('simulator').description('Run a cloud that is none, to rehearse failures.');
  const start = simulator
    .command('start')
    .description("Serve EC2's, Auto Scaling's and STS's wire protocol on loopback, until SIGINT or SIGTERM.")
    .option('--port <number>', 'Port to listen on; 0 takes any free one.', port, 4566)
    .option('--host <address>', 'Loopback address to listen on; others are refused.', '127.0.0.1')
    .option('--scenario <name or file>', 'What goes wrong: a ready-made scenario, or a file of knobs as JSON.')
    .option(
      '--seed <number>',
      'Where chance starts: the same seed and the same calls give the same ids and failures (default: another each time).',
      seed,
    )
    .addOption(
      new Option('--clock <kind>', "Whether the cloud's time runs, or moves only by POST /_sim/clock.")
        .choices(['running', 'standing'])
        .default('running'),
    )
    .action(async (flags: SimulatorFlags) => {
      const { startSimulatedCloud } = await import('./simulator-start.ts');
      await startSimulatedCloud(flags);
    });
  const scenarios = simulator
    .command('scenarios')
    .description('List the ready-made scenarios.')
    .action(async () => {
      const ready = (await import('../../../plugins/cloud-simulator/knobs/scenarios.ts')).scenarios;
      for (const [name, { sentence }] of Object.entries(ready)) process.stdout.write(`${name.padEnd(22)}${sentence}\n`);
    });
  const rehearsal = ['muster simulator start --port 4566 --scenario spot-reclaim', 'a cloud that takes machines back'] as const;
  const list = ['muster simulator scenarios', 'what there is to rehearse'] as const;
  addExamples(simulator, [rehearsal, list]);
  addExamples(start, [rehearsal]);
  addExamples(scenarios, [list]);
}

function seed(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return number;
}
