import { isFault, type Call, type ProviderFault } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import { ownIdTag, ownTags, tagValue, type Tag } from '../template/tags.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';

/** One observation spends at most this long on tags: each machine needs a call of its own. */
const budgetMs = 2_000;
const atOnce = 4;
/** After a refusal that concerns all machines. */
const pauseMs = 600_000;
/** The longest time for which EC2 may not know a new machine. */
const propagationMs = 300_000;
const mostRemembered = 50_000;

interface Waiting {
  readonly id: string;
  readonly tag: Tag;
  readonly resources: readonly string[];
  readonly since: number;
}

interface LaterTags {
  /** By machine id and tag. */
  readonly waiting: Map<string, Waiting>;
  /** Those that are set, or cannot be set. The oldest are forgotten: the tag shows it too. */
  readonly done: Set<string>;
  paused_until: number;
  busy: boolean;
}

const tagsField = sessionField(
  (): LaterTags => ({ waiting: new Map(), done: new Set(), paused_until: -Infinity, busy: false }),
);

const keyOf = (id: string, { Key }: Tag): string => `${id} ${Key}`;

/**
 * Sets the tags of running machines whose values are known only after the launch: with `tag_instance_id` the id of the
 * machine, also on its volumes, and the name that muster assigned (`names`, by machine id). A call of CreateTags sets
 * one value, so each machine is one call, and an observation makes some of them. What remains is done by the next
 * observations of any order. Repeatable: the tag is set to the same value, and a restarted process sees it. Never
 * fails the observation.
 */
export async function tagLater(
  session: CloudSession,
  found: Iterable<InstanceSummary>,
  names: ReadonlyMap<string, string>,
  call: Call,
): Promise<void> {
  if (!session.settings.tag_instance_id && names.size === 0) return;
  const tags = tagsField(session);
  for (const instance of found) {
    const { InstanceId: id, BlockDeviceMappings = [] } = instance;
    if (id === undefined) continue;
    const volumes = BlockDeviceMappings.flatMap(({ Ebs }) => Ebs?.VolumeId ?? []);
    const name = names.get(id);
    // A machine without its name waits for it.
    if (name !== undefined) note(session, tags, instance, { Key: ownTags.name, Value: name }, [id]);
    if (session.settings.tag_instance_id)
      note(session, tags, instance, { Key: ownIdTag, Value: id }, [id, ...volumes]);
  }
  if (tags.busy || tags.waiting.size === 0 || session.clock.monotonic() < tags.paused_until) return;
  tags.busy = true;
  try {
    const end = session.clock.monotonic() + budgetMs;
    const queue = [...tags.waiting];
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const fault = await set(session, tags, next, call);
        // A refusal of one machine says nothing about the others; any other fault would meet them too.
        if (fault && !concernsOne(fault)) return void (queue.length = 0);
        if (session.clock.monotonic() >= end) return void (queue.length = 0);
      }
    };
    // The first call shows whether tags can be set at all.
    const [first] = queue.splice(0, 1);
    const fault = first && (await set(session, tags, first, call));
    if (fault && !concernsOne(fault)) return;
    await Promise.all(Array.from({ length: atOnce }, worker));
  } finally {
    tags.busy = false;
  }
}

/** Whether a machine can read its name: it has the tag, or cannot get it, which the log says. */
export function knowsName(session: CloudSession, instance: InstanceSummary, name: string): boolean {
  if (tagValue(instance.Tags, ownTags.name) === name) return true;
  const { done, paused_until } = tagsField(session);
  const key = keyOf(instance.InstanceId ?? '', { Key: ownTags.name, Value: name });
  return done.has(key) || session.clock.monotonic() < paused_until;
}

function note(
  { clock }: CloudSession,
  tags: LaterTags,
  { InstanceId: id = '', State, Tags }: InstanceSummary,
  tag: Tag,
  resources: readonly string[],
): void {
  const key = keyOf(id, tag);
  if (tags.done.has(key)) return;
  if (tagValue(Tags, tag.Key) === tag.Value) finish(tags, key);
  else if (State?.Name === 'running') {
    if (tags.waiting.size < mostRemembered)
      tags.waiting.set(key, { id, tag, resources, since: tags.waiting.get(key)?.since ?? clock.monotonic() });
  } else tags.waiting.delete(key);
}

/** Sets one tag. Returns the fault, which the next observations repair where they can. */
async function set(
  session: CloudSession,
  tags: LaterTags,
  [key, { id, tag, resources, since }]: readonly [string, Waiting],
  call: Call,
): Promise<ProviderFault | undefined> {
  try {
    await session.write((ec2) => new ec2.CreateTagsCommand({ Resources: [...resources], Tags: [tag] }), call);
    finish(tags, key);
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    const { code, message } = error;
    const about = { provider_instance: session.instance, machine_id: id, code };
    if (!concernsOne(error)) {
      const lasts = error.kind !== 'unavailable' && error.kind !== 'unknown-outcome' && error.kind !== 'throttled';
      if (lasts) tags.paused_until = session.clock.monotonic() + pauseMs;
      call.log[lasts ? 'warn' : 'debug'](about, `Machines do not get their tag '${tag.Key}' now: ${message}`);
    } else if (error.kind !== 'gone' || session.clock.monotonic() - since > propagationMs) {
      finish(tags, key);
      call.log.warn(about, `'${id}' does not get its tag '${tag.Key}': ${message}`);
    }
    return error;
  }
}

/** Unknown ids, and machines with as many tags as they may have. */
const concernsOne = ({ kind, code }: ProviderFault): boolean => kind === 'gone' || code === 'TagLimitExceeded';

function finish({ waiting, done }: LaterTags, key: string): void {
  waiting.delete(key);
  done.add(key);
  if (done.size <= mostRemembered) return;
  for (const oldest of done) return void done.delete(oldest);
}
