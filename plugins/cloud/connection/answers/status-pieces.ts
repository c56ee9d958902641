const marks = /<(\/?)(item|instanceStatusSet)(\/?)>/g;

/**
 * Cuts an answer of DescribeInstanceStatus into whole answers of at most `most` machines each, so that none of them
 * takes long to read. What stands before the list is in each of them, what stands behind it in the last. An answer
 * that has no list stays as it is. /
 */
export function* statusPieces(answer: string, most: number): Generator<string> {
  const end = `</instanceStatusSet>${answer.slice(Math.max(0, answer.lastIndexOf('</')))}`;
  let head = '';
  let before = '';
  let from = 0;
  let machines = 0;
  let depth = 0;
  for (const { 0: mark, 1: closing, 3: empty, index } of answer.matchAll(marks)) {
    if (empty !== '') continue;
    const behind = index + mark.length;
    if (closing === '') {
      depth += 1;
      if (depth === 1) head = answer.slice(0, behind);
      continue;
    }
    depth -= 1;
    if (depth !== 1 || ++machines < most) continue;
    yield `${before}${answer.slice(from, behind)}${end}`;
    [from, before, machines] = [behind, head, 0];
  }
  yield `${before}${answer.slice(from)}`;
}
