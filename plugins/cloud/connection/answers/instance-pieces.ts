const tags = /<(\/?)(item|instancesSet|reservationSet)(\/?)>/g;

/** The number of the tags above that are open inside a reservation, and inside its list of machines. */
const [inReservation, inMachines] = [2, 3];

/**
 * Splits an answer of DescribeInstances into complete answers with at most `max` machines each, so that parsing one of
 * them is short. A reservation that is split appears in several of them, each time with the text before its machines.
 * An answer without a list of reservations is returned unchanged.
 */
export function* instancePieces(answer: string, max: number): Generator<string> {
  const end = `</instancesSet></item></reservationSet>${answer.slice(Math.max(0, answer.lastIndexOf('</')))}`;
  /** Where the current piece begins in the answer, and the text that precedes it in the piece. */
  let from = 0;
  let before = '';
  let headOfAnswer = '';
  let reservationAt = 0;
  let headOfReservation = '';
  let machines = 0;
  let depth = 0;
  for (const { 0: tag, 1: closing, 2: name, 3: empty, index } of answer.matchAll(tags)) {
    if (empty !== '') continue;
    const after = index + tag.length;
    if (closing === '') {
      depth += 1;
      if (name === 'reservationSet') headOfAnswer = answer.slice(0, after);
      else if (name === 'instancesSet') headOfReservation = answer.slice(reservationAt, after);
      else if (depth === inReservation) [reservationAt, headOfReservation] = [index, ''];
      continue;
    }
    depth -= 1;
    if (name === 'instancesSet') headOfReservation = '';
    if (depth !== inMachines || headOfReservation === '' || ++machines < max) continue;
    yield `${before}${answer.slice(from, after)}${end}`;
    [from, before, machines] = [after, `${headOfAnswer}${headOfReservation}`, 0];
  }
  yield `${before}${answer.slice(from)}`;
}
