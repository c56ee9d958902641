import type { Environment } from './sources/environment.ts';

/** Where a configuration is searched, and what takes precedence over its file. */
export interface LoadOptions {
  /** The file that the command line names. It takes precedence over MUSTER_CONFIG and the search. */
  readonly file?: string;
  /** The directory where the search begins; relative paths of the command line are relative to it. */
  readonly cwd: string;
  readonly env: Environment;
  /** Settings of the command line, in the shape of the file. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** The data directory that the command line names. It takes precedence over MUSTER_DATA_DIR. */
  readonly data_directory?: string;
  /**
   * `required`: a file that a provider configuration names must exist, else loading fails. Default: a missing file is
   * a warning, since it may be created later.
   */
  readonly files?: 'required';
}
