/** With more values, those that follow share nothing with those before. */
const most = 5_000;

/** Makes the value of each text once, so that equal values are one in memory. */
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
