import { draw } from '../knobs/span.ts';
import type { CallContext } from '../state/call-context.ts';
import type { Queue } from './queue.ts';

/** One event of a service, as EventBridge gets it. */
export interface CloudEvent {
  readonly type: string;
  readonly source: 'aws.ec2' | 'aws.health';
  readonly resources: readonly string[];
  readonly detail: object;
}

/** The queues that receive events: those of calls and those of the knob. */
export function queuesOf({ state, knobs, now }: CallContext): readonly Queue[] {
  for (const name of knobs.queues.names) if (!state.queues.get(name)) state.queues.create(name, now);
  return [...state.queues.all()];
}

/**
 * Sends an event to every queue of the account and region, as a rule of EventBridge without a pattern would, with the
 * repeats, delays and foreign messages of the knob `queues`. Without a queue nothing happens.
 */
export function post(context: CallContext, event: CloudEvent): void {
  const { knobs, random, state, now } = context;
  const queues = queuesOf(context);
  if (queues.length === 0) return;
  const { delay_ms, repeat, foreign, malformed } = knobs.queues;
  const body = envelope(context, event);
  const bodies = [
    body,
    ...(happens(repeat) ? [body] : []),
    ...(happens(foreign) ? [envelope(context, foreignEvent(context))] : []),
    ...(happens(malformed) ? [body.slice(0, Math.ceil(body.length / 2))] : []),
  ];
  for (const each of bodies)
    for (const queue of queues) {
      const at = now + draw(delay_ms, random);
      if (at <= now) queue.send(each, now, random);
      else state.timers.plan(at, (then) => void queue.send(each, then.now, then.random));
    }

  function happens(share: number): boolean {
    return share > 0 && random.next() < share;
  }
}

/** An interruption of a machine that this account never had. */
function foreignEvent({ random, state }: CallContext): CloudEvent {
  const id = `i-0${random.hex(16)}`;
  return {
    type: 'EC2 Spot Instance Interruption Warning',
    source: 'aws.ec2',
    resources: [`arn:aws:ec2:${state.region}:${state.account}:instance/${id}`],
    detail: { 'instance-id': id, 'instance-action': 'terminate' },
  };
}

function envelope({ random, state, now }: CallContext, { type, source, resources, detail }: CloudEvent): string {
  return JSON.stringify({
    version: '0',
    id: [8, 4, 4, 4, 12].map((length) => random.hex(length)).join('-'),
    'detail-type': type,
    source,
    account: state.account,
    // EventBridge gives whole seconds.
    time: new Date(now).toISOString().replace(/\.\d+/, ''),
    region: state.region,
    resources,
    detail,
  });
}
