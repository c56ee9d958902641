import type { FaultKind, Shortfall } from '../../../core/index.ts';
import { withoutEncodedMessage } from './encoded-message.ts';
import { codeFamilies, codesByMessage, codeTable, type CodeKind, type CodeMeaning } from './code-table.ts';

const byCode: ReadonlyMap<string, CodeMeaning> = new Map(
  codeTable.flatMap(({ codes, ...meaning }) => codes.map((code) => [code, meaning] as const)),
);

/**
 * The meaning of a code, or undefined when neither the table nor a family contains it. The prefixes `Server.` and
 * `Client.` of state reasons are ignored, unless the table contains the code with its prefix. `reading`: the call that
 * the cloud refused changes nothing.
 */
export function meaningOfCode(code: string, message = '', reading = false): CodeMeaning | undefined {
  const bare = code.replace(/^(Server|Client)\./, '').replace(/Fault$/, '');
  const found =
    (bare === code ? undefined : byCode.get(code)) ??
    codesByMessage.find((rule) => rule.code.test(bare) && rule.message.test(message)) ??
    byCode.get(bare) ??
    codeFamilies.find(({ pattern }) => pattern.test(bare));
  return (reading ? found?.ofRead : undefined) ?? found;
}

/** The kind of a code, by its meaning; see `meaningOfCode`. */
export const kindOfCode = (code: string, message = '', reading = false): CodeKind | undefined =>
  meaningOfCode(code, message, reading)?.kind;

/** Kinds of faults that only a person can end. Their messages say what to do. */
const forPeople: ReadonlySet<CodeKind> = new Set(['quota', 'credentials', 'invalid']);

/** What a person should do about a code. Empty: nothing, because muster continues by itself, or the code is unknown. */
export function adviceFor(code: string, message = '', reading = false): string {
  const meaning = meaningOfCode(code, message, reading);
  return meaning !== undefined && (forPeople.has(meaning.kind) || meaning.lack === 'terms') ? meaning.advice : '';
}

/**
 * The reason inside an answer (an error of a pool, an event of a history, a state reason), where no outcome is
 * unknown. An unexplained reason counts as temporary. `message`: the text of the cloud. `about`: the action, where the
 * message begins with one.
 */
export function reasonFor(code: string, message: string, about?: string): Omit<Shortfall, 'offer' | 'count'> {
  const text = withoutEncodedMessage(message).replace(/[.\s]+$/, '') || 'The cloud gave no reason';
  const lack = meaningOfCode(code, message)?.lack;
  const shown = [about && `${about}:`, `${text}.`, adviceFor(code, message), `Error Code: ${code}`];
  return {
    kind: kindOfReason(code, message),
    code,
    message: shown.filter(Boolean).join(' '),
    ...(lack === undefined ? {} : { lack }),
  };
}

/** The kind of a reason inside an answer; see `reasonFor`. */
export function kindOfReason(code: string, message = ''): FaultKind {
  const kind = kindOfCode(code, message);
  return kind === undefined || kind === 'transient' ? 'unavailable' : kind;
}

/** All codes of the table, for tests and the reference. */
export const knownCodes: ReadonlyMap<string, CodeMeaning> = byCode;
