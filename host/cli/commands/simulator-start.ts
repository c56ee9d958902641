import { randomInt } from 'node:crypto';
import { BrokerError } from '../../../core/contract/errors.ts';

/** The options of `muster simulator start`. */
export interface SimulatorFlags {
  readonly port: number;
  readonly host: string;
  readonly scenario?: string;
  readonly seed?: number;
  readonly clock: 'running' | 'standing';
}

/**
 * Runs the simulated cloud in this process until a signal. Prints one line with its URL to standard output once it
 * answers.
 */
export async function startSimulatedCloud(flags: SimulatorFlags): Promise<void> {
  const [{ startSimulator }, { scenarios }, { runningClock, standingClock }] = await Promise.all([
    import('../../../plugins/cloud-simulator/server/start-simulator.ts'),
    import('../../../plugins/cloud-simulator/knobs/scenarios.ts'),
    import('../../../plugins/cloud-simulator/clock.ts'),
  ]);
  const clock = flags.clock === 'standing' ? standingClock(Date.now()) : runningClock();
  const options = { ...flags, clock, seed: flags.seed ?? randomInt(2 ** 47) };
  const simulator = await startSimulator(options).catch((error: unknown) => {
    throw startError(error, flags);
  });
  const { scenario } = simulator.knobs;
  const summary =
    scenario === null ? (flags.scenario ?? 'calm') : `${scenario}. ${scenarios[scenario]?.sentence ?? ''}`;
  process.stdout.write(`Simulated cloud on ${simulator.url}: ${summary}\n`);
  process.stderr.write(
    `Point an AWS SDK or the AWS CLI at it with AWS_ENDPOINT_URL=${simulator.url}; each access key is a separate account.\n` +
      `Set its knobs with POST ${simulator.url}/_sim/knobs; read the ledger of remaining resources with GET ${simulator.url}/_sim/ledger.\n`,
  );
  const end = () => void simulator.close().then(() => process.exit(0));
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

function startError(error: unknown, flags: SimulatorFlags): BrokerError {
  const message = error instanceof Error ? error.message : String(error);
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return new BrokerError(
      'UNAVAILABLE',
      `Port ${flags.port} is in use. Choose another with --port, or any free port with --port 0.`,
    );
  return new BrokerError('INVALID_CONFIGURATION', message);
}
