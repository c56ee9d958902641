import type { AttemptRecord } from './attempt.ts';
import type { MachineRecord } from './machine.ts';
import type { EventRecord, FactRecord, KeyRecord, TemplateRecord } from './records.ts';
import type { RequestRecord } from './request.ts';
import type { SignalRecord } from './signal.ts';

/** The stored records, by kind. */
export interface Records {
  readonly request: RequestRecord;
  readonly attempt: AttemptRecord;
  readonly machine: MachineRecord;
  readonly signal: SignalRecord;
  readonly template: TemplateRecord;
  readonly key: KeyRecord;
  readonly fact: FactRecord;
  readonly event: EventRecord;
}
export type Kind = keyof Records;

/**
 * The storage layout of each kind: the fields that identify a record, and the fields that queries may filter and sort
 * by. A storage keeps these fields as columns (with an index for each entry of `indexes`), and the whole record as
 * JSON.
 */
export const kinds = {
  request: {
    key: ['request_id'],
    columns: [
      'kind',
      'status',
      'template_id',
      'provider_type',
      'provider_instance',
      'waits_for',
      'needs',
      'machine_count',
      'holds',
      'reserves',
      'created_at',
      'completed_at',
      'next_at',
    ],
    indexes: [
      ['created_at'],
      ['status', 'created_at'],
      ['template_id', 'created_at'],
      ['next_at'],
      ['waits_for', 'created_at'],
    ],
  },
  attempt: {
    key: ['request_id', 'attempt'],
    columns: ['provider_instance', 'state', 'active', 'token'],
    indexes: [['token'], ['active', 'provider_instance']],
  },
  machine: {
    key: ['provider_instance', 'machine_id'],
    columns: [
      'request_id',
      'attempt',
      'template_id',
      'status',
      'name',
      'private_ip',
      'return_id',
      'market',
      'created_at',
      'gone_at',
    ],
    indexes: [
      ['request_id', 'created_at'],
      ['created_at'],
      ['machine_id'],
      ['name'],
      ['return_id'],
      ['return_id', 'gone_at'],
      ['gone_at'],
      ['template_id', 'status'],
      ['status'],
    ],
  },
  signal: {
    key: ['signal_id'],
    columns: ['request_id', 'return_id', 'applied', 'created_at'],
    indexes: [['request_id'], ['return_id'], ['applied']],
  },
  template: { key: ['template_id'], columns: ['updated_at'], indexes: [] },
  key: { key: ['scope', 'key'], columns: ['request_id', 'created_at'], indexes: [['request_id'], ['created_at']] },
  fact: { key: ['topic', 'name', 'item'], columns: ['until'], indexes: [['until']] },
  event: {
    key: ['seq'],
    columns: ['request_id', 'type', 'at'],
    indexes: [
      ['request_id', 'seq'],
      ['type', 'seq'],
    ],
  },
} as const satisfies { readonly [K in Kind]: KindShape<Records[K]> };

export interface KindShape<R> {
  readonly key: readonly (keyof R & string)[];
  readonly columns: readonly (keyof R & string)[];
  readonly indexes: readonly (readonly (keyof R & string)[])[];
}

export type KeyField<K extends Kind> = (typeof kinds)[K]['key'][number];
export type Column<K extends Kind> = KeyField<K> | (typeof kinds)[K]['columns'][number];
/** The fields that identify one record. */
export type KeyOf<K extends Kind> = { readonly [F in KeyField<K> & keyof Records[K]]: Records[K][F] };
