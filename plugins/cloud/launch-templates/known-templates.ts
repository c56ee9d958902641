import type { Memo } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import type { TemplateVersion } from './template-version.ts';

/** Versions that orders with equal contents share, by template, contents and week. */
export const sharedVersions = sessionField((): Memo<TemplateVersion> => new Map());

/** Launch templates with one version for each order, by template. */
export const templatesOfOrders = sessionField((): Memo<{ readonly id: string }> => new Map());

/** Forgets a launch template, so that it is read or created again. */
export function forgetTemplate(session: CloudSession, id: string): void {
  for (const known of [sharedVersions(session), templatesOfOrders(session)])
    for (const [key, value] of known) if ('id' in value && value.id === id) known.delete(key);
}
