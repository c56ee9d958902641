import { healthStatuses } from '../../../core/model/health.ts';
import type { Json } from '../../schema/public-schema.ts';

const text = { type: 'string' };
const version = '0.1.0';

/** The answer of a route outside of the API. */
export interface Shape {
  readonly schema: Json;
  readonly example: unknown;
}

const checks: Json = {
  type: 'object',
  properties: {
    status: { enum: ['ok', 'unavailable'] },
    version: text,
    checks: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          ok: { type: 'boolean' },
          message: { ...text, description: 'The reason when `ok` is false.' },
          instances: {
            type: 'object',
            description: 'Only in `providers`: the state of each instance.',
            additionalProperties: {
              type: 'object',
              properties: { status: { enum: [...healthStatuses, 'disabled'] }, message: text },
              required: ['status'],
            },
          },
        },
        required: ['ok'],
      },
    },
  },
  required: ['status', 'version', 'checks'],
};

export const alive: Shape = {
  schema: {
    type: 'object',
    properties: { status: { const: 'ok' }, pid: { type: 'integer' } },
    required: ['status', 'pid'],
  },
  example: { status: 'ok', pid: 4711 },
};

export const ready: Shape = {
  schema: checks,
  example: {
    status: 'ok',
    version,
    checks: {
      storage: { ok: true },
      templates: { ok: true },
      loop: { ok: true },
      providers: { ok: true, instances: { east: { status: 'healthy' } } },
    },
  },
};

export const notReady: Shape = {
  schema: checks,
  example: {
    status: 'unavailable',
    version,
    checks: { storage: { ok: false, message: 'The storage does not answer.' } },
  },
};

export const info: Shape = {
  schema: {
    type: 'object',
    properties: {
      name: text,
      version: text,
      scheduler: text,
      storage: text,
      started_at: { type: 'string', format: 'date-time' },
      pid: { type: 'integer' },
      workers: { type: 'integer', description: 'Number of processes that serve HTTP.' },
      loop: { ...text, description: 'Where the reconciler loop runs: `thread`, `inline` or `none`.' },
      broker_id: {
        type: ['string', 'null'],
        description: 'This broker in `/api/v1/brokers/`. null: it runs no loop.',
      },
      templates: { type: 'integer' },
      providers: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: text,
            type: text,
            enabled: { type: 'boolean' },
            health: { enum: [...healthStatuses] },
            healthy: { type: ['boolean', 'null'], description: 'null: not known yet.' },
            message: text,
          },
          required: ['name', 'type', 'enabled', 'health', 'healthy'],
        },
      },
    },
    required: [
      'name',
      'version',
      'scheduler',
      'storage',
      'started_at',
      'pid',
      'workers',
      'loop',
      'broker_id',
      'templates',
      'providers',
    ],
  },
  example: {
    name: 'muster',
    version,
    scheduler: 'default',
    storage: 'sqlite',
    started_at: '2026-01-15T09:30:00.000Z',
    pid: 4711,
    workers: 1,
    loop: 'thread',
    broker_id: '7d0c1c5e-4f0b-4a55-9a43-0d8f2d3c6a10',
    templates: 2,
    providers: [{ name: 'east', type: 'cloud', enabled: true, health: 'healthy', healthy: true }],
  },
};
