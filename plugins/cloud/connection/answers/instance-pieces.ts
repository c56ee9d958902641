const marks = /<(\/?)(item|instancesSet|reservationSet)(\/?)>/g;

/** How many of the lists and items above are open in: a reservation, its list of machines. */
const [inReservation, inMachines] = [2, 3];

/**
 * Cuts an answer of DescribeInstances into whole answers of at most `most` machines each, so that none of them takes
 * long to read. A reservation that is cut stands in several of them, each time with what is said before its machines.
 * An answer that has no list of reservations stays as it is. /
 */
export function* instancePieces(answer: string, most: number): Generator<string> {
  const end = `</instancesSet></item></reservationSet>${answer.slice(Math.max(0, answer.lastIndexOf('</')))}`;
  /** Where the present piece begins in the answer, and what stands before that in it. */
  let from = 0;
  let before = '';
  let headOfAnswer = '';
  let reservationAt = 0;
  let headOfReservation = '';
  let machines = 0;
  let depth = 0;
  for (const { 0: mark, 1: closing, 2: name, 3: empty, index } of answer.matchAll(marks)) {
    if (empty !== '') continue;
    const behind = index + mark.length;
    if (closing === '') {
      depth += 1;
      if (name === 'reservationSet') headOfAnswer = answer.slice(0, behind);
      else if (name === 'instancesSet') headOfReservation = answer.slice(reservationAt, behind);
      else if (depth === inReservation) [reservationAt, headOfReservation] = [index, ''];
      continue;
    }
    depth -= 1;
    if (name === 'instancesSet') headOfReservation = '';
    if (depth !== inMachines || headOfReservation === '' || ++machines < most) continue;
    yield `${before}${answer.slice(from, behind)}${end}`;
    [from, before, machines] = [behind, `${headOfAnswer}${headOfReservation}`, 0];
  }
  yield `${before}${answer.slice(from)}`;
}
