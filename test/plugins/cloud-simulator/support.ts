import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import {
  EC2Client,
  type EC2ServiceException,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import type { ExecutionContext } from 'ava';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../../plugins/cloud-simulator/server/server.ts';
import { checkAnswers } from './model-check.ts';

export interface Cloud {
  readonly simulator: Simulator;
  readonly ec2: EC2Client;
  readonly autoScaling: AutoScalingClient;
  client(options?: { readonly key?: string; readonly region?: string }): EC2Client;
}

/** A simulated cloud whose clock stands still, with a client of one account in us-east-1. Both end with the test. */
export async function openCloud(t: ExecutionContext, options: SimulatorOptions = {}): Promise<Cloud> {
  const simulator = createSimulator({ clock: standingClock(), ...options });
  const endpoint = await simulator.listen();
  const clients: { destroy(): void }[] = [];
  const client: Cloud['client'] = ({ key = 'AKIATEST0001', region = 'us-east-1' } = {}) => {
    const made = new EC2Client({
      endpoint,
      region,
      maxAttempts: 1,
      credentials: { accessKeyId: key, secretAccessKey: 'secret' },
    });
    checkAnswers(made);
    clients.push(made);
    return made;
  };
  const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };
  const autoScaling = new AutoScalingClient({ endpoint, region: 'us-east-1', maxAttempts: 1, credentials });
  checkAnswers(autoScaling);
  clients.push(autoScaling);
  t.teardown(async () => {
    for (const one of clients) one.destroy();
    await simulator.close();
  });
  return { simulator, ec2: client(), autoScaling, client };
}

/** RunInstances with what every launch needs. */
export function launch(input: Partial<RunInstancesCommandInput> = {}): RunInstancesCommand {
  return new RunInstancesCommand({ ImageId: 'ami-1', InstanceType: 't3.micro', MinCount: 1, MaxCount: 1, ...input });
}

/** The code and the HTTP status of a refusal. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ code: string; status: number | undefined; message: string }> {
  try {
    await call;
  } catch (error) {
    const { name, message, $metadata } = error as EC2ServiceException;
    return { code: name, status: $metadata?.httpStatusCode, message };
  }
  throw new Error('The call was not refused.');
}

/** The code alone. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  return (await refusal(call)).code;
}
