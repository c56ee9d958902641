/** With more values, all are forgotten: later ones share nothing with them. */
const most = 20_000;

/** Gives equal texts the same value, so that it is in memory once. */
export function interned<T>(make: (text: string) => T): (text: string) => T {
  const values = new Map<string, T>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    if (values.size >= most) values.clear();
    const made = make(text);
    values.set(text, made);
    return made;
  };
}
