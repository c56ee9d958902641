/* oxlint-disable no-control-regex -- JSON forbids control characters in strings. */
const token =
  /[ \t\n\r]*(?:([[\]{}:,])|("(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

type Due = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end';

/**
 * Where a text stops being JSON: the offset of the first character that cannot stand there. `JSON.parse` does not always say it. For a
 * text that is JSON it is its length.
 */
export function jsonErrorOffset(text: string): number {
  const open: ('[' | '{')[] = [];
  let due: Due = 'value';
  let at = 0;
  const after = (): Due => (open.length > 0 ? 'comma' : 'end');
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    const start = at + (/^[ \t\n\r]*/.exec(text.slice(at))?.[0].length ?? 0);
    if (!found) return start;
    const [, mark, string] = found;
    const closes = mark === ']' ? '[' : mark === '}' ? '{' : undefined;
    if (closes) {
      const may = due === 'comma' || (closes === '[' ? due === 'first value' : due === 'first key');
      if (!may || open.at(-1) !== closes) return start;
      open.pop();
      due = after();
    } else if (mark === ',') {
      if (due !== 'comma') return start;
      due = open.at(-1) === '{' ? 'key' : 'value';
    } else if (mark === ':') {
      if (due !== 'colon') return start;
      due = 'value';
    } else if (due === 'key' || due === 'first key') {
      if (string === undefined) return start;
      due = 'colon';
    } else if (due === 'value' || due === 'first value') {
      if (mark === '[' || mark === '{') open.push(mark);
      due = mark === '[' ? 'first value' : mark === '{' ? 'first key' : after();
    } else return start;
    at = token.lastIndex;
  }
}
