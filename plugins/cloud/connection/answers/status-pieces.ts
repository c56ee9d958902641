const tags = /<(\/?)(item|instanceStatusSet)(\/?)>/g;

/**
 * Splits an answer of DescribeInstanceStatus into complete answers with at most `max` machines each, so that parsing
 * one of them is short. The text before the list is in each of them, the text after the list in the last one. An
 * answer without a list is returned unchanged.
 */
export function* statusPieces(answer: string, max: number): Generator<string> {
  const end = `</instanceStatusSet>${answer.slice(Math.max(0, answer.lastIndexOf('</')))}`;
  let head = '';
  let before = '';
  let from = 0;
  let machines = 0;
  let depth = 0;
  for (const { 0: tag, 1: closing, 3: empty, index } of answer.matchAll(tags)) {
    if (empty !== '') continue;
    const after = index + tag.length;
    if (closing === '') {
      depth += 1;
      if (depth === 1) head = answer.slice(0, after);
      continue;
    }
    depth -= 1;
    if (depth !== 1 || ++machines < max) continue;
    yield `${before}${answer.slice(from, after)}${end}`;
    [from, before, machines] = [after, head, 0];
  }
  yield `${before}${answer.slice(from)}`;
}
