import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';

/**
 * Returns the reason, as a clause, why users other than this one and root can change what a path holds: the path, a
 * directory above it or a link on the way belongs to another user, or other users may write to the path. Returns
 * undefined when only this user and root can change it, when nothing exists there, or when the system has no such
 * owners (Windows). For directories above the path only the owner counts: an entry that another user puts there
 * belongs to that user.
 */
export function whyUntrusted(path: string): string | undefined {
  const me = process.getuid?.();
  if (me === undefined) return undefined;
  const given = resolve(path);
  return firstUntrusted(given, me) ?? firstUntrusted(real(given), me);
}

/** As `whyUntrusted`, for a file, the directory of the file and the directory of its link target. */
export const whyUntrustedFile = (file: string): string | undefined =>
  whyUntrusted(dirname(resolve(file))) ?? whyUntrusted(dirname(real(resolve(file)))) ?? whyUntrusted(file);

function firstUntrusted(path: string, me: number): string | undefined {
  // The owner of the root directory counts as root: in a user namespace root has another id.
  const trusted = new Set([me, 0, lstatSync('/').uid]);
  let isEnclosed = false;
  for (const each of ancestorsAndSelf(path)) {
    const found = lstatSync(each, { throwIfNoEntry: false });
    if (!found) return undefined;
    const { uid, mode } = found;
    if (!trusted.has(uid)) return `${each} belongs to ${nameOf(uid)}`;
    if (each === path && !isEnclosed && !found.isSymbolicLink() && othersMayWrite(found))
      return `${each} can be written by others (mode ${(mode & 0o7777).toString(8)})`;
    // Other users cannot enter this directory, whatever the permissions of the entries below are.
    if (found.isDirectory() && (mode & 0o011) === 0) isEnclosed = true;
  }
  return undefined;
}

/** All directories from the root to the path, and the path. */
const ancestorsAndSelf = (path: string): string[] =>
  dirname(path) === path ? [path] : [...ancestorsAndSelf(dirname(path)), path];

function othersMayWrite({ mode, uid, gid }: Stats): boolean {
  if ((mode & 0o002) !== 0) return true;
  return (mode & 0o020) !== 0 && !isOwnGroup(uid, gid);
}

/** Whether the group is the private group of the user, which many systems create: the user is its only member. */
function isOwnGroup(uid: number, gid: number): boolean {
  if (uid === 0 || uid !== process.getuid?.() || gid !== process.getgid?.()) return false;
  try {
    const { username } = userInfo();
    const rows = (file: string) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.split(':'));
    const group = rows('/etc/group').filter(([, , id]) => id === String(gid));
    const users = rows('/etc/passwd').filter(([, , , id]) => id === String(gid));
    const others = [
      ...group.flatMap(([, , , members = '']) => members.split(',')),
      ...users.map(([name = '']) => name),
    ];
    return group.length > 0 && others.every((name) => name === '' || name === username);
  } catch {
    return false;
  }
}

function nameOf(uid: number): string {
  try {
    const [name] =
      readFileSync('/etc/passwd', 'utf8')
        .split('\n')
        .map((line) => line.split(':'))
        .find(([, , id]) => id === String(uid)) ?? [];
    return name ? `the user ${name}` : `the user with id ${uid}`;
  } catch {
    return `the user with id ${uid}`;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
