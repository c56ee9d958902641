import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';

/**
 * Why somebody else than this user and root decides what a path holds, in words: it, a directory on the way to it or
 * a link there belongs to another user, or others may write it. Undefined: nobody else does, or nothing is there, or
 * the system has no such owners (Windows). Of a directory on the way only the owner counts: what others put there in
 * place of the next one would be theirs.
 */
export function whyForeign(path: string): string | undefined {
  const me = process.getuid?.();
  if (me === undefined) return undefined;
  const given = resolve(path);
  return alongTheWay(given, me) ?? alongTheWay(real(given), me);
}

/** The same of a file and the directories that it and what it links to lie in. */
export const whyForeignFile = (file: string): string | undefined =>
  whyForeign(dirname(resolve(file))) ?? whyForeign(dirname(real(resolve(file)))) ?? whyForeign(file);

function alongTheWay(path: string, me: number): string | undefined {
  // Whoever has the root directory is root, whatever number that user is shown with, as in a namespace of users.
  const trusted = new Set([me, 0, lstatSync('/').uid]);
  let enclosed = false;
  for (const each of wayTo(path)) {
    const found = lstatSync(each, { throwIfNoEntry: false });
    if (!found) return undefined;
    const { uid, mode } = found;
    if (!trusted.has(uid)) return `${each} belongs to ${nameOf(uid)}`;
    if (each === path && !enclosed && !found.isSymbolicLink() && othersMayWrite(found))
      return `${each} can be written by others (mode ${(mode & 0o7777).toString(8)})`;
    // Nobody else comes in here, whatever may be done further below.
    if (found.isDirectory() && (mode & 0o011) === 0) enclosed = true;
  }
  return undefined;
}

/** From the root to the path itself. */
const wayTo = (path: string): string[] => (dirname(path) === path ? [path] : [...wayTo(dirname(path)), path]);

function othersMayWrite({ mode, uid, gid }: Stats): boolean {
  if ((mode & 0o002) !== 0) return true;
  return (mode & 0o020) !== 0 && !isOwnGroup(uid, gid);
}

/** Whether the group is the one that many systems give to every user alone: its files can be written by the group, and by nobody else. */
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
    const others = [...group.flatMap(([, , , members = '']) => members.split(',')), ...users.map(([name = '']) => name)];
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
