import type { Environment } from './sources/environment.ts';

/** Where a configuration is looked for, and what beats its file. */
export interface LoadOptions {
  /** A file that the command line names; it beats MUSTER_CONFIG and the search. */
  readonly file?: string;
  /** Where the search begins. */
  readonly cwd: string;
  readonly env: Environment;
  /** What the command line says, in the shape of the file. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** The data directory that the command line names; it beats MUSTER_DATA_DIR. */
  readonly data_directory?: string;
  /**
   * `required`: a file that a provider's configuration names must be there. Default: that it is not is a warning,
   * since it may still come.
   */
  readonly files?: 'required';
}
