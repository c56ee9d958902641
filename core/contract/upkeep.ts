import type { Finding } from './findings.ts';

/** The result of a check of everything that is stored. */
export interface StorageCheck {
  /** False when any finding is an error. */
  readonly valid: boolean;
  /** The file or place that was checked. */
  readonly path: string;
  readonly size_bytes: number;
  /** Bytes that are written to the log and not yet to their final place. */
  readonly log_bytes: number;
  readonly schema_version: number;
  readonly took_ms: number;
  /** The number of records of each kind. */
  readonly records: Readonly<Record<string, number>>;
  /** `path` points to the record, by its kind and key. Empty: the storage itself. */
  readonly findings: readonly Finding[];
}

/** A backup that was written, and the result of its check. It exists only when the check found no error. */
export interface StorageCopy {
  readonly file: string;
  readonly size_bytes: number;
  /** The time of the copying without the check. */
  readonly took_ms: number;
  readonly check: StorageCheck;
}

/** An update of the schema. `from` and `to` are equal when it was up to date. */
export interface StorageMigration {
  /** The file or place that was updated. */
  readonly path: string;
  /** The version before; 0 when nothing was there. */
  readonly from: number;
  readonly to: number;
}
