import { createHash } from 'node:crypto';
import type { RandomSource } from '../random.ts';

/** How long a queue keeps a message: four days, the default of SQS. */
const retentionMs = 4 * 86_400_000;
/** A received message is invisible for this time, unless the call sets another one. */
const visibilityMs = 30_000;

/** A message as a receiver gets it. */
export interface Received {
  readonly id: string;
  readonly body: string;
  readonly md5: string;
  readonly sentAt: number;
  readonly receives: number;
  readonly firstReceivedAt: number;
  readonly handle: string;
}

interface Message {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  visibleAt: number;
  receives: number;
  firstReceivedAt: number;
}

/**
 * A standard queue: every message is delivered at least once, in about the order of sending. A received message
 * becomes visible again unless it is deleted with the handle of its last delivery.
 */
export class Queue {
  readonly name: string;
  readonly createdAt: number;
  readonly #messages = new Map<string, Message>();

  constructor(name: string, createdAt: number) {
    this.name = name;
    this.createdAt = createdAt;
  }

  /** Returns the id of the message. */
  send(body: string, now: number, random: RandomSource): string {
    const id = [8, 4, 4, 4, 12].map((length) => random.hex(length)).join('-');
    this.#messages.set(id, { id, body, sentAt: now, visibleAt: now, receives: 0, firstReceivedAt: now });
    return id;
  }

  /** Delivers up to `most` visible messages, and hides each for `hidden_ms`. */
  receive(most: number, now: number, hidden_ms: number = visibilityMs): readonly Received[] {
    this.#expire(now);
    const delivered: Received[] = [];
    for (const message of this.#messages.values()) {
      if (delivered.length === most) break;
      if (message.visibleAt > now) continue;
      message.visibleAt = now + hidden_ms;
      if (message.receives++ === 0) message.firstReceivedAt = now;
      const { id, body, sentAt, receives, firstReceivedAt } = message;
      delivered.push({
        id,
        body,
        md5: md5Of(body),
        sentAt,
        receives,
        firstReceivedAt,
        handle: handleOf(id, receives),
      });
    }
    return delivered;
  }

  /**
   * Deletes a message. The handle of an earlier delivery is accepted and deletes nothing, as SQS reserves for itself.
   * Returns false when the text is no handle.
   */
  delete(handle: string): boolean {
    const [, id = '', receives] = /^(.+)#(\d+)$/.exec(Buffer.from(handle, 'base64').toString()) ?? [];
    if (id === '') return false;
    if (this.#messages.get(id)?.receives === Number(receives)) this.#messages.delete(id);
    return true;
  }

  counts(now: number): { readonly visible: number; readonly hidden: number } {
    this.#expire(now);
    const hidden = [...this.#messages.values()].filter(({ visibleAt }) => visibleAt > now).length;
    return { visible: this.#messages.size - hidden, hidden };
  }

  #expire(now: number): void {
    for (const { id, sentAt } of this.#messages.values()) {
      if (sentAt + retentionMs > now) return;
      this.#messages.delete(id);
    }
  }
}

const handleOf = (id: string, receives: number): string => Buffer.from(`${id}#${receives}`).toString('base64');

/** The digest by which SQS shows that a body arrived unchanged. */
export const md5Of = (body: string): string => createHash('md5').update(body).digest('hex');
