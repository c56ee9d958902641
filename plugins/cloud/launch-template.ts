import { createHash } from 'node:crypto';
import type { LaunchTemplate, RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { isFault, ProviderFault, type Call, type LaunchOrder } from '../../core/index.ts';
import { once } from './memory.ts';
import type { CloudSession } from './session.ts';
import { ownTags, tagsOf, tagSpecifications, tagValue, type Tag } from './tags.ts';

/** A launch template at one version. Stored with the attempt: always a number, because `$Latest` may mean another tomorrow. */
export interface TemplateVersion {
  readonly id: string;
  readonly version: string;
  /**
   * Whose it is: `shared` between all orders with equal contents, made for this `order` alone and going with it, or the `foreign` one that the
   * template names.
   */
  readonly owner: 'shared' | 'order' | 'foreign';
}

type Order = LaunchOrder<any, any>;

/** Says what a launch template of ours contains; compared before one that is already there is used. */
const contentTag = 'muster:content';
/** As long as that, EC2 may deny a launch template that was just made. */
const youngMs = 300_000;
const nameTaken = 'InvalidLaunchTemplateName.AlreadyExistsException';
const notFound: ReadonlySet<string> = new Set([
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'InvalidLaunchTemplateId.VersionNotFound',
]);

/**
 * The launch template for an order: one with the same contents where they are shared (`owner`, by default as `reuse_existing` says), else one of the order's own. Name and
 * contents are worked out, so that the same order always arrives at the same launch template, also after a crash between making and storing it.
 */
export async function launchTemplateFor(
  session: CloudSession,
  order: Order,
  data: RequestLaunchTemplateData,
  call: Call,
  owner: 'order' | 'shared' = usualOwner(session),
): Promise<TemplateVersion> {
  const shared = owner === 'shared';
  // An order's own is known by the order: what it was made of may have changed since, as `$Latest` of another launch template does.
  const content = shared ? contentOf(data) : hash(order.token);
  const name = shared ? sharedName(session, content) : ownName(session, order);
  const tags: Tag[] = shared ? [{ Key: ownTags.installation, Value: session.installation }] : tagsOf(order, session.installation);
  const make = async () => {
    const made = await ensure(session, name, content, data, tags, order.token, call);
    // From now on it may be called young.
    session.patience.has(`launch template ${made}`, youngMs);
    return { id: made, version: '1', owner: shared ? 'shared' : 'order' } as const;
  };
  try {
    return shared ? await once(session.memory, `launch template ${name}`, make) : await make();
  } catch (error) {
    // Nothing is launched yet, and whoever comes again finds what was made: no outcome is unknown here.
    if (isFault(error) && error.kind === 'unknown-outcome') {
      throw new ProviderFault('unavailable', error.message, { code: error.code, cause: error.cause });
    }
    throw error;
  }
}

/**
 * What it means that a launch did not find its launch template: a young one of ours is only not known everywhere yet; an old one was deleted,
 * and the next attempt makes another; a foreign one is the template's mistake.
 */
export function templateFault(session: CloudSession, used: TemplateVersion, fault: ProviderFault): ProviderFault {
  const details = { code: fault.code, cause: fault.cause };
  if (used.owner === 'foreign') return new ProviderFault('invalid', fault.message, details);
  if (session.patience.has(`launch template ${used.id}`, youngMs)) return new ProviderFault('unavailable', fault.message, details);
  for (const [key, value] of session.memory) {
    if (key.startsWith('launch template ') && (value as Partial<TemplateVersion>).id === used.id) session.memory.delete(key);
  }
  return new ProviderFault('gone', fault.message, details);
}

/** Whether a fault says that a launch template, or a version of it, does not exist. */
export const isTemplateMissing = (fault: ProviderFault): boolean => notFound.has(fault.code);

const usualOwner = (session: CloudSession): 'order' | 'shared' => (session.settings.launch_template.reuse_existing ? 'shared' : 'order');

/**
 * Deletes what was made for this order alone. Already deleted is done; so is an order that never got as far, of which only `owner` says whose
 * its launch template would have been.
 */
export async function dropLaunchTemplate(
  session: CloudSession,
  order: Order,
  used: TemplateVersion | undefined,
  call: Call,
  owner: 'order' | 'shared' = usualOwner(session),
): Promise<void> {
  if ((used?.owner ?? owner) !== 'order') return;
  const named = used ? { LaunchTemplateId: used.id } : { LaunchTemplateName: ownName(session, order) };
  try {
    await session.write((ec2) => new ec2.DeleteLaunchTemplateCommand(named), call);
  } catch (error) {
    if (!isFault(error) || !notFound.has(error.code)) throw error;
  }
}

async function ensure(
  session: CloudSession,
  name: string,
  content: string,
  data: RequestLaunchTemplateData,
  tags: readonly Tag[],
  token: string,
  call: Call,
): Promise<string> {
  const there = await lookUp(session, name, call);
  if (there) return checked(there, name, content);
  try {
    const { LaunchTemplate, Warning } = await session.write(
      (ec2) =>
        new ec2.CreateLaunchTemplateCommand({
          LaunchTemplateName: name,
          LaunchTemplateData: data,
          // A template of the same contents that was deleted must not come back from an old token.
          ClientToken: hash(`${name} ${token}`),
          TagSpecifications: tagSpecifications(['launch-template'], [...tags, { Key: contentTag, Value: content }]) as any,
        }),
      call,
    );
    for (const { Code, Message } of Warning?.Errors ?? [])
      call.log.warn({ code: Code, launch_template: name }, Message ?? 'The cloud doubts a launch template.');
    const id = LaunchTemplate?.LaunchTemplateId;
    if (!id) throw new ProviderFault('unavailable', `CreateLaunchTemplate gave no id for '${name}'.`);
    return id;
  } catch (error) {
    if (!isFault(error) || error.code !== nameTaken) throw error;
    const made = await lookUp(session, name, call);
    if (made) return checked(made, name, content);
    throw new ProviderFault('unavailable', `Launch template '${name}' exists, but is not shown yet.`, { code: error.code });
  }
}

async function lookUp(session: CloudSession, name: string, call: Call): Promise<LaunchTemplate | undefined> {
  try {
    const { LaunchTemplates } = await session.read((ec2) => new ec2.DescribeLaunchTemplatesCommand({ LaunchTemplateNames: [name] }), call);
    return LaunchTemplates?.[0];
  } catch (error) {
    if (isFault(error) && notFound.has(error.code)) return undefined;
    throw error;
  }
}

function checked(found: LaunchTemplate, name: string, content: string): string {
  if (found.LaunchTemplateId && tagValue(found.Tags, contentTag) === content) return found.LaunchTemplateId;
  throw new ProviderFault('invalid', `Launch template '${name}' was not made by muster, or was changed. Delete it.`);
}

const ownName = (session: CloudSession, order: Order): string =>
  `muster-${session.installation.slice(0, 12)}-${order.request_id}-${order.attempt}`.slice(0, 128);
const sharedName = (session: CloudSession, content: string): string => `muster-${session.installation.slice(0, 12)}-${content}`;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
const contentOf = (data: RequestLaunchTemplateData): string => hash(canonical(data));

/** JSON with the fields in order, so that equal contents are equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${fields
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`)
    .join(',')}}`;
}
