import { isFault, type Call, type LaunchOrder } from '../../../../core/index.ts';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';
import { ownTags } from '../../template/tags.ts';
import { digest } from '../contents.ts';
import { weekIn } from '../descriptions.ts';
import { templatesTagged, versionsOf, type VersionSeen } from '../look.ts';
import { templateTags } from '../make.ts';
import { deleteTemplate, deleteVersions } from './deletions.ts';
import { isOver, unusedAfterMs, weekOf } from './week.ts';

/** Whole launch templates are looked for so often at most, and so many looked at each time. */
const pauseMs = 3_600_000;
const mostLooks = 20;

/**
 * Deletes the oldest versions of a launch template of shared contents beyond `max_versions_per_template`, as far as
 * nobody can be about to use them: those of a week that is over. `versions`: all that there are, the newest last. A
 * clean-up that fails is told and left to the next. /
 */
export async function cleanVersions(
  session: CloudSession,
  id: string,
  versions: readonly VersionSeen[],
  { token }: Pick<LaunchOrder, 'token'>,
  call: Call,
): Promise<void> {
  const { cleanup_old_versions, max_versions_per_template } = session.settings.launch_template;
  const newest = versions.at(-1);
  const excess = versions.length - max_versions_per_template;
  if (!cleanup_old_versions || excess <= 0 || !newest) return;
  const now = session.clock.now();
  const old = versions.slice(0, excess).filter(({ description }) => {
    const week = weekIn(description);
    return week !== undefined && isOver(week, now);
  });
  if (old.length === 0) return;
  await trying(call, id, async () => {
    // The default version cannot be deleted.
    if (old.some((each) => each.is_default)) {
      const change = { LaunchTemplateId: id, DefaultVersion: String(newest.number) };
      const ClientToken = digest(`default ${id} ${newest.number} ${token}`);
      await session.write((ec2) => new ec2.ModifyLaunchTemplateCommand({ ...change, ClientToken }), call);
    }
    await deleteVersions(
      session,
      id,
      old.map((each) => String(each.number)),
      call,
    );
  });
}

/** When unused launch templates were last looked for, and the week in which each was found in use. */
const cleanUps = sessionField(() => ({ at: -Infinity, weekOf: new Map<string, number>() }));

/**
 * Deletes launch templates of shared contents whose newest version nobody can be about to use. Looks at a few, and at
 * each once a week.
 */
export async function cleanTemplates(session: CloudSession, call: Call): Promise<void> {
  if (!session.settings.launch_template.cleanup_old_versions) return;
  const now = session.clock.now();
  const done = cleanUps(session);
  if (now - done.at < pauseMs) return;
  done.at = now;
  await trying(call, 'of shared contents', async () => {
    const ours = { [ownTags.installation]: session.installation, [templateTags.holds]: 'contents' };
    const due = (await templatesTagged(session, ours, call)).flatMap(({ LaunchTemplateId: id, CreateTime }) =>
      id !== undefined &&
      CreateTime !== undefined &&
      now - CreateTime.getTime() > unusedAfterMs &&
      done.weekOf.get(id) !== weekOf(now)
        ? [id]
        : [],
    );
    for (const id of due.slice(-mostLooks)) {
      const [newest] = await versionsOf(session, id, call, '$Latest');
      const week = weekIn(newest?.description);
      if (week !== undefined && isOver(week, now)) await deleteTemplate(session, id, call);
      else done.weekOf.set(id, weekOf(now));
    }
  });
}

/** What is left over costs little; the order that happened to come by must not suffer for it. */
async function trying(call: Call, launch_template: string, clean: () => Promise<void>): Promise<void> {
  try {
    await clean();
  } catch (error) {
    if (!isFault(error)) throw error;
    call.log.warn(
      { code: error.code, launch_template },
      `Old versions of launch templates were left: ${error.message}`,
    );
  }
}
