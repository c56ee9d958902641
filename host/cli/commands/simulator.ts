import { type Command, InvalidArgumentError, Option } from 'commander';
import { addExamples } from '../examples.ts';
import { port } from '../port.ts';
import type { SimulatorFlags } from './simulator-start.ts';

/** `muster simulator …` */
export function simulatorCommands(program: Command): void {
  const simulator = program.command('simulator').description('Run a simulated cloud, to rehearse failures.');
  const start = simulator
    .command('start')
    .description("Serve EC2's, Auto Scaling's and STS's wire protocol on loopback, until SIGINT or SIGTERM.")
    .option('--port <number>', 'Port to listen on; 0 means any free port.', port, 4566)
    .option('--host <address>', 'Loopback address to listen on; other addresses are refused.', '127.0.0.1')
    .option('--scenario <name or file>', 'The failures: a ready-made scenario, or a JSON file of knobs.')
    .option(
      '--seed <number>',
      'Seed of the random numbers: the same seed and the same calls give the same ids and failures (default: random).',
      seed,
    )
    .addOption(
      new Option('--clock <kind>', 'Clock of the cloud: running, or moved only by POST /_sim/clock.')
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
      for (const [name, { sentence }] of Object.entries(ready))
        process.stdout.write(`${name.padEnd(22)}${sentence}\n`);
    });
  const rehearsal = [
    'muster simulator start --port 4566 --scenario spot-reclaim',
    'a cloud that reclaims machines',
  ] as const;
  const list = ['muster simulator scenarios', 'all scenarios'] as const;
  addExamples(simulator, [rehearsal, list]);
  addExamples(start, [rehearsal]);
  addExamples(scenarios, [list]);
}

function seed(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return number;
}
