import type { Mark } from '../parts/state-mark.tsx';

/** A state as the page shows it. */
export interface Shown {
  readonly mark: Mark;
  readonly word: string;
}

const requests: Readonly<Record<string, Shown>> = {
  pending: { mark: 'waiting', word: 'pending' },
  in_progress: { mark: 'moving', word: 'in progress' },
  completed: { mark: 'good', word: 'completed' },
  failed: { mark: 'bad', word: 'failed' },
  cancelled: { mark: 'off', word: 'cancelled' },
};

const machines: Readonly<Record<string, Shown>> = {
  pending: { mark: 'waiting', word: 'pending' },
  running: { mark: 'good', word: 'running' },
  'shutting-down': { mark: 'leaving', word: 'shutting down' },
  stopping: { mark: 'leaving', word: 'stopping' },
  stopped: { mark: 'off', word: 'stopped' },
  terminated: { mark: 'gone', word: 'terminated' },
  failed: { mark: 'bad', word: 'failed' },
};

const instances: Readonly<Record<string, Shown>> = {
  healthy: { mark: 'good', word: 'healthy' },
  unhealthy: { mark: 'bad', word: 'unhealthy' },
  unknown: { mark: 'unknown', word: 'not asked yet' },
  disabled: { mark: 'off', word: 'disabled' },
  missing: { mark: 'bad', word: 'not configured' },
};

const brokers: Readonly<Record<string, Shown>> = {
  live: { mark: 'good', word: 'live' },
  draining: { mark: 'leaving', word: 'draining' },
  dead: { mark: 'bad', word: 'dead' },
};

const in_ =
  (table: Readonly<Record<string, Shown>>) =>
  (status: string): Shown =>
    table[status] ?? { mark: 'unknown', word: status };

export const machineState = in_(machines);
export const instanceState = in_(instances);
export const brokerState = in_(brokers);

/** The state of a request. One that completed with fewer machines than requested is `short`. */
export function requestState(status: string, delivered?: number, requested?: number): Shown {
  const isShort = delivered !== undefined && requested !== undefined && delivered < requested;
  if (status === 'completed' && isShort) return { mark: 'part', word: 'completed, short' };
  return in_(requests)(status);
}
