import type { Template } from '../../model/template.ts';
import type { Settings } from '../settings.ts';

/**
 * Milliseconds from its launch after which a machine that is not ready has failed: as the template says that it was ordered with, else as for every
 * machine.
 */
export const readyTimeoutMs = (template: Template | undefined, settings: Pick<Settings, 'pending_timeout_ms'>): number =>
  template?.ready_timeout === undefined ? settings.pending_timeout_ms : template.ready_timeout * 1000;
