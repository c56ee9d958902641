/** A positive number in a variable of the environment, else the standard. */
export function numberIn(variable: string, standard: number): number {
  const number = Number(process.env[variable]);
  return Number.isFinite(number) && number > 0 ? number : standard;
}
