import type { Static, TObject, TSchema } from 'typebox';
import type { ObjectSchema, ValueOf } from '../../schema/object-schema.ts';
import type { Clock } from '../clock.ts';
import type { Finding } from '../findings.ts';
import type { Code } from '../errors.ts';
import type { Log } from '../log.ts';
import type { CheckResult } from '../provider/provider-check.ts';
import type { RestBinding } from './rest-binding.ts';

/** A record of a service, under a key that the service chooses. */
export interface ServiceRecord {
  readonly key: string;
  /** 1 for a new record; each change adds 1. */
  readonly version: number;
  /** JSON. */
  readonly value: unknown;
}

/** Writes a record whose present version is known; 0: it does not exist yet. */
export interface ServiceRecordChange {
  readonly key: string;
  readonly version: number;
  readonly value: unknown;
}

/** The durable records of one service, in the storage of the broker and shared by all brokers on it. */
export interface ServiceRecords {
  get(key: string): Promise<ServiceRecord | undefined>;
  /** All records of the service, ordered by key. */
  list(): Promise<readonly ServiceRecord[]>;
  /**
   * Stores all changes or none; resolves when they are durable. At most 90 changes. CONFLICT when the version of a
   * record is not the present one: read again, and decide again.
   */
  commit(changes: readonly ServiceRecordChange[]): Promise<void>;
  /** Removes a record of this version. A record that changed since, or does not exist, is no error. */
  remove(record: Pick<ServiceRecord, 'key' | 'version'>): Promise<void>;
}

/** What an operation or a job of a service may use. */
export interface ServiceAccess<Settings = any> {
  readonly settings: Settings;
  /** The clock of the storage: all times in records are of this clock. */
  readonly clock: Clock;
  readonly log: Log;
  readonly records: ServiceRecords;
  /**
   * Calls an operation of the broker by its name, as the SDK does: `call('create_request', {…})`. The answer has
   * muster's own format. Rejects with a BrokerError.
   */
  call(operation: string, input: object): Promise<any>;
}

/**
 * An operation that a service adds. REST, the command line and the SDK (`call`) have it, like the operations of the
 * broker, while the service is configured.
 */
export interface ServiceOperation<Settings = any, I extends TObject = any, O extends TSchema = any> {
  /** `<service>_<verb>`, in snake_case. */
  readonly name: string;
  readonly kind: 'command' | 'query';
  readonly summary: string;
  readonly input: I;
  readonly output: O;
  /** Its route, below `/<service>/`. Default: only the route of all operations, `POST /operations/<name>`. */
  readonly rest?: RestBinding | readonly RestBinding[];
  readonly refusals?: readonly Code[];
  /** Its command, `<service> <verb>`. `args`: the positional inputs. `example`: a complete command line. */
  readonly cli?: { readonly command: string; readonly args?: readonly string[]; readonly example: string };
  readonly destructive?: boolean;
  readonly repeatable?: boolean;
  handle(input: Static<I>, access: ServiceAccess<Settings>): Promise<Static<O>>;
  /** The answer as the command line prints it. Default: a table of the answer. */
  text?(answer: Static<O>): string;
  /** Whether the command line exits with 1 after this answer. Default: never. */
  fails?(answer: Static<O>, input: Static<I>): boolean;
}

/** Work that one broker at a time repeats while it runs, under a lease of the storage. */
export interface ServiceJob<Settings = any> {
  readonly name: string;
  /** The milliseconds between the end of a run and the next. */
  every_ms(settings: Settings): number;
  /** An error is logged, and the job runs again. `signal` aborts when the broker stops or loses the lease. */
  run(access: ServiceAccess<Settings>, signal: AbortSignal): Promise<void>;
}

/** What `muster doctor` checks of a configured service. */
export interface ServiceCheck<Settings = any> {
  readonly name: string;
  /** What happens when it fails. */
  readonly why: string;
  /** What a person does about it, unless a result says so itself. */
  readonly remedy: string;
  /**
   * Changes nothing, runs without a server, and ends within 30 seconds. Reports everything that it finds, at least one
   * line. An error means that the check could not be made.
   */
  run(settings: Settings): Promise<readonly CheckResult[]>;
}

/**
 * Something that a plugin adds to the broker itself: a section of the configuration, operations, jobs in the
 * background, and records of its own. Without its section in the configuration a service sleeps: it has no routes and
 * runs no job.
 */
export interface BrokerService<Settings extends ObjectSchema = ObjectSchema> {
  /** The key of its section in the configuration, the first part of its routes and operations, and its records. */
  readonly name: string;
  /** What it is for, for the help of the command line. */
  readonly summary: string;
  readonly settings: Settings;
  /** Findings about its section beyond the schema; paths are relative to the section. Pure. Default: none. */
  review?(settings: ValueOf<Settings>): readonly Finding[];
  readonly operations?: readonly ServiceOperation<ValueOf<Settings>>[];
  readonly jobs?: readonly ServiceJob<ValueOf<Settings>>[];
  /** What `muster doctor` looks at. Default: nothing. */
  readonly checks?: readonly ServiceCheck<ValueOf<Settings>>[];
}

/** Infers the settings of a service. */
export const defineService = <S extends ObjectSchema>(service: BrokerService<S>): BrokerService<S> => service;

/** Infers input and output of an operation of a service. */
export const serviceOperation =
  <Settings>() =>
  <I extends TObject, O extends TSchema>(
    declared: ServiceOperation<Settings, I, O>,
  ): ServiceOperation<Settings, I, O> =>
    declared;
