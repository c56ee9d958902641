import type { LaunchOrder } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { digest } from './contents.ts';

type Named = Pick<LaunchOrder<any, any>, 'request_id' | 'attempt' | 'template'>;

/** The most characters of a name in EC2. */
const maxLength = 128;

/**
 * A valid name in EC2: readable words, as many as fit, and then a hash of the identity of the launch template. So
 * different launch templates never have the same name, however long their words are.
 */
export function nameOf(words: readonly (string | number)[], identity: readonly (string | number | null)[]): string {
  const hash = digest(JSON.stringify(identity)).slice(0, 24);
  const available = maxLength - `muster--${hash}`.length;
  const readable = words
    .join('-')
    .replace(/[^A-Za-z0-9\-_./()]/g, '-')
    .slice(0, available);
  return `muster-${readable}-${hash}`;
}

/** The name of the launch template of one order. */
export function ownName(session: CloudSession, { request_id, attempt, template }: Named): string {
  const words = isTemplateBased(session) ? [template.template_id] : [request_id, attempt];
  return nameOf(words, ['order', session.installation, request_id, attempt]);
}

/** The name of the launch template with one version for each order of a template. */
export const ordersName = (session: CloudSession, template_id: string): string =>
  nameOf([template_id, 'orders'], ['orders', session.installation, template_id]);

/**
 * The name of the launch template whose versions are the shared contents of a template. `week`: the week of its
 * creation, where old ones are deleted.
 */
export const versionsName = (session: CloudSession, template_id: string, week: number | null): string =>
  nameOf([template_id], ['versions', session.installation, template_id, week]);

/** The name of the launch template of one shared content. */
export function contentName(session: CloudSession, template_id: string, content: string, week: number | null): string {
  return isTemplateBased(session)
    ? nameOf([template_id], ['content', session.installation, template_id, content, week])
    : nameOf(['shared'], ['content', session.installation, content, week]);
}

const isTemplateBased = ({ settings }: CloudSession): boolean =>
  settings.launch_template.naming_strategy === 'template_based';
