import { noticeKinds } from '../../contract/notice.ts';
import { machineStatuses } from '../../model/machine.ts';
import { ContractViolation } from './contract-violation.ts';
import { assertKnown, assertObject, assertOptionalText, assertOptionalTime, assertText } from './assertions.ts';

const mostMessages = 200;
const mostNotices = 10_000;
const mostIdCharacters = 500;
const kinds: ReadonlySet<unknown> = new Set(noticeKinds);
const statuses: ReadonlySet<unknown> = new Set(machineStatuses);

/** Checks the answer of `notices.receive`. */
export function assertNoticeMessages(value: unknown): void {
  if (!Array.isArray(value) || value.length > mostMessages)
    throw new ContractViolation('', value, `a list of at most ${mostMessages} messages`);
  for (const [index, each] of value.entries()) {
    const at = `/${index}`;
    const given = assertObject(each, at, 'a message: receipt and notices');
    assertText(given['receipt'], at, '/receipt');
    assertOptionalText(given['malformed'], at, 'malformed');
    const { notices } = given;
    if (!Array.isArray(notices) || notices.length > mostNotices)
      throw new ContractViolation(`${at}/notices`, notices, `a list of at most ${mostNotices} notices`);
    notices.forEach((notice, place) => assertNotice(notice, `${at}/notices/${place}`));
  }
}

function assertNotice(value: unknown, path: string): void {
  const given = assertObject(value, path, 'a notice');
  assertText(given['machine_id'], path, '/machine_id');
  assertKnown(given['kind'], kinds, path, '/kind', noticeKinds);
  assertText(given['at'], path, '/at');
  assertOptionalTime(given['at'], path, '/at');
  assertOptionalText(given['message'], path, 'message');
  if (given['kind'] === 'scheduled') {
    const { event_id } = given;
    assertOptionalText(event_id, path, 'event_id');
    if (typeof event_id === 'string' && event_id.length > mostIdCharacters)
      throw new ContractViolation(`${path}/event_id`, event_id, `at most ${mostIdCharacters} characters`);
  }
  if (given['kind'] === 'state') assertKnown(given['status'], statuses, path, '/status', machineStatuses);
  if (given['kind'] === 'reclaim' || (given['kind'] === 'scheduled' && given['reclaim_at'] !== null)) {
    assertText(given['reclaim_at'], path, '/reclaim_at');
    assertOptionalTime(given['reclaim_at'], path, '/reclaim_at');
  }
}
