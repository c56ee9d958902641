import type { Action, ActionCall } from '../../dispatch/action.ts';
import { queuesOf } from '../../queues/post.ts';
import type { Queue } from '../../queues/queue.ts';
import { AwsError, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { sqsVersion } from '../../wire/protocols.ts';

/** The account in a queue URL that stands for the account of the caller. */
const anyAccount = '000000000000';

/** An action of SQS, of which `handle` returns the members of the answer. */
export const queueAction = (
  name: Action['name'],
  mutating: boolean,
  handle: (call: ActionCall) => object | undefined,
): Action => ({
  name,
  version: sqsVersion,
  mutating,
  handle: (call) => JSON.stringify(handle(call) ?? {}),
});

/** The queue of the parameter `QueueUrl`, which must be one of the caller's account. */
export function queueOf(call: ActionCall): Queue {
  const url = text(call.params, 'QueueUrl');
  if (!url) throw missingParameter('QueueUrl');
  const [, account = '', name = ''] = /\/(\d{12})\/([\w-]+(?:\.fifo)?)\/?$/.exec(url) ?? [];
  const isOurs = account === call.state.account || account === anyAccount;
  return (isOurs ? find(call, name) : undefined) ?? missing();
}

/** The queue with a name. */
export const queueNamed = (call: ActionCall, name: string): Queue => find(call, name) ?? missing();

function find(call: ActionCall, name: string): Queue | undefined {
  queuesOf(call);
  return call.state.queues.get(name);
}

function missing(): never {
  throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.');
}

/** The URL of a queue, as SQS forms it. */
export const urlOf = ({ state }: ActionCall, { name }: Queue): string =>
  `https://sqs.${state.region}.amazonaws.com/${state.account}/${name}`;

/** A whole number of the call within its bounds; undefined when it is absent. */
export function numberOf({ params }: ActionCall, name: string, least: number, most: number): number | undefined {
  const given = text(params, name);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalidParameter(
    `Value ${given} for parameter ${name} is invalid. Reason: it must be between ${least} and ${most}.`,
  );
}
