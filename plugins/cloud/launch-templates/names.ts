import type { LaunchOrder } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { digest } from './contents.ts';

type Named = Pick<LaunchOrder<any, any>, 'request_id' | 'attempt' | 'template'>;

/** Characters that EC2 allows in a name. */
const longest = 128;

/**
 * A name that EC2 takes, whatever it is made of: words for people, as many as there is room for, and then a hash of
 * all that the launch template is told from others by. So no two are ever called the same, however long their words
 * are. /
 */
export function nameOf(words: readonly (string | number)[], identity: readonly (string | number | null)[]): string {
  const hash = digest(JSON.stringify(identity)).slice(0, 24);
  const room = longest - `muster--${hash}`.length;
  const readable = words
    .join('-')
    .replace(/[^A-Za-z0-9\-_./()]/g, '-')
    .slice(0, room);
  return `muster-${readable}-${hash}`;
}

/** The launch template made for one order. */
export function ownName(session: CloudSession, { request_id, attempt, template }: Named): string {
  const words = isTemplateBased(session) ? [template.template_id] : [request_id, attempt];
  return nameOf(words, ['order', session.installation, request_id, attempt]);
}

/** The launch template of which every order of a template gets a version. */
export const ordersName = (session: CloudSession, template_id: string): string =>
  nameOf([template_id, 'orders'], ['orders', session.installation, template_id]);

/**
 * The launch template whose versions are the contents that orders of a template share. `week`: that in which it was
 * begun, where old ones are deleted.
 */
export const versionsName = (session: CloudSession, template_id: string, week: number | null): string =>
  nameOf([template_id], ['versions', session.installation, template_id, week]);

/** The launch template that holds one content which orders share. */
export function contentName(session: CloudSession, template_id: string, content: string, week: number | null): string {
  return isTemplateBased(session)
    ? nameOf([template_id], ['content', session.installation, template_id, content, week])
    : nameOf(['shared'], ['content', session.installation, content, week]);
}

const isTemplateBased = ({ settings }: CloudSession): boolean =>
  settings.launch_template.naming_strategy === 'template_based';
