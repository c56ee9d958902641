import type { Actor } from '../../core/journal/actor.ts';

/** The headers in which muster's own clients say what they are, and which user runs them. */
export const interfaceHeader = 'x-muster-interface';
export const userHeader = 'x-muster-user';

/** A program that calls muster, as it describes itself. */
export type CallingProgram = Pick<Actor, 'interface' | 'user'>;

/** Describes this process: the interface that it offers, and its user. */
export function thisProgram(name: CallingProgram['interface'], user = osUser()): CallingProgram {
  return { interface: name, ...(user === undefined ? {} : { user }) };
}

/** Returns the headers with which a program describes itself. */
export const programHeaders = ({ interface: name, user }: CallingProgram): Readonly<Record<string, string>> => ({
  [interfaceHeader]: name,
  // A header holds ASCII only.
  ...(user === undefined ? {} : { [userHeader]: encodeURIComponent(user.toWellFormed()) }),
});

function osUser(): string | undefined {
  try {
    // Not imported: as an ES module this builtin would evaluate much unused code.
    return process.getBuiltinModule('node:os').userInfo().username;
  } catch {
    // The user id has no entry, as in some containers.
    const uid = process.getuid?.();
    return uid === undefined ? undefined : `uid ${uid}`;
  }
}
