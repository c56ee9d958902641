import type { Notice, NoticeMessage } from '../../../core/index.ts';
import type { CloudClock } from '../connection/cloud-clock.ts';
import { machineStates } from '../observe/machines.ts';
import { scheduledChange } from './scheduled-change.ts';

/** The time from the warning of EC2 to the end of the machine. */
const warningMs = 120_000;
/** The most machines of one message; the core accepts no more. */
const mostMachines = 10_000;
const instanceId = /^i-[0-9a-f]{8,17}$/;

/** An event as EventBridge sends it. */
interface Envelope {
  readonly 'detail-type': string;
  readonly time: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The message of a queue, as far as it is read. */
export interface QueueMessage {
  readonly Body?: string | undefined;
  readonly ReceiptHandle?: string | undefined;
}

/**
 * Reads a message of EventBridge. An event of another type concerns no machine; a text that is no event of EventBridge
 * is malformed. Times are converted to the clock of the broker.
 */
export function readMessage({ Body = '', ReceiptHandle = '' }: QueueMessage, clock: CloudClock): NoticeMessage {
  try {
    return { receipt: ReceiptHandle, notices: noticesIn(envelopeIn(Body), clock) };
  } catch (error) {
    // Whatever is wrong with a message, it must not keep others from being read.
    const malformed = error instanceof Malformed ? error.message : `It cannot be read: ${shown(error)}.`;
    return { receipt: ReceiptHandle, notices: [], malformed };
  }
}

function noticesIn({ 'detail-type': type, time, detail }: Envelope, clock: CloudClock): readonly Notice[] {
  const at = clock.toBrokerTime(time);
  switch (type) {
    case 'EC2 Spot Instance Interruption Warning': {
      const reclaim_at = new Date(Date.parse(at) + warningMs).toISOString();
      const message = `EC2 interrupts the Spot instance (${shown(detail['instance-action'] ?? 'terminate')}).`;
      return [{ machine_id: machineOf(detail), kind: 'reclaim', at, reclaim_at, message }];
    }
    case 'EC2 Instance Rebalance Recommendation': {
      const message = 'EC2 recommends to replace the Spot instance: its risk of an interruption is elevated.';
      return [{ machine_id: machineOf(detail), kind: 'rebalance', at, message }];
    }
    case 'EC2 Instance State-change Notification': {
      const state = String(detail['state']);
      const status = Object.hasOwn(machineStates, state) ? machineStates[state] : undefined;
      if (status === undefined) throw new Malformed(`Its state '${shown(detail['state'])}' is not one of EC2.`);
      return [{ machine_id: machineOf(detail), kind: 'state', at, status }];
    }
    case 'AWS Health Event': {
      const change = scheduledChange(detail);
      if (change === undefined) return [];
      const reclaim_at = change.starts_at === null ? null : clock.toBrokerTime(change.starts_at);
      const machines = [...new Set(change.entities.filter((id) => instanceId.test(id)))];
      if (machines.length > mostMachines)
        throw new Malformed(`It names ${machines.length} machines, more than ${mostMachines}.`);
      return machines.map((machine_id) => ({
        machine_id,
        kind: 'scheduled',
        at,
        reclaim_at,
        message: change.message,
        ...(change.event_id === undefined ? {} : { event_id: change.event_id }),
      }));
    }
    default:
      return [];
  }
}

function machineOf(detail: Envelope['detail']): string {
  const id = detail['instance-id'];
  if (typeof id === 'string' && instanceId.test(id)) return id;
  throw new Malformed(`Its instance-id '${shown(id)}' is no id of an instance.`);
}

function envelopeIn(body: string): Envelope {
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    throw new Malformed(`It is no JSON: '${shown(body)}'.`);
  }
  const { 'detail-type': type, time, detail } = (isObject(event) ? event : {}) as Partial<Envelope>;
  if (typeof type !== 'string' || !isObject(detail) || typeof time !== 'string' || Number.isNaN(Date.parse(time)))
    throw new Malformed(`It is no event of EventBridge (detail-type, time and detail): '${shown(body)}'.`);
  return { 'detail-type': type, time, detail };
}

class Malformed extends Error {}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The beginning of a value, without control characters. */
const shown = (value: unknown): string =>
  String(isObject(value) && !(value instanceof Error) ? JSON.stringify(value) : value)
    .slice(0, 60)
    .replace(/[^\x20-\x7e]/g, '?');
