import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { Call, LaunchOrder } from '../../../core/index.ts';
import { once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, type Tag } from '../template/tags.ts';
import { cleanTemplates, cleanVersions } from './clean-up/clean-up.ts';
import { contentOf } from './contents.ts';
import { sharedText, weekIn } from './descriptions.ts';
import { templatesTagged, versionsOf, type VersionSummary } from './describe-templates.ts';
import { sharedVersions } from './known-templates.ts';
import { makeTemplate, makeVersion, templateTags } from './create.ts';
import { contentName, versionsName } from './names.ts';
import type { TemplateVersion } from './template-version.ts';
import { isClosing, weekOf } from './clean-up/week.ts';

interface SharedRequest {
  readonly order: LaunchOrder<any, any>;
  readonly template_id: string;
  readonly data: RequestLaunchTemplateData;
  readonly content: string;
  readonly week: number;
}

/**
 * The version that orders with these contents share in this week. Equal contents lead to the same version. Concurrent
 * processes may each add one version; later orders find the older of them.
 */
export async function sharedContents(
  session: CloudSession,
  order: LaunchOrder<any, any>,
  data: RequestLaunchTemplateData,
  call: Call,
): Promise<TemplateVersion> {
  const { template_id } = order.template;
  const content = contentOf(data);
  const week = weekOf(session.clock.now());
  const shared = { order, template_id, data, content, week };
  const make = session.settings.launch_template.version_strategy === 'separate' ? separateTemplate : versionOfTemplate;
  return once(sharedVersions(session), `${template_id} ${content} ${week}`, () => make(session, shared, call));
}

/**
 * One launch template for each content. Where old ones are deleted, the launch template is that of a week, so that an
 * old one is certainly unused.
 */
async function separateTemplate(
  session: CloudSession,
  { order, template_id, data, content, week }: SharedRequest,
  call: Call,
): Promise<TemplateVersion> {
  const named = session.settings.launch_template.cleanup_old_versions ? week : null;
  const name = contentName(session, template_id, content, named);
  const tags = [...tagsFor(session), { Key: templateTags.content, Value: content }];
  const { id, made } = await makeTemplate(
    session,
    { name, data, description: sharedText(content, named), tags },
    order,
    call,
  );
  if (made) await cleanTemplates(session, call);
  return { id, version: '1', owner: 'shared' };
}

/** One launch template for each template, with one version for each content. */
async function versionOfTemplate(session: CloudSession, shared: SharedRequest, call: Call): Promise<TemplateVersion> {
  const { order, template_id, data, content, week } = shared;
  const open = await openTemplate(session, template_id, call);
  if (open) return addVersion(session, open.id, open.versions, shared, call);
  const name = versionsName(session, template_id, session.settings.launch_template.cleanup_old_versions ? week : null);
  const tags = [...tagsFor(session), { Key: templateTags.template, Value: template_id }];
  const { id, made } = await makeTemplate(
    session,
    { name, data, description: sharedText(content, week), tags },
    order,
    call,
  );
  if (!made) return addVersion(session, id, await versionsOf(session, id, call), shared, call);
  await cleanTemplates(session, call);
  return { id, version: '1', owner: 'shared' };
}

async function addVersion(
  session: CloudSession,
  id: string,
  versions: readonly VersionSummary[],
  { order, data, content, week }: SharedRequest,
  call: Call,
): Promise<TemplateVersion> {
  const description = sharedText(content, week);
  const found = versions.find((each) => each.description === description);
  if (found) return { id, version: String(found.number), owner: 'shared' };
  const number = await makeVersion(session, { id, data, description }, order, call);
  await cleanVersions(session, id, [...versions, { number, description, is_default: false }], order, call);
  await cleanTemplates(session, call);
  return { id, version: String(number), owner: 'shared' };
}

/**
 * The launch template to which versions of a template are added. Undefined: there is none, or all existing ones are
 * about to be deleted as unused.
 */
async function openTemplate(session: CloudSession, template_id: string, call: Call) {
  const now = session.clock.now();
  const tags = {
    ...Object.fromEntries(tagsFor(session).map(({ Key, Value }) => [Key, Value])),
    [templateTags.template]: template_id,
  };
  for (const { LaunchTemplateId: id } of await templatesTagged(session, tags, call)) {
    const versions = id === undefined ? [] : await versionsOf(session, id, call);
    const week = weekIn(versions.at(-1)?.description);
    const closing =
      session.settings.launch_template.cleanup_old_versions && week !== undefined && isClosing(week, now);
    if (id !== undefined && versions.length > 0 && !closing) return { id, versions };
  }
  return undefined;
}

const tagsFor = (session: CloudSession): Tag[] => [
  { Key: ownTags.installation, Value: session.installation },
  { Key: templateTags.holds, Value: 'contents' },
];
