import { noticeKinds, type Notice, type NoticeMessage } from '../../contract/notice.ts';
import { machineStatuses } from '../../model/machine.ts';
import { ContractViolation } from './contract-violation.ts';
import {
  assertKnown,
  assertObject,
  assertOptionalText,
  assertOptionalTime,
  assertShortText,
  assertText,
} from './assertions.ts';

const mostMessages = 200;
const mostNotices = 10_000;
const mostIdCharacters = 500;
const mostMachineCharacters = 255;
/** A longer text for people is cut. */
const mostTextCharacters = 500;
const kinds: ReadonlySet<unknown> = new Set(noticeKinds);
const statuses: ReadonlySet<unknown> = new Set(machineStatuses);

/** Checks the answer of `notices.receive` as a whole. */
export function assertNoticeMessages(value: unknown): void {
  if (!Array.isArray(value) || value.length > mostMessages)
    throw new ContractViolation('', value, `a list of at most ${mostMessages} messages`);
}

/**
 * A message with the fields of the contract alone. A message that violates the contract is malformed, so that it does
 * not keep the others of the answer from being used. Its receipt is empty when it has none.
 */
export function readNoticeMessage(value: unknown): NoticeMessage {
  let receipt = '';
  try {
    const given = assertObject(value, '', 'a message: receipt and notices');
    assertText(given['receipt'], '', '/receipt');
    receipt = given['receipt'] as string;
    const { notices, malformed } = given;
    assertOptionalText(malformed, '', 'malformed');
    if (!Array.isArray(notices) || notices.length > mostNotices)
      throw new ContractViolation('/notices', notices, `a list of at most ${mostNotices} notices`);
    const read = notices.map((notice, place) => readNotice(notice, `/notices/${place}`));
    return { receipt, notices: read, ...(typeof malformed === 'string' ? { malformed: cut(malformed) } : {}) };
  } catch (error) {
    const why = error instanceof ContractViolation ? error.message : `it cannot be read: ${String(error)}`;
    return { receipt, notices: [], malformed: cut(`The plugin broke its contract: ${why}.`) };
  }
}

function readNotice(value: unknown, path: string): Notice {
  const given = assertObject(value, path, 'a notice');
  const { machine_id, kind, at, message, status, reclaim_at, event_id } = given;
  assertShortText(machine_id, path, '/machine_id', mostMachineCharacters);
  assertKnown(kind, kinds, path, '/kind', noticeKinds);
  assertTime(at, path, '/at');
  assertOptionalText(message, path, 'message');
  const common = { machine_id, kind, at, ...(typeof message === 'string' ? { message: cut(message) } : {}) };
  if (kind === 'state') assertKnown(status, statuses, path, '/status', machineStatuses);
  if (kind === 'reclaim' || (kind === 'scheduled' && reclaim_at !== null)) assertTime(reclaim_at, path, '/reclaim_at');
  if (kind === 'scheduled' && event_id !== undefined) assertShortText(event_id, path, '/event_id', mostIdCharacters);
  return {
    ...common,
    ...(kind === 'state' ? { status } : {}),
    ...(kind === 'reclaim' || kind === 'scheduled' ? { reclaim_at } : {}),
    ...(kind === 'scheduled' && event_id !== undefined ? { event_id } : {}),
  } as Notice;
}

function assertTime(value: unknown, path: string, name: string): void {
  assertText(value, path, name);
  assertOptionalTime(value, path, name);
}

const cut = (text: string): string => text.slice(0, mostTextCharacters);
