import { listOf, record, share, type Shapes, string } from '../knobs/shapes.ts';
import { type Span, span } from '../knobs/span.ts';
import type { When } from '../knobs/when.ts';

/**
 * The cloud recommends to replace Spot machines: those of `instance_ids`, or each with the probability `share`, or
 * all. The rule acts once, when the knob is set. The recommendation is only a message to the queues; no call shows it.
 */
export interface RebalanceRule extends Omit<When, 'from_ms' | 'until_ms'> {
  readonly instance_ids?: readonly string[];
  readonly share?: number;
}

/** The messages about machines that EventBridge sends to queues. */
export interface QueueKnobs {
  readonly queues: {
    /** Queues that exist in every account and region without CreateQueue. */
    readonly names: readonly string[];
    /** From the event to the message. A span with two bounds also mixes the order of the messages. */
    readonly delay_ms: Span;
    /** The share of messages that are sent twice, under different ids. */
    readonly repeat: number;
    /** The share of messages beside which a warning about a machine that never existed is sent. */
    readonly foreign: number;
    /** The share of messages beside which a message is sent that is no JSON. */
    readonly malformed: number;
  };
  readonly rebalance: readonly RebalanceRule[];
}

export const queueDefaults: QueueKnobs = {
  queues: { names: [], delay_ms: 0, repeat: 0, foreign: 0, malformed: 0 },
  rebalance: [],
};

export const queueShapes: Shapes = {
  queues: record({ names: listOf(string), delay_ms: span, repeat: share, foreign: share, malformed: share }),
  rebalance: listOf(record({ account: string, region: string, instance_ids: listOf(string), share })),
};
