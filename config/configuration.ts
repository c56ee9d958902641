import type { ProviderInstance } from '../core/model/provider-instance.ts';
import type { ServerSettings } from './schema.ts';

/** The configuration as the broker runs by it: merged, checked, with defaults and absolute paths. */
export interface Configuration {
  /** As written; paths and packages are seen from the directory of the file. */
  readonly plugins: readonly string[];
  readonly scheduler: string;
  /** `type` and the options of that storage. */
  readonly storage: { readonly type: string; readonly [option: string]: unknown };
  readonly templates: { readonly directory: string };
  readonly providers: readonly ProviderInstance[];
  readonly server: ServerSettings;
  /** Where the broker keeps what it knows: `./data` beside the file, or where MUSTER_DATA_DIR moves it. */
  readonly data_directory: string;
}
