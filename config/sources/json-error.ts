/* oxlint-disable no-control-regex -- JSON forbids control characters in strings. */
const token =
  /[ \t\n\r]*(?:([[\]{}:,])|("(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end';

/**
 * Returns the offset of the first character that makes a text invalid JSON; the length of the text when it is valid.
 * `JSON.parse` does not always report an offset.
 */
export function jsonErrorOffset(text: string): number {
  const openBrackets: ('[' | '{')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const after = (): Expected => (openBrackets.length > 0 ? 'comma' : 'end');
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    const start = at + (/^[ \t\n\r]*/.exec(text.slice(at))?.[0].length ?? 0);
    if (!found) return start;
    const [, mark, string] = found;
    const closes = mark === ']' ? '[' : mark === '}' ? '{' : undefined;
    if (closes) {
      const isAllowed =
        expected === 'comma' || (closes === '[' ? expected === 'first value' : expected === 'first key');
      if (!isAllowed || openBrackets.at(-1) !== closes) return start;
      openBrackets.pop();
      expected = after();
    } else if (mark === ',') {
      if (expected !== 'comma') return start;
      expected = openBrackets.at(-1) === '{' ? 'key' : 'value';
    } else if (mark === ':') {
      if (expected !== 'colon') return start;
      expected = 'value';
    } else if (expected === 'key' || expected === 'first key') {
      if (string === undefined) return start;
      expected = 'colon';
    } else if (expected === 'value' || expected === 'first value') {
      if (mark === '[' || mark === '{') openBrackets.push(mark);
      expected = mark === '[' ? 'first value' : mark === '{' ? 'first key' : after();
    } else return start;
    at = token.lastIndex;
  }
}
