import type { Learned } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import type { TemplateVersion } from './template-version.ts';

/** The versions that orders with equal contents share, by template, contents and week. */
export const sharedVersions = sessionField((): Learned<TemplateVersion> => new Map());

/** The launch templates that orders have versions of their own of, by template. */
export const templatesOfOrders = sessionField((): Learned<{ readonly id: string }> => new Map());

/** Forgets a launch template, so that it is looked up again. */
export function forgetTemplate(session: CloudSession, id: string): void {
  for (const known of [sharedVersions(session), templatesOfOrders(session)])
    for (const [key, value] of known) if ('id' in value && value.id === id) known.delete(key);
}
