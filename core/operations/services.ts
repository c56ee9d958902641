import type { Clock } from '../clock.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { RequestDesk } from '../requests/desk.ts';
import type { TemplateLibrary } from '../templates/library.ts';

/** What operations work with. Made by the host, once for a process. */
export interface Services {
  readonly templates: TemplateLibrary;
  readonly providers: ProviderDirectory;
  readonly requests: RequestDesk;
  readonly clock: Clock;
}
